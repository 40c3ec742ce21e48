package claims

import (
	"slices"

	"github.com/attnconv/attnconv/internal/plain"
	"github.com/attnconv/attnconv/theorem"
)

// Attention does not depend on the order of its tokens, except through position encodings.
var symmetries = []Claim{
	{
		ID: "permutation",
		Statement: "Self-attention without positions commutes with every permutation of the tokens: SA(ΠX) = " +
			"Π·SA(X).",
		By: Paper, Verdict: Holds, Tolerance: 1e-12,
		check: func(t *trial) {
			for range t.n {
				layer, x, order := t.attention()
				y := layer.Forward(x, x, nil)
				t.equal(layer.Forward(permuted(x, order), permuted(x, order), nil).Flat(), permuted(y, order).Flat())
			}
		},
	},
	{
		ID: "pooled-permutation",
		Statement: "Averaged over the tokens, self-attention without positions does not change when the tokens are " +
			"permuted.",
		By: Article, Verdict: Holds, Tolerance: 1e-12,
		check: func(t *trial) {
			for range t.n {
				layer, x, order := t.attention()
				z := permuted(x, order)
				t.equal(mean(layer.Forward(z, z, nil)), mean(layer.Forward(x, x, nil)))
			}
		},
	},
	{
		ID: "absolute-shift",
		Statement: "Absolute encodings break translation equivariance. If the content moves, the result does not " +
			"simply move with it, not even on a circle, which has no border.",
		By: Notes, Verdict: Holds,
		Reason: "on a circle: ours",
		check: func(t *trial) {
			for range t.n {
				layer, x, _ := t.attention()
				p := plain.Sinusoid(len(x), len(x[0]))
				ofRolled := layer.Forward(rolled(x, 1).Plus(p), rolled(x, 1).Plus(p), nil)
				rolledResult := rolled(layer.Forward(x.Plus(p), x.Plus(p), nil), 1)
				d := gap(ofRolled.Flat(), rolledResult.Flat())
				t.differs(d, 1e-4, "%d tokens on a circle, moved by one: the results differ by %.2g of the largest",
					len(x), d)
			}
		},
	},
	{
		ID:        "relative-shift",
		Statement: "With relative scores the layer commutes with translations.",
		By:        Ours, Verdict: HoldsIf, Tolerance: 1e-12,
		Reason: "the slides say so of the scores; the layer needs the condition",
		Condition: "every query has the same keys around it: on a torus, or where a window is inside the image. The " +
			"scores are always equivariant, but the softmax divides by a sum that the border truncates",
		check: relativeShift,
	},
}

// relativeShift moves content by one token, on a circle and on a line.
func relativeShift(t *trial) {
	for range t.n {
		layer, x, _ := t.attention()
		table := t.normal(2 * len(x))
		n := len(x)
		circle := func(x plain.Matrix) plain.Matrix {
			h := layer.Heads[0]
			a := plain.Scores(x.Times(h.Query), x.Times(h.Key), plain.Scaled)
			a = a.Plus(plain.Relative(n, n, func(shift int) float64 { return table[(shift+n)%n] }))
			return plain.SoftmaxRows(a).Times(x)
		}
		t.equal(circle(rolled(x, 1)).Flat(), rolled(circle(x), 1).Flat())

		line := &theorem.Layer[float64]{In: 1, Out: 1, Geometry: theorem.Geometry{Kernel: []int{1},
			Border: theorem.Replicate},
			Heads:   []theorem.Head[float64]{theorem.Gaussian[float64]{Center: []float64{0}, Alpha: 1}},
			Weights: [][]float64{{1}}}
		spot, next := make([]float64, n), make([]float64, n)
		spot[0], next[1] = 1, 1
		a, b := line.Forward([]int{n}, spot)[0], line.Forward([]int{n}, next)[0]
		d := gap(b[1:], a[:n-1])
		t.differs(d, 0.05, "a line of %d tokens, α = 1: a spot on the first one gives %.3f there, one on the second "+
			"gives %.3f", n, a[0], b[1])
	}
}

// attention draws a layer of two heads, a sequence for it, and a permutation of its tokens.
func (t *trial) attention() (layer plain.MultiHead, x plain.Matrix, order []int) {
	n := t.between(3, 8)
	layer = plain.NewMultiHead(t.rng, 6, 2)
	return layer, plain.Normal(t.rng, n, 6, 1), t.rng.Perm(n)
}

func permuted(x plain.Matrix, order []int) plain.Matrix {
	y := make(plain.Matrix, len(x))
	for i, p := range order {
		y[i] = x[p]
	}
	return y
}

// rolled shifts tokens circularly by n.
func rolled(x plain.Matrix, n int) plain.Matrix { return slices.Concat(x[len(x)-n:], x[:len(x)-n]) }

func mean(x plain.Matrix) []float64 {
	m := make([]float64, len(x[0]))
	for _, row := range x {
		for j, v := range row {
			m[j] += v / float64(len(x))
		}
	}
	return m
}
