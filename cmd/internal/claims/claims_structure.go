package claims

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/attnconv/attnconv/internal/plain"
	"github.com/attnconv/attnconv/theorem"
)

// What else attention can express, and what it cannot.
var structure = []Claim{
	{
		ID: "position-only",
		Statement: "A layer whose scores depend only on the shift, with hard or soft heads, is exactly one " +
			"convolution with W_δ = Σ_h p_h(δ)·W_h. As a matrix of shifts × channels, its rank is at most the number " +
			"of heads.",
		By: Ours, Verdict: HoldsIf, Tolerance: 1e-12,
		Reason: "the weights p_h depend only on δ = k - q",
		Condition: "the softmax is over the same shifts for each query: on a torus, or in a window inside the image. " +
			"On a grid each head is a zero-padded convolution with exp(score), divided by its own sum over the keys " +
			"of the grid. For a soft head that sum differs from query to query, near the border or not",
		check: positionOnly,
	},
	{
		ID:        "one-head",
		Statement: "One head in a window, with the right scores of shifts and the right V, is any convolution.",
		By:        Notes, Verdict: FalseAsWritten, Tolerance: 1e-12,
		Condition: "the matrices of its kernel are positive multiples of one matrix, and it can be nothing else",
		check:     oneHead,
	},
	{
		ID: "shared-dense",
		Statement: "A dense layer shared by all pixels is attention with the identity as attention matrix. It is a 1 " +
			"× 1 convolution.",
		By: Ours, Verdict: Holds, Tolerance: 1e-13,
		Reason: "Theorem 1 with K = 1",
		check: func(t *trial) {
			for range t.n {
				n, w, b := t.between(1, 6), plain.Normal(t.rng, 3, 2, 1), t.normal(2)
				x := plain.Normal(t.rng, n, 3, 1)
				layer := plain.MultiHead{Out: w, Bias: b, Score: plain.Dot,
					Heads: []plain.Head{{Query: plain.New(3, 1), Key: plain.New(3, 1), Value: plain.Identity(3)}}}
				itself := func(q, k int) bool { return q == k }
				want := x.Times(w)
				for _, row := range want {
					row[0], row[1] = row[0]+b[0], row[1]+b[1]
				}
				t.equal(layer.Forward(x, x, itself).Flat(), want.Flat())
				c := &theorem.Conv[float64]{Geometry: theorem.Geometry{Kernel: []int{1}}, In: 3, Out: 2, Bias: b,
					Weight: w.T().Flat()}
				t.equal(exact(c, []int{n}, x.Flat()), want.Flat())
			}
		},
	},
	{
		ID:        "dense-per-position",
		Statement: "A dense layer with different weights at each position, y_q = x_q·W_q, is also attention.",
		By:        Ours, Verdict: HoldsIf, Tolerance: 1e-13,
		Reason: "one head per position",
		Condition: "the positions are absolute, there is a head for each, and there is a key whose value is zero. " +
			"Head h attends to pixel h from query h, and to the zero key from all others. Without that key the " +
			"weights of the pixels add up to one, so an image of one color has the same result everywhere",
		check: densePerPosition,
	},
	{
		ID: "local-and-global",
		Statement: "Without content in the scores, attention in a window of K × K is a K × K convolution, and global " +
			"attention is a convolution as large as the image.",
		By: Notes, Verdict: HoldsIf, Tolerance: 1e-12,
		Reason: "the size of the global one: ours",
		Condition: "each query has all shifts of the window, and global attention is on a torus. On a grid the " +
			"softmax of a soft head divides by a sum that differs from query to query (see position-only)",
		check: localAndGlobal,
	},
	{
		ID:        "hard-heads-only",
		Statement: "Global attention is a convolution that is smaller than the image only if its heads are hard.",
		By:        Ours, Verdict: False, Tolerance: 1e-12,
		Reason:    "our own earlier claim",
		Condition: "soft heads can also be one, because their matrices may cancel outside of the kernel",
		check:     hardHeadsOnly,
	},
	{
		ID:        "converse",
		Statement: "Conversely, every self-attention layer is a convolution.",
		By:        Ours, Verdict: False, Tolerance: 1e-12,
		Reason: "the converse of Theorem 1, which the paper does not claim",
		Condition: "a layer whose scores depend only on the shift is one, on a torus. With content in the scores the " +
			"layer is not even additive",
		check: converse,
	},
}

