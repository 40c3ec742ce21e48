package claims

import (
	"slices"

	"github.com/attnconv/attnconv/theorem"
)

// Kernels of other shapes.
var extensions = []Claim{
	{
		ID: "dimensions",
		Statement: "In n dimensions Kⁿ heads with an encoding of dimension n + 1, r_δ = (‖δ‖², δ), are any " +
			"convolution.",
		By: Paper, Verdict: Holds, Tolerance: 1e-13,
		check: func(t *trial) {
			for range t.n {
				axes := t.between(1, 4)
				g := theorem.Geometry{Kernel: slices.Repeat([]int{t.between(1, 2)}, axes)}
				if axes < 3 {
					g.Kernel[0]++
				}
				g.Before, g.After = theorem.Same(g.Kernel, nil)
				t.keepsSize(t.conv(g, 2, 2), slices.Repeat([]int{4}, axes))
			}
		},
	},
	{
		ID:        "dilation",
		Statement: "Dilated kernels: the centers are the dilated shifts.",
		By:        Paper, Verdict: Holds, Tolerance: 1e-13,
		check: func(t *trial) {
			for range t.n {
				g := theorem.Geometry{Kernel: []int{3, 3}, Dilation: []int{t.between(2, 3), t.between(1, 3)}}
				g.Before, g.After = theorem.Same(g.Kernel, g.Dilation)
				t.keepsSize(t.conv(g, 2, 2), []int{t.between(2, 7), t.between(2, 7)})
			}
		},
	},
	{
		ID:        "any-shifts",
		Statement: "The heads can be a kernel of any N_h shifts, near or far, on a grid or not.",
		By:        Ours, Verdict: Holds, Tolerance: 1e-13,
		Reason: "the proof of Lemma 1 needs no grid",
		check: func(t *trial) {
			for range t.n {
				c := t.conv(square(7, theorem.Zero), 2, 2)
				keep := t.rng.Perm(c.Entries())[:5]
				for i := range c.Weight {
					if !slices.Contains(keep, i%c.Entries()) {
						c.Weight[i] = 0
					}
				}
				t.compare(must(theorem.FromConv(c, theorem.FromOptions{Order: keep})), c, []int{6, 6})
			}
		},
	},
	{
		ID: "stride",
		Statement: "A strided convolution is attention from every s-th query, or the layer of stride 1 followed by " +
			"fixed pooling.",
		By: Paper, Verdict: Holds, Tolerance: 1e-13,
		Reason: "from every s-th query: ours",
		check: func(t *trial) {
			for range t.n {
				c := t.conv(square(3, theorem.Zero), 2, 2)
				size, s := []int{t.between(3, 7), t.between(3, 7)}, t.between(2, 3)
				strided := *c
				strided.Stride = []int{s, s}
				t.becomes(&strided, size)
				x := t.normal(theorem.Volume(size) * 2)
				var pooled []float64
				whole := must(theorem.FromConv(c, theorem.FromOptions{})).Forward(size, x)[0]
				for out := range theorem.Positions(strided.OutSize(size)) {
					q := theorem.Index(size, strided.Query(out))
					pooled = append(pooled, whole[q*2:q*2+2]...)
				}
				t.equal(pooled, exact(&strided, size, x))
			}
		},
	},
	{
		ID: "kernel-shapes",
		Statement: "The heads can be an even or a rectangular kernel, whose shifts are not centered on the query, " +
			"and a grouped or depth-wise one, whose W_h is zero between groups.",
		By: Ours, Verdict: Holds, Tolerance: 1e-13,
		Reason: "the proof of Lemma 1 needs no symmetry",
		check: func(t *trial) {
			for range t.n {
				g := theorem.Geometry{Kernel: []int{t.between(1, 4), t.between(1, 4)}}
				g.Before, g.After = theorem.Same(g.Kernel, nil)
				c := &theorem.Conv[float64]{Geometry: g, In: 4, Out: 4, Groups: []int{1, 2, 4}[t.rng.IntN(3)]}
				randomize(c, t.rng)
				t.keepsSize(c, []int{t.between(2, 6), t.between(2, 6)})
			}
		},
	},
	{
		ID: "transposed",
		Statement: "A transposed convolution of stride s is attention on the image with s - 1 zeros inserted between " +
			"its pixels.",
		By: Ours, Verdict: Holds, Tolerance: 1e-13,
		Reason: "a convolution of the zero-stuffed image with the mirrored kernel",
		check:  transposed,
	},
	{
		ID: "flattened",
		Statement: "On an image written as one row of pixels, a two-dimensional kernel is a one-dimensional set of " +
			"shifts, dy·W + dx for width W.",
		By: Ours, Verdict: HoldsIf, Tolerance: 1e-13,
		Reason: "row-major order",
		Condition: "the rows are padded, and W is the padded width. Otherwise the shifts wrap into the next row at " +
			"the left and right borders",
		check: flattened,
	},
	{
		ID: "general-gaussian",
		Statement: "Gaussian heads of any shape need an encoding of dimension five on two axes, r_δ = (δ₁, δ₂, δ₁², " +
			"δ₂², δ₁δ₂), and become hard as isotropic ones do.",
		By: Paper, Verdict: Holds, Tolerance: 1e-11,
		check: func(t *trial) {
			for range t.n {
				c := t.conv(square(3, theorem.Zero), 2, 2)
				l := must(theorem.FromConv(c, theorem.FromOptions{}))
				deform(l, t.rng)
				t.compare(l, c, []int{4, 5})
				e := l.Heads[t.rng.IntN(9)].(theorem.Elliptic[float64])
				m, p := e.Center, e.Precision
				a, b, d := p[0][0], p[0][1], p[1][1]
				u := []float64{a*m[0] + b*m[1], d*m[1] + b*m[0], -a / 2, -d / 2, -b}
				s := []int{t.between(-4, 4), t.between(-4, 4)}
				y, x := float64(s[0]), float64(s[1])
				score := u[0]*y + u[1]*x + u[2]*y*y + u[3]*x*x + u[4]*y*x - (a*m[0]*m[0]+2*b*m[0]*m[1]+d*m[1]*m[1])/2
				t.scalar(score/a, e.Score(s)/a)
			}
		},
	},
}

