package plain

import (
	"math"
	"math/rand/v2"
)

// Attend is attention: the result for a query is the mean of the values, weighted by the softmax of its scores with the
// keys,
//
//	weights = softmax(scores),  out = weights·values
//
// queries (n, d), keys (m, d), values (m, e) -> out (n, e), weights (n, m). For self-attention all three come from one
// sequence; for cross-attention the queries come from another one.
func Attend(queries, keys, values Matrix, score Score, allowed Mask) (out, weights Matrix) {
	weights = SoftmaxRows(Masked(Scores(queries, keys, score), allowed))
	return weights.Times(values), weights
}

// A Head is the three linear maps from tokens to queries, keys and values.
type Head struct {
	Query, Key, Value Matrix // W_qry, W_key (in, D_k) and W_val (in, D_h)
}

// Attend is one head's attention of the tokens x to the tokens y.
func (h Head) Attend(x, y Matrix, score Score, allowed Mask) (out, weights Matrix) {
	return Attend(x.Times(h.Query), y.Times(h.Key), y.Times(h.Value), score, allowed)
}

// MultiHead is multi-head attention: the concatenated results of several heads and a linear map,
//
//	MHSA(x) = [SA_1(x) … SA_H(x)]·W_out + b_out        Cordonnier et al. 2020, eq. 4
type MultiHead struct {
	Heads []Head
	Out   Matrix    // W_out (H·D_h, out)
	Bias  []float64 // b_out; nil: none
	Score Score
}

// NewMultiHead draws heads of dimension dim/heads each, as in transformers.
func NewMultiHead(rng *rand.Rand, dim, heads int) MultiHead {
	headDim := dim / heads
	m := MultiHead{Score: Scaled, Out: Normal(rng, heads*headDim, dim, 1/math.Sqrt(float64(heads*headDim)))}
	for range heads {
		draw := func() Matrix { return Normal(rng, dim, headDim, 1/math.Sqrt(float64(dim))) }
		m.Heads = append(m.Heads, Head{draw(), draw(), draw()})
	}
	return m
}

// Forward is the attention of the tokens x to the tokens y. For self-attention they are the same.
func (m MultiHead) Forward(x, y Matrix, allowed Mask) Matrix {
	var results []Matrix
	for _, h := range m.Heads {
		out, _ := h.Attend(x, y, m.Score, allowed)
		results = append(results, out)
	}
	out := Concat(results...).Times(m.Out)
	for _, row := range out {
		for j := range m.Bias {
			row[j] += m.Bias[j]
		}
	}
	return out
}