// localAndGlobal fits convolutions to layers with random scores of shifts: in windows, and over a whole torus.
func localAndGlobal(t *trial) {
	size := []int{7, 7}
	for range min(t.n, 10) {
		for _, k := range []int{3, 7} {
			_, residual := theorem.ToConv(t.windowed(square(k, theorem.Circular), 4, 2, 2), size)
			t.scalar(residual, 0)
		}
		residual := t.onGrid()
		t.differs(residual, 0.01, "α = 0.2 on 4 × 4 pixels: the nearest convolution of any size is off by %.2g of "+
			"the norm", residual)
	}
}

// onGrid returns the distance, relative to the norm, of soft heads that attend to all of 4 × 4 pixels from the nearest
// convolution, and compares each of their heads with a zero-padded convolution with exp(score), divided by the sum of
// exp(score) over the keys.
func (t *trial) onGrid() (residual float64) {
	size := []int{4, 4}
	l := must(theorem.FromConv(t.conv(square(3, theorem.Replicate), 2, 2), theorem.FromOptions{Alpha: 0.2}))
	l.Geometry = square(7, theorem.Zero)
	l.Border = theorem.Replicate
	for _, head := range l.Heads {
		one := &theorem.Layer[float64]{Geometry: square(1, theorem.Replicate), In: 1, Out: 1,
			Heads:   []theorem.Head[float64]{head},
			Weights: [][]float64{{1}}}
		c := &theorem.Conv[float64]{Geometry: square(7, theorem.Zero), In: 1, Out: 1}
		for _, s := range c.Shifts() {
			c.Weight = append(c.Weight, math.Exp(head.Score(s)))
		}
		x := t.normal(theorem.Volume(size))
		want, sums := exact(c, size, x), exact(c, size, theorem.Repeated([]float64{1}, theorem.Volume(size), 1))
		for q := range want {
			want[q] /= sums[q]
		}
		t.equal(one.Forward(size, x)[0], want)
	}
	_, residual = theorem.ToConv(l, size)
	return residual
}

// hardHeadsOnly measures how far soft heads usually are from a 3 × 3 convolution, and builds one of heads that attend
// to every key of a torus.
func hardHeadsOnly(t *trial) {
	size := []int{7, 7}
	for range min(t.n, 10) {
		small, wide := t.conv(square(3, theorem.Circular), 2, 2), t.conv(square(7, theorem.Circular), 2, 2)
		_, residual := theorem.ToConv(must(theorem.FromConv(small, theorem.FromOptions{Alpha: 0.5})), size)
		t.true(residual > 0.01, "α = 0.5 on a torus of 7 × 7: the nearest 3 × 3 convolution is off by %.2g of the norm",
			residual)
		clear(wide.Weight) // except the nine entries in the middle
		for i, w := range small.Weight {
			wide.Weight[i/9*49+(2+i%9/3)*7+2+i%3] = w
		}
		wide.Bias = small.Bias
		l, _, err := theorem.FromConvRank(wide)
		t.true(err == nil, "%v", err)
		least, most := math.Inf(1), 0.0
		l.Attend(size, func(_, _ int, _ []int, p []float64) {
			least, most = min(least, slices.Min(p)), max(most, slices.Max(p))
		})
		x := t.normal(theorem.Volume(size) * 2)
		want := exact(small, size, x)
		abs, top := distance(l.Forward(size, x)[0], want)
		t.scalar(abs/top, 0)
		t.differs(least, 0.005, "%d soft heads on a torus of 7 × 7 give every key between %.3f and %.3f, and are a 3 "+
			"× 3 convolution to %.0e", len(l.Heads), least, most, abs/top)
	}
}

func positionOnly(t *trial) {
	for range t.n {
		g := square(t.between(1, 3), theorem.Circular)
		l := t.windowed(g, t.between(1, 4), 2, 3)
		size := []int{t.between(4, 6), t.between(4, 6)}
		c := &theorem.Conv[float64]{Geometry: g, In: 2, Out: 3, Weight: make([]float64, 6*g.Entries())}
		for h, head := range l.Heads {
			for s, p := range plain.Softmax(head.(theorem.Table[float64]).Scores) {
				for i, w := range l.Weights[h] {
					c.Weight[(i%3*2+i/3)*g.Entries()+s] += p * w
				}
			}
		}
		t.compare(l, c, size)
		t.true(theorem.Significant(c.Unfold()) <= len(l.Heads), "%d heads made a kernel of rank %d", len(l.Heads),
			theorem.Significant(c.Unfold()))
		c.Border, l.Border = theorem.Zero, theorem.Zero // also for a window over padding
		t.compare(l, c, size)
		residual := t.onGrid()
		t.differs(residual, 0.01, "α = 0.2 on 4 × 4 pixels: the nearest convolution of any size is off by %.2g of "+
			"the norm", residual)
	}
}

