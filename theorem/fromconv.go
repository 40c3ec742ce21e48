package theorem

import (
	"fmt"
	"math"
	"slices"
)

// FromOptions say how FromConv builds. The zero value is the construction of the paper.
type FromOptions struct {
	Alpha float64 // sharpness of the heads; 0: Hard
	Order []int   // head h has entry Order[h] of the kernel; nil: row-major. Entries that are not listed are lost
}

// Hard returns an α at which all weights of a head but the largest are exactly zero in type F, in whatever order they
// are summed: the weight e^-α of the nearest pixel is less than half of the smallest positive number, 2⁻¹⁴⁹ or 2⁻¹⁰⁷⁴.
func Hard[F Float]() float64 {
	if is32[F]() {
		return 104 // > 150·ln 2
	}
	return 746 // > 1075·ln 2
}

// is32 reports whether F has the precision of float32, in which 1 + 2⁻³⁰ = 1.
func is32[F Float]() bool {
	one, small := F(1), F(math.Ldexp(1, -30))
	return one+small == one
}

// FromConv returns the attention layer that is the convolution c (Theorem 1): one head for each entry of the kernel,
// centered on the entry's shift (Lemma 2), with the entry's matrix as W_h (Lemma 1). At α = Hard the two differ by the
// order of their sums alone. The heads need a positional encoding of dimension D_p = axes + 1.
//
// With the border Zero the layer pads its input, as a convolution does. Without padding the softmax selects the nearest
// pixel of the image in place of one outside, which is replicate padding.
func FromConv[F Float](c *Conv[F], o FromOptions) (*Layer[F], error) {
	if err := c.Validate(); err != nil {
		return nil, err
	}
	if o.Alpha == 0 {
		o.Alpha = Hard[F]()
	}
	if !(o.Alpha > 0) || math.IsInf(float64(F(o.Alpha)), 0) {
		return nil, fmt.Errorf("α: want a number above 0 that %T holds, got %g", F(0), o.Alpha)
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
			return nil, fmt.Errorf("order: want each entry of the kernel once at most, from 0 to %d; got %v",
				len(shifts)-1, o.Order)
		}
		l.Heads = append(l.Heads, Gaussian[F]{Center[F](shifts[t]), F(o.Alpha)})
		l.Weights = append(l.Weights, c.Matrix(t))
	}
	return l, nil
}

// Center converts a shift to type F.
func Center[F Float](shift []int) []F {
	c := make([]F, len(shift))
	for a, s := range shift {
		c[a] = F(s)
	}
	return c
}
