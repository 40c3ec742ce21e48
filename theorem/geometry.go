// Package theorem is the paper's result as code: it converts a convolution to an attention layer. It is written to be
// read together with the proofs, on plain slices, for float32 and float64.
//
// Images have any number of axes, and channels last: x (size..., channels), row-major. A shift δ is key minus query,
// axis by axis, in pixels.
//
// FromConv is Theorem 1; FromConvWith, FromConvRank and ToConv generalize it. Conv and Layer compute.
//
// Stable: Conv, Layer, the heads and the constructions.
//
// Source: Cordonnier, Loukas, Jaggi 2020 (arXiv:1911.03584).
package theorem

import (
	"fmt"
	"slices"
	"strings"
)

// Float is a floating-point type.
type Float interface{ ~float32 | ~float64 }

// A Border is the kind of padding around an image.
type Border int

const (
	Zero      Border = iota // zeros
	Replicate               // the nearest pixel of the image
	Circular                // the opposite side of the image
)

// Borders are the names of the borders.
var Borders = []string{"zero", "replicate", "circular"}

func (b Border) String() string { return Borders[b] }

// A Geometry determines the pixels that each output reads: output o reads o·stride + t·dilation - before, for t over
// the kernel. Each slice has one element per axis.
type Geometry struct {
	Kernel           []int
	Stride, Dilation []int // nil: 1
	Before, After    []int // pixels of padding; nil: none
	Border           Border
}

// At returns v[axis], or otherwise if v is nil.
func At(v []int, axis, otherwise int) int {
	if v == nil {
		return otherwise
	}
	return v[axis]
}

// Axes returns the number of axes of an image.
func (g *Geometry) Axes() int { return len(g.Kernel) }

// Entries returns the number of entries of the kernel.
func (g *Geometry) Entries() int { return Volume(g.Kernel) }

// Shifts lists the shift of each entry of the kernel from the query o·stride, in row-major order.
func (g *Geometry) Shifts() [][]int {
	var shifts [][]int
	for t := range Positions(g.Kernel) {
		d := make([]int, len(t))
		for a := range t {
			d[a] = t[a]*At(g.Dilation, a, 1) - At(g.Before, a, 0)
		}
		shifts = append(shifts, d)
	}
	return shifts
}

// OutSize returns the size of the result for an image of the given size.
func (g *Geometry) OutSize(size []int) []int {
	out := make([]int, len(size))
	for a, n := range size {
		span := (g.Kernel[a]-1)*At(g.Dilation, a, 1) + 1
		out[a] = max(0, n+At(g.Before, a, 0)+At(g.After, a, 0)-span+At(g.Stride, a, 1)) / At(g.Stride, a, 1)
	}
	return out
}

// Query returns the pixel of output o, from which shifts count.
func (g *Geometry) Query(o []int) []int {
	q := slices.Clone(o)
	for a := range q {
		q[a] *= At(g.Stride, a, 1)
	}
	return q
}

// Same returns the padding of a kernel that keeps the image's size; of an even one, the larger part is after.
func Same(kernel, dilation []int) (before, after []int) {
	for a, k := range kernel {
		span := (k - 1) * At(dilation, a, 1)
		before, after = append(before, span/2), append(after, span-span/2)
	}
	return before, after
}

func (g *Geometry) validate() error {
	if len(g.Kernel) == 0 {
		return fmt.Errorf("kernel: want a size for every axis of the image, got none")
	}
	for _, f := range []struct {
		name  string
		v     []int
		least int
	}{
		{"kernel", g.Kernel, 1}, {"stride", g.Stride, 1}, {"dilation", g.Dilation, 1},
		{"padding before", g.Before, 0}, {"padding after", g.After, 0},
	} {
		if f.v != nil && len(f.v) != g.Axes() {
			return fmt.Errorf("%s: want %d integers, one per axis of the kernel; got %v", f.name, g.Axes(), f.v)
		}
		if i := slices.IndexFunc(f.v, func(n int) bool { return n < f.least }); i >= 0 {
			return fmt.Errorf("%s: want integers from %d, got %v", f.name, f.least, f.v)
		}
	}
	if g.Border < Zero || int(g.Border) >= len(Borders) {
		return fmt.Errorf("border: want one of %s, got number %d", strings.Join(Borders, ", "), g.Border)
	}
	return nil
}

// Volume returns the number of positions of a grid.
func Volume(size []int) int {
	n := 1
	for _, s := range size {
		n *= s
	}
	return n
}

// Positions iterates over a grid in row-major order. Each iteration overwrites the slice of the one before.
func Positions(size []int) func(yield func([]int) bool) {
	return func(yield func([]int) bool) {
		p := make([]int, len(size))
		for range Volume(size) {
			if !yield(p) {
				return
			}
			for a := len(p) - 1; a >= 0; a-- {
				if p[a]++; p[a] < size[a] {
					break
				}
				p[a] = 0
			}
		}
	}
}

// Index returns the row-major index of position p in a grid.
func Index(size, p []int) int {
	i := 0
	for a := range size {
		i = i*size[a] + p[a]
	}
	return i
}

// Resolve returns the pixel at p, which may be outside of the image; false: a zero of the padding.
func (b Border) Resolve(size, p []int) (int, bool) {
	i := 0
	for a, n := range size {
		v := p[a]
		switch {
		case v >= 0 && v < n:
		case b == Replicate:
			v = max(0, min(n-1, v))
		case b == Circular:
			v = ((v % n) + n) % n
		default:
			return 0, false
		}
		i = i*n + v
	}
	return i, true
}