// becomes compares c with the layer that FromConv makes of it.
func (t *trial) becomes(c *theorem.Conv[float64], size []int) {
	t.compare(must(theorem.FromConv(c, theorem.FromOptions{})), c, size)
}

// transposed computes the transposed convolution by its definition, a scatter, and compares it with attention.
func transposed(t *trial) {
	for range t.n {
		stride, k, n := t.between(2, 3), t.between(1, 4), t.between(2, 5)
		w, x := t.normal(k), t.normal(n)
		want := make([]float64, stride*(n-1)+k)
		stuffed := make([]float64, stride*(n-1)+1)
		for i, v := range x {
			stuffed[i*stride] = v
			for j, u := range w {
				want[i*stride+j] += v * u
			}
		}
		c := &theorem.Conv[float64]{In: 1, Out: 1, Weight: w, Flip: true,
			Geometry: theorem.Geometry{Kernel: []int{k}, Before: []int{k - 1}, After: []int{k - 1}}}
		t.equal(must(theorem.FromConv(c, theorem.FromOptions{})).Forward([]int{len(stuffed)}, stuffed)[0], want)
	}
}

// flattened compares the convolution with attention along the single row of all pixels.
func flattened(t *trial) {
	for range t.n {
		c := t.conv(square(3, theorem.Zero), 1, 1)
		rows, cols := t.between(3, 5), t.between(3, 5)
		x := t.normal(rows * cols)
		want := exact(c, []int{rows, cols}, x)
		along := func(x []float64, width int) []float64 { // heads on the shifts dy·width + dx
			l := &theorem.Layer[float64]{In: 1, Out: 1, Bias: c.Bias,
				Geometry: theorem.Geometry{Kernel: []int{2*width + 3},
					Before: []int{width + 1}, After: []int{width + 1}}}
			for h, s := range c.Shifts() {
				l.Heads = append(l.Heads, theorem.Gaussian[float64]{Center: []float64{float64(s[0]*width + s[1])},
					Alpha: theorem.Hard[float64]()})
				l.Weights = append(l.Weights, c.Matrix(h))
			}
			return l.Forward([]int{len(x)}, x)[0]
		}
		wide := make([]float64, rows*(cols+1)) // one zero after each row is padding for both borders
		for r := range rows {
			copy(wide[r*(cols+1):], x[r*cols:(r+1)*cols])
		}
		var got []float64
		for i, v := range along(wide, cols+1) {
			if i%(cols+1) < cols {
				got = append(got, v)
			}
		}
		t.equal(got, want)
		d := gap(along(x, cols), want)
		t.differs(d, 1e-3, "%d × %d pixels without padding: off by %.2g of the largest output, in the first and last "+
			"column", rows, cols, d)
	}
}
