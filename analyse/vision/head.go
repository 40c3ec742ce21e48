package vision

import (
	"math"

	"github.com/attnconv/attnconv/internal/kernel/vec"
)

// A pooling makes the classes of the tokens behind the last block, or the feature that a classifier would read.
type pooling struct {
	token  bool     // the first token; else the mean of the grid
	both   bool     // the first token, then the mean of the grid
	weight *linear  // the tokens are averaged by the softmax of this map, as CCT does; nil: they are not
	norm   *norm    // of the mean; nil: none
	hidden *linear  // in front of head, with tanh; nil: none
	heads  []linear // of the first tokens, of which the mean is taken; empty: there is no classifier
}

// classify returns the logits of tokens or, without a classifier, the feature.
func (n *Network) classify(x []float32) []float32 {
	last := n.blocks[len(n.blocks)-1]
	d := last.attention.channels
	x = n.norm.apply(x)
	grid := x[last.others*d:]
	p := n.pooled
	var feature []float32
	switch {
	case p.both:
		feature = append(append(feature, x[:d]...), meanRow(grid, d, nil)...)
	case p.weight != nil:
		w := p.weight.apply(x)
		vec.SoftmaxRows(w, w, len(w))
		feature = meanRow(x, d, w)
	case p.token:
		feature = x[:d]
	default:
		feature = p.norm.apply(meanRow(grid, d, nil))
	}
	if p.hidden != nil {
		feature = p.hidden.apply(feature)
		for i, v := range feature {
			feature[i] = float32(math.Tanh(float64(v)))
		}
	}
	if len(p.heads) == 0 {
		return feature
	}
	logits := p.heads[0].apply(feature)
	if len(p.heads) == 2 { // DeiT's, of the class and of the distillation token
		for i, v := range p.heads[1].apply(x[d : 2*d]) {
			logits[i] = (logits[i] + v) / 2
		}
	}
	return logits
}

// meanRow is the mean of rows of n numbers, weighted if there are weights that add up to 1.
func meanRow(x []float32, n int, weights []float32) []float32 {
	sum, rows := make([]float64, n), len(x)/n
	for i, v := range x {
		w := 1 / float64(rows)
		if weights != nil {
			w = float64(weights[i/n])
		}
		sum[i%n] += w * float64(v)
	}
	mean := make([]float32, n)
	for i, v := range sum {
		mean[i] = float32(v)
	}
	return mean
}
