package claims

import (
	"math"
	"math/rand/v2"

	"github.com/attnconv/attnconv/theorem"

	"gonum.org/v1/gonum/mat"
)

// Heads that attend to more than one shift.
var general = []Claim{
	{
		ID: "general-lemma",
		Statement: "If, for every query, the kernel's shifts are in the span of the heads' attention, the layer is " +
			"any convolution with that kernel.",
		By: Paper, Verdict: HoldsIf, Tolerance: 1e-10,
		Condition: "the coefficients Φ are the same for all queries: E_q = A_q·Φ. With relative scores they are, " +
			"away from borders",
		check: generalLemma,
	},
	{
		ID: "soft-exact",
		Statement: "Soft Gaussian heads whose softmax is only over the kernel's pixels are the convolution exactly, " +
			"at any finite α, because their attention is an invertible mixture of the shifts.",
		By: Ours, Verdict: HoldsIf, Tolerance: 1e-9,
		Reason: "generalized lemma, with a window",
		Condition: "they attend to no other pixel. Gaussians over the whole image leave a residual, and the " +
			"condition number of the mixture grows as the heads get softer",
		check: softExact,
	},
	{
		ID: "low-rank",
		Statement: "A kernel whose unfolding, one row per shift, has rank r needs r or r + 1 heads, and never fewer " +
			"than r.",
		By: Ours, Verdict: Holds, Tolerance: 1e-11,
		Reason: "generalized lemma, with positive weights that add up to one",
		check: func(t *trial) {
			for range t.n {
				r := t.between(1, 4)
				c := lowRank(t.rng, r, square(3, theorem.Zero), 4, 5)
				l, rank, err := theorem.FromConvRank(c)
				t.true(err == nil && rank == r && len(l.Heads) <= r+1, "rank %d: found %d, with %d heads, %v", r, rank,
					len(l.Heads), err)
				t.compare(l, c, []int{t.between(3, 6), t.between(3, 6)})

				few := t.windowed(square(3, theorem.Circular), r, 4, 5)
				back, _ := theorem.ToConv(few, []int{5, 5})
				got := theorem.Significant(back.Unfold())
				t.true(got <= r, "%d heads made a kernel of rank %d", r, got)
			}
		},
	},
	{
		ID: "fewer-heads",
		Statement: "With fewer hard heads than shifts, the best layer keeps the largest matrices and loses the norm " +
			"of the rest. No other choice of shifts loses less.",
		By: Ours, Verdict: Holds, Tolerance: 1e-12,
		Reason: "orthogonality of the shifts",
		check:  fewerHeads,
	},
}

// windowed draws a layer whose heads have random scores for the kernel's shifts.
func (t *trial) windowed(g theorem.Geometry, heads, in, out int) *theorem.Layer[float64] {
	l := &theorem.Layer[float64]{Geometry: g, In: in, Out: out}
	for range heads {
		l.Heads = append(l.Heads, theorem.Table[float64]{Shifts: g.Shifts(), Scores: t.normal(g.Entries())})
		l.Weights = append(l.Weights, t.normal(in*out))
	}
	return l
}

// lowRank draws a convolution whose unfolding has rank r.
func lowRank(rng *rand.Rand, r int, g theorem.Geometry, in, out int) *theorem.Conv[float64] {
	var m mat.Dense
	c := &theorem.Conv[float64]{Geometry: g, In: in, Out: out}
	m.Mul(theorem.Dense(normal[float64](rng, in*out*r, 1), in*out, r),
		theorem.Dense(normal[float64](rng, r*c.Entries(), 1), r, c.Entries()))
	c.Weight = m.RawMatrix().Data // (out·in, entries)
	return c
}

// generalLemma solves for Φ with random heads, and with heads that swap their shifts from query to query.
func generalLemma(t *trial) {
	for range t.n {
		c := t.conv(square(3, []theorem.Border{theorem.Zero, theorem.Circular}[t.rng.IntN(2)]), 2, 2)
		heads := t.windowed(c.Geometry, c.Entries()+t.between(0, 2), 2, 2).Heads
		l, fit, err := theorem.FromConvWith(c, heads, []int{4, 5})
		t.true(err == nil, "%v", err)
		if fit.Condition < 1e5 { // else the random heads are nearly dependent, and Φ is nearly noise
			t.compare(l, c, []int{4, 5})
		}
	}
	// a circle; one head attends to the left from even queries and to the right from odd ones, the other conversely
	const n = 8
	a, e := mat.NewDense(n*n, 2, nil), mat.NewDense(n*n, 2, nil)
	for q := range n {
		left, right := q*n+(q+n-1)%n, q*n+(q+1)%n
		e.Set(left, 0, 1)
		e.Set(right, 1, 1)
		a.Set(left, q%2, 1)
		a.Set(right, 1-q%2, 1)
	}
	fit := theorem.Solve(a, e)
	t.differs(fit.Residual, 0.5, "heads that alternate between left and right: each query has both shifts, but one Φ "+
		"for all leaves %.3f "+
		"of the norm", fit.Residual)
}

// softExact solves for windowed Gaussians, and for some without a window.
func softExact(t *trial) {
	for range t.n {
		c := t.conv(square(3, theorem.Zero), 2, 2)
		alpha := 0.4 + 3*t.rng.Float64()
		var windowed, all []theorem.Head[float64]
		for _, s := range c.Shifts() {
			g := theorem.Gaussian[float64]{Center: theorem.Center[float64](s), Alpha: alpha}
			windowed, all = append(windowed, theorem.Windowed(g, c.Shifts())), append(all, g)
		}
		size := []int{4, 5}
		l, _, err := theorem.FromConvWith(c, windowed, size)
		t.true(err == nil, "%v", err)
		t.compare(l, c, size)
		_, fit, _ := theorem.FromConvWith(c, all, size)
		t.differs(fit.Residual, 1e-6, "α = %.2f, no window: residual %.2g, condition %.3g", alpha, fit.Residual,
			fit.Condition)
	}
}

// fewerHeads tries every choice of two of four shifts.
func fewerHeads(t *trial) {
	for range t.n {
		c := t.conv(theorem.Geometry{Kernel: []int{4}, Border: theorem.Circular}, 2, 3)
		_, lost := largest(c, 2)
		best := math.Inf(1)
		for i := range 4 {
			for j := range i {
				l := must(theorem.FromConv(c, theorem.FromOptions{Order: []int{j, i}}))
				kept, _ := theorem.ToConv(l, []int{6})
				var off mat.Dense
				off.Sub(c.Unfold(), kept.Unfold())
				best = min(best, mat.Norm(&off, 2)/mat.Norm(c.Unfold(), 2))
			}
		}
		t.scalar(lost, best)
	}
}
