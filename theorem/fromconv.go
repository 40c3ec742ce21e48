package theorem

import (
	"fmt"
	"math"
	"slices"
)

// FromOptions say how FromConv builds. The zero value is the plain construction.
type FromOptions struct {
	Alpha float64 // how hard the heads look; 0: Hard
	Order []int   // head h takes entry Order[h] of the kernel; nil: row-major. Fewer entries: the rest of the kernel is lost
}

// Hard is an α at which every weight but a head's largest is zero in numbers of type F, whatever is summed with them: the
// nearest pixel's weight e^-α is less than half of the smallest positive number, 2⁻¹⁴⁹ or 2⁻¹⁰⁷⁴.
func Hard[F Float]() float64 {
	if is32[F]() {
		return 104 // > 150·ln 2
	}
	return 746 // > 1075·ln 2
}

// is32 reports whether F has the precision of float32: one and 2⁻³⁰ cannot be added.
func is32[F Float]() bool {
	one, little := F(1), F(math.Ldexp(1, -30))
	return one+little == one
}

// FromConv returns the attention layer that is the convolution c (Theorem 1): one head for each entry of the kernel,
// centered on the entry's shift (Lemma 2), with the entry's matrix as W_h (Lemma 1). At α = Hard the two differ by the
// order of their sums alone. The heads need D_p = axes + 1 numbers of positional encoding.
//
// With zeros around the image the layer pads its input, as a convolution does; without padding the softmax makes the
// nearest pixel stand in for one that is outside, which is replicate padding.
func FromConv[F Float](c *Conv[F], o FromOptions) (*Layer[F], error) {
	if err := c.Validate(); err != nil {
		return nil, err
	}
	if o.Alpha == 0 {
		o.Alpha = Hard[F]()
	}
	if o.Alpha < 0 {
		return nil, fmt.Errorf("theorem: α: want a number above 0, got %g", o.Alpha)
	}
	if o.Order == nil {
		for t := range c.Entries() {
			o.Order = append(o.Order, t)
		}
	}
	shifts := c.Shifts()
	l := &Layer[F]{Geometry: c.Geometry, In: c.In, Out: c.Out, Bias: c.Bias}
	for h, t := range o.Order {
		if t < 0 || t >= len(shifts) || slices.Contains(o.Order[:h], t) {
			return nil, fmt.Errorf("theorem: order: want each entry of the kernel once at most, from 0 to %d; got %v",
				len(shifts)-1, o.Order)
		}
		l.Heads = append(l.Heads, Gaussian[F]{center[F](shifts[t]), F(o.Alpha)})
		l.Weights = append(l.Weights, c.Matrix(t))
	}
	return l, nil
}

// center is a shift as numbers of type F.
func center[F Float](shift []int) []F {
	c := make([]F, len(shift))
	for a, s := range shift {
		c[a] = F(s)
	}
	return c
}

// Largest lists the n entries of the kernel with the largest matrices, ascending: the best that n hard heads can take, as
// seen by images of independent pixels. lost is the share of the kernel's norm that they leave out.
func (c *Conv[F]) Largest(n int) (entries []int, lost float64) {
	norms := make([]float64, c.Entries())
	var all float64
	for t := range norms {
		for _, w := range c.Matrix(t) {
			norms[t] += float64(w) * float64(w)
		}
		all += norms[t]
		entries = append(entries, t)
	}
	slices.SortStableFunc(entries, func(a, b int) int {
		switch {
		case norms[a] > norms[b]:
			return -1
		case norms[a] < norms[b]:
			return 1
		}
		return 0
	})
	n = min(n, len(entries))
	var left float64
	for _, t := range entries[n:] {
		left += norms[t]
	}
	entries = entries[:n]
	slices.Sort(entries)
	if all == 0 {
		return entries, 0
	}
	return entries, math.Sqrt(left / all)
}