// oneHead searches for the best weights p ≥ 0 and W for the kernel (-1, 1).
func oneHead(t *trial) {
	for range t.n {
		l := t.windowed(square(3, theorem.Circular), 1, 2, 3)
		c, _ := theorem.ToConv(l, []int{5, 5})
		w := c.Unfold()
		u, s, _ := theorem.Singular(w)
		t.scalar(s[1]/s[0], 0)
		sign := math.Copysign(1, u.At(0, 0))
		for r := range c.Entries() {
			t.true(sign*u.At(r, 0) > 0, "a single head's matrices have both signs")
		}
	}
	least := math.Inf(1)
	for i := range 1001 {
		p := mat.NewDense(2, 1, []float64{float64(i) / 1000, 1 - float64(i)/1000})
		least = min(least, theorem.Solve(p, mat.NewDense(2, 1, []float64{-1, 1})).Residual)
	}
	t.differs(least, 0.7, "the kernel (-1, 1): the best single head is off by %.3f of its norm", least)
}

func densePerPosition(t *trial) {
	for range t.n {
		n := t.between(2, 5)
		x := append(plain.Normal(t.rng, n, 2, 1), make([]float64, 2)) // and the zero key
		weights := make([]plain.Matrix, n)
		got, want := plain.New(n, 3), plain.New(n, 3)
		for h := range weights {
			weights[h] = plain.Normal(t.rng, 2, 3, 1)
			want[h] = x[h : h+1].Times(weights[h])[0]
			a := plain.New(n, n+1)
			for q := range a {
				a[q][n] = theorem.Hard[float64]()
			}
			a[h][n], a[h][h] = 0, theorem.Hard[float64]()
			got = got.Plus(plain.SoftmaxRows(a).Times(x).Times(weights[h]))
		}
		t.equal(got.Flat(), want.Flat())

		gray, sum := plain.New(n, 2), plain.New(n, 3)
		for q := range gray {
			gray[q] = []float64{1, 1}
		}
		for h := range weights { // any attention, without the zero key
			sum = sum.Plus(plain.SoftmaxRows(plain.Normal(t.rng, n, n, 1)).Times(gray).Times(weights[h]))
		}
		for q := range sum {
			t.equal(sum[q], sum[0])
		}
		wanted := gray.Times(weights[0])[0]
		d := gap(gray.Times(weights[1])[0], wanted)
		t.differs(d, 1e-3, "%d positions, an image of ones, no zero key: all results are equal, but those of the "+
			"layer at the first two "+
			"positions differ by %.2g of the largest", n, d)
	}
}

// converse fits the best convolution as large as the image to a layer with content in its scores.
func converse(t *trial) {
	const n, d, samples = 6, 2, 60
	for range min(t.n, 10) {
		head := plain.Head{Query: plain.Normal(t.rng, d, d, 1), Key: plain.Normal(t.rng, d, d, 1),
			Value: plain.Identity(d)}
		layer := func(x plain.Matrix) plain.Matrix {
			out, _ := head.Attend(x, x, plain.Scaled, nil)
			return out
		}
		a, e := mat.NewDense(samples*n, n*d+1, nil), mat.NewDense(samples*n, d, nil)
		for s := range samples {
			x := plain.Normal(t.rng, n, d, 1)
			y := layer(x)
			for q := range n {
				for shift := range n {
					for i, v := range x[(q+shift)%n] {
						a.Set(s*n+q, shift*d+i, v)
					}
				}
				a.Set(s*n+q, n*d, 1)
				e.SetRow(s*n+q, y[q])
			}
		}
		residual := theorem.Solve(a, e).Residual
		t.differs(residual, 0.1, "one head on a circle of %d tokens: the best convolution over all of them leaves "+
			"%.2f of the output", n, residual)
		x, y := plain.Normal(t.rng, n, d, 1), plain.Normal(t.rng, n, d, 1)
		off := gap(layer(x.Plus(y)).Flat(), layer(x).Plus(layer(y)).Flat())
		t.true(off > 1e-6, "SA(x + y) is SA(x) + SA(y) up to %.2g", off)

		uniform := plain.Head{Query: plain.New(d, d), Key: head.Key, Value: head.Value} // without content: the mean
		z, _ := uniform.Attend(x, x, plain.Scaled, nil)
		c := &theorem.Conv[float64]{Geometry: theorem.Geometry{Kernel: []int{n}, Before: []int{0}, After: []int{n - 1},
			Border: theorem.Circular},
			In: 1, Out: 1, Weight: plain.Softmax(make([]float64, n))}
		t.equal(z.T()[0], exact(c, []int{n}, x.T()[0]))
	}
}
