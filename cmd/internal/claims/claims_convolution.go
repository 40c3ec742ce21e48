package claims

import (
	"math/cmplx"
	"slices"

	"github.com/attnconv/attnconv/theorem"

	"math"
)

// Facts about convolutions that the argument uses.
var convolutions = []Claim{
	{
		ID:        "conv-shifts",
		Statement: "A convolution commutes with shifts of the image.",
		By:        Slides, Verdict: HoldsIf, Tolerance: 1e-12,
		Condition: "the borders are circular, or the image is zero near them",
		check: func(t *trial) {
			for range t.n {
				c, n := t.conv(square(3, theorem.Circular), 2, 2), t.between(3, 6)
				size, x := []int{n, n}, t.normal(n*n*2)
				row := n * 2
				roll := func(v []float64) []float64 { return slices.Concat(v[len(v)-row:], v[:len(v)-row]) }
				t.equal(exact(c, size, roll(x)), roll(exact(c, size, x)))
				c.Border = theorem.Zero
				d := gap(exact(c, size, roll(x)), roll(exact(c, size, x)))
				t.differs(d, 1e-3, "zero padding, %d × %d pixels: off by %.2g of the largest output", n, n, d)
			}
		},
	},
	{
		ID:        "conv-commute",
		Statement: "Convolutions commute with each other.",
		By:        Slides, Verdict: HoldsIf, Tolerance: 1e-12,
		Condition: "they have one channel, and circular or full borders. With more channels they commute no more " +
			"than their matrices do",
		check: func(t *trial) {
			for range t.n {
				size := []int{t.between(3, 6), t.between(3, 6)}
				both := func(channels int) (ab, ba []float64) {
					a, b := t.conv(square(3, theorem.Circular), channels, channels),
						t.conv(square(2, theorem.Circular), channels, channels)
					a.Bias, b.Bias = nil, nil
					x := t.normal(theorem.Volume(size) * channels)
					return exact(b, size, exact(a, size, x)), exact(a, size, exact(b, size, x))
				}
				t.equal(both(1))
				d := gap(both(2))
				t.differs(d, 0.01, "two channels: off by %.2g of the largest output", d)
			}
		},
	},
	{
		ID: "conv-associate",
		Statement: "Two convolutions in sequence are one convolution, whose kernel is the convolution of the two " +
			"kernels.",
		By: Slides, Verdict: HoldsIf, Tolerance: 1e-12,
		Condition: "the borders are full (K - 1 zeros on each side) or circular. Zero padding that keeps the size " +
			"truncates the first result",
		check: associates,
	},
	{
		ID:        "conv-fourier",
		Statement: "A circular convolution is diagonal in the Fourier basis: it multiplies frequency by frequency.",
		By:        Slides, Verdict: HoldsIf, Tolerance: 1e-12,
		Condition: "there is one channel. With more, there is a matrix (in, out) for each frequency",
		check:     fourier,
	},
}

// associates folds two kernels of one channel into one.
func associates(t *trial) {
	for range t.n {
		j, k, n := t.between(1, 3), t.between(2, 3), t.between(4, 7)
		a, b := t.normal(j), t.normal(k)
		both := make([]float64, j+k-1)
		for i, u := range a {
			for l, v := range b {
				both[i+l] += u * v
			}
		}
		one := func(w []float64, before, after int, border theorem.Border) *theorem.Conv[float64] {
			return &theorem.Conv[float64]{In: 1, Out: 1, Weight: w,
				Geometry: theorem.Geometry{Kernel: []int{len(w)}, Before: []int{before}, After: []int{after},
					Border: border}}
		}
		x, size := t.normal(n), []int{n}
		ca, cb := one(a, j-1, j-1, theorem.Zero), one(b, k-1, k-1, theorem.Zero)
		t.equal(exact(cb, ca.OutSize(size), exact(ca, size, x)), exact(one(both, j+k-2, j+k-2, theorem.Zero), size, x))
		ca, cb = one(a, 0, j-1, theorem.Circular), one(b, 0, k-1, theorem.Circular)
		t.equal(exact(cb, size, exact(ca, size, x)), exact(one(both, 0, j+k-2, theorem.Circular), size, x))
	}
	x, ones := []float64{1, 2, 3, 4}, []float64{1, 1, 1}
	same := &theorem.Conv[float64]{In: 1, Out: 1, Weight: ones,
		Geometry: theorem.Geometry{Kernel: []int{3}, Before: []int{1}, After: []int{1}}}
	wide := &theorem.Conv[float64]{In: 1, Out: 1, Weight: []float64{1, 2, 3, 2, 1},
		Geometry: theorem.Geometry{Kernel: []int{5}, Before: []int{2}, After: []int{2}}}
	two, at := exact(same, []int{4}, exact(same, []int{4}, x)), exact(wide, []int{4}, x)
	t.differs(gap(two, at), 0.05, "1, 2, 3, 4 with kernel 1, 1, 1 twice, padded with one zero: %g; with 1, 2, 3, 2, "+
		"1: %g", two, at)
}

// fourier compares spectra computed by the definition of the transform.
func fourier(t *trial) {
	spectrum := func(x []float64, channel, channels int) []complex128 {
		n := len(x) / channels
		f := make([]complex128, n)
		for k := range f {
			for i := range n {
				f[k] += complex(x[i*channels+channel], 0) * cmplx.Rect(1, -2*math.Pi*float64(i*k%n)/float64(n))
			}
		}
		return f
	}
	split := func(f []complex128) (values []float64) {
		for _, z := range f {
			values = append(values, real(z), imag(z))
		}
		return values
	}
	for i := range 2 * t.n {
		n, channels := t.between(3, 9), 1+i%2
		c := t.conv(theorem.Geometry{Kernel: []int{n}, Before: []int{0}, After: []int{n - 1},
			Border: theorem.Circular}, channels, channels)
		c.Bias, c.Flip = nil, true // Flip: y[q] = Σ x[q-δ]·w[δ], up to a circular shift by n - 1
		x := t.normal(n * channels)
		y := exact(c, []int{n}, x)
		for o := range channels {
			product := make([]complex128, n)
			for i := range channels {
				w := c.Weight[(o*channels+i)*n : (o*channels+i+1)*n]
				for k, f := range spectrum(x, i, channels) {
					product[k] += f * spectrum(w, 0, 1)[k] * cmplx.Rect(1, 2*math.Pi*float64(k*(n-1)%n)/float64(n))
				}
			}
			t.equal(split(spectrum(y, o, channels)), split(product))
		}
		if channels == 2 {
			w := spectrum(c.Weight[n:2*n], 0, 1)[1] // from the second channel to the first
			t.differs(cmplx.Abs(w), 1e-6, "two channels: frequency 1 of the first output contains %.2g of that of "+
				"the second input", cmplx.Abs(w))
		}
	}
}
