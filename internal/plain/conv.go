package plain

import "math"

// Outside is the kind of padding: what a convolution reads outside of the image.
type Outside int

const (
	Zeros Outside = iota // 0
	Edge                 // the nearest pixel of the image
	Wrap                 // the opposite side of the image, as on a torus
)

// A Conv is a convolution on images of any number of axes (eq. 5 of the paper), from its definition:
//
//	y[p, o] = b[o] + Σ_t Σ_i W[o, i, t]·x[p·stride + t·dilation - before, first(o) + i]
//
// p is a position of the result, t one of the kernel; output channel o reads the in/groups channels of its group, from
// first(o) on. x (size..., in) -> y (out size..., out), both row-major.
//
// Package theorem checks its constructions against Conv, which therefore shares no code with them: no geometry, no
// index, no sum.
type Conv struct {
	Kernel           []int // pixels along each axis
	Stride, Dilation []int // along each axis; nil: 1
	Before, After    []int // pixels of padding along each axis; nil: none
	// replaces Before and After: stride 1 keeps the size; ⌊(K-1)·dilation/2⌋ before, the rest after
	Same            bool
	Outside         Outside
	In, Out, Groups int       // channels; 0 groups: one
	Mirrored        bool      // W[o, i, K-1-t] in place of W[o, i, t]: the mathematicians' convolution
	Weight          []float64 // (out, in/groups, kernel...)
	Bias            []float64 // (out); nil: none
}

// Forward convolves one image, with compensated sums.
func (c Conv) Forward(size []int, x []float64) []float64 {
	groups := max(1, c.Groups)
	in, out := c.In/groups, c.Out/groups
	entries, outputs, result := 1, 1, make([]int, len(size))
	for a, k := range c.Kernel {
		entries *= k
		result[a] = c.outputs(a, size[a])
		outputs *= result[a]
	}
	y := make([]float64, outputs*c.Out)
	p, t := make([]int, len(size)), make([]int, len(size))
	for n := range outputs {
		position(p, n, result)
		sums := make([]exactSum, c.Out)
		for e := range entries {
			position(t, e, c.Kernel)
			k, inside := c.pixel(size, p, t)
			if !inside {
				continue
			}
			w := e
			if c.Mirrored {
				w = entries - 1 - e
			}
			for o := range c.Out {
				first := o / out * in
				for i := range in {
					sums[o].addProduct(x[k*c.In+first+i], c.Weight[(o*in+i)*entries+w])
				}
			}
		}
		for o := range sums {
			if c.Bias != nil {
				sums[o].add(c.Bias[o])
			}
			y[n*c.Out+o] = sums[o].value()
		}
	}
	return y
}

// outputs counts the positions along an axis of n pixels at which the kernel is inside of image and padding.
func (c Conv) outputs(axis, n int) (count int) {
	before, after := c.padding(axis)
	reach := (c.Kernel[axis] - 1) * valueAt(c.Dilation, axis, 1)
	for p := 0; p+reach < before+n+after; p += valueAt(c.Stride, axis, 1) {
		count++
	}
	return count
}

func (c Conv) padding(axis int) (before, after int) {
	if !c.Same {
		return valueAt(c.Before, axis, 0), valueAt(c.After, axis, 0)
	}
	missing := (c.Kernel[axis] - 1) * valueAt(c.Dilation, axis, 1)
	return missing / 2, missing - missing/2
}

// pixel returns the pixel that output p reads for entry t of the kernel; false: a zero of the padding.
func (c Conv) pixel(size, p, t []int) (k int, inside bool) {
	for a, n := range size {
		before, _ := c.padding(a)
		v := p[a]*valueAt(c.Stride, a, 1) + t[a]*valueAt(c.Dilation, a, 1) - before
		switch {
		case v >= 0 && v < n:
		case c.Outside == Edge && v < 0:
			v = 0
		case c.Outside == Edge:
			v = n - 1
		case c.Outside == Wrap:
			for v < 0 {
				v += n
			}
			v %= n
		default:
			return 0, false
		}
		k = k*n + v
	}
	return k, true
}

// position sets at to the indices of element n of a row-major array.
func position(at []int, n int, size []int) {
	for a := len(size) - 1; a >= 0; a-- {
		at[a] = n % size[a]
		n /= size[a]
	}
}

// valueAt returns v[axis], or otherwise if v is nil.
func valueAt(v []int, axis, otherwise int) int {
	if v == nil {
		return otherwise
	}
	return v[axis]
}

// An exactSum is a compensated sum (Neumaier 1974): lost is the sum of the rounding errors.
type exactSum struct{ sum, lost float64 }

func (s *exactSum) add(v float64) {
	t := s.sum + v
	if math.Abs(s.sum) >= math.Abs(v) {
		s.lost += s.sum - t + v
	} else {
		s.lost += v - t + s.sum
	}
	s.sum = t
}

func (s *exactSum) addProduct(a, b float64) {
	p := a * b
	s.add(p)
	s.lost += math.FMA(a, b, -p)
}

func (s *exactSum) value() float64 { return s.sum + s.lost }
