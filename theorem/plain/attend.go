package plain

import (
	"math"
	"math/rand/v2"
)

// Attend is attention: every query gets the mean of the values, weighted by how much it wants their keys,
//
//	weights = softmax(scores),  out = weights·values
//
// queries (n, d), keys (m, d), values (m, e) -> out (n, e), weights (n, m). For self-attention all three come from one
// sequence; for cross-attention the queries come from another one.
func Attend(queries, keys, values Matrix, score Score, may Mask) (out, weights Matrix) {
	weights = SoftmaxRows(Masked(Scores(queries, keys, score), may))
	return weights.Times(values), weights
}

// A Head looks once: each token is a query by one map, a key by another and a value by a third.
type Head struct {
	Query, Key, Value Matrix // W_qry, W_key (in, D_k) and W_val (in, D_h)
}

// Look is one head's attention of the tokens x to the tokens y.
func (h Head) Look(x, y Matrix, score Score, may Mask) (out, weights Matrix) {
	return Attend(x.Times(h.Query), y.Times(h.Key), y.Times(h.Value), score, may)
}

// MultiHead lets several heads look and maps what they saw, side by side:
//
//	MHSA(x) = [SA_1(x) … SA_H(x)]·W_out + b_out        Cordonnier et al. 2020, eq. 4
type MultiHead struct {
	Heads []Head
	Out   Matrix    // W_out (H·D_h, out)
	Bias  []float64 // b_out; nil: none
	Score Score
}

// NewMultiHead draws heads that share dim: each has dim/heads dimensions, as transformers do.
func NewMultiHead(rng *rand.Rand, dim, heads int) MultiHead {
	part := dim / heads
	m := MultiHead{Score: Scaled, Out: Normal(rng, heads*part, dim, 1/math.Sqrt(float64(heads*part)))}
	for range heads {
		draw := func() Matrix { return Normal(rng, dim, part, 1/math.Sqrt(float64(dim))) }
		m.Heads = append(m.Heads, Head{draw(), draw(), draw()})
	}
	return m
}

// Forward lets the tokens x look at the tokens y. For self-attention they are the same.
func (m MultiHead) Forward(x, y Matrix, may Mask) Matrix {
	var seen []Matrix
	for _, h := range m.Heads {
		out, _ := h.Look(x, y, m.Score, may)
		seen = append(seen, out)
	}
	out := Beside(seen...).Times(m.Out)
	for _, row := range out {
		for j := range m.Bias {
			row[j] += m.Bias[j]
		}
	}
	return out
}
