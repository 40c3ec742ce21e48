package posenc

import (
	"github.com/attnconv/attnconv/nn"
	"github.com/attnconv/attnconv/op"
)

// A Mixing is what a layer of attention gives its scores to mix.
type Mixing struct {
	X    *nn.Node // the layer's input (batch, tokens, in), which queries and keys are made of
	V    *nn.Node // values (batch, tokens, e), the same for all heads; if Each, (batch, tokens, heads·e)
	Each bool     // every head has values of its own
	Grid Grid     // of the tokens

	// Drop returns the layer's dropout of weights: perImage says that they depend on the image, so that each has a mask of
	// its own unless the layer says otherwise. All that it returns draw the same mask for a weight.
	Drop func(perImage bool) op.Dropout
	// Tap names n, and returns it, for whoever looks at the attention of this layer: one of the kinds below.
	Tap func(kind string, n *nn.Node) *nn.Node
}

// The kinds of taps on a layer's scores, before the softmax. Where it has several, the scores are their sum. Scores whose
// weights are not the softmax of a sum tap the weights instead.
const (
	RowScores     = "scores along rows"    // (heads, rows, rows)
	ColScores     = "scores along columns" // (heads, cols, cols)
	PairScores    = "scores of pairs"      // (heads, tokens, tokens): whatever the image
	ContentScores = "scores of content"    // (batch, heads, tokens, tokens): what keys show
	ShiftScores   = "scores of shifts"     // (batch, heads, tokens, tokens): where keys stand, as the query's content wants it

	PairWeights  = "weights of pairs"  // (heads, tokens, tokens): whatever the image
	ImageWeights = "weights by images" // (batch, heads, tokens, tokens)
)

// Taps lists the kinds of taps.
func Taps() []string {
	return []string{RowScores, ColScores, PairScores, ContentScores, ShiftScores, PairWeights, ImageWeights}
}

// Separable scores are a sum of one along rows and one along columns, A[h,(i,j),(k,l)] = Row[h,i,k] + Col[h,j,l], so
// their softmax is a product.
type Separable struct {
	Row *nn.Node // (heads, rows, rows)
	Col *nn.Node // (heads, cols, cols)
}

// Mix implements Scores: rows, then columns.
func (s Separable) Mix(_ *nn.Graph, m Mixing) *nn.Node {
	row, col := op.Softmax(m.Tap(RowScores, s.Row)), op.Softmax(m.Tap(ColScores, s.Col))
	return op.MixSeparable(m.V, row, col, m.Each, m.Drop(false))
}

// Full scores are one map shared by the batch.
type Full struct {
	A *nn.Node // (heads, tokens, tokens)
}

// Mix implements Scores: by that map.
func (s Full) Mix(_ *nn.Graph, m Mixing) *nn.Node {
	return op.MixHeads(m.V, op.Softmax(m.Tap(PairScores, s.A)), m.Each, m.Drop(false))
}
