package posenc

import (
	"github.com/attnconv/attnconv/nn"
	"github.com/attnconv/attnconv/nn/op"
)

// A Mixing holds what an attention layer passes to Scores.Mix.
type Mixing struct {
	X    *nn.Node // the layer's input (batch, tokens, in), from which queries and keys are computed
	V    *nn.Node // values (batch, tokens, e), the same for all heads; if Each, (batch, tokens, heads·e)
	Each bool     // every head has its own values
	Grid Grid     // of the tokens

	// Drop returns the dropout of attention weights. perImage says that the weights depend on the image; then each
	// image has its own mask, unless the layer says otherwise. All calls draw the same mask for a weight.
	Drop func(perImage bool) op.Dropout
	// Tap names n by one of the kinds below, for readers of this layer's attention, and returns n. If it is nil, nobody
	// reads it.
	Tap func(kind string, n *nn.Node) *nn.Node
}

// tap calls Tap unless it is nil.
func (m Mixing) tap(kind string, n *nn.Node) *nn.Node {
	if m.Tap == nil {
		return n
	}
	return m.Tap(kind, n)
}

// The kinds of taps on a layer's scores, before the softmax. If a layer has several, its scores are their sum. If the
// weights are not the softmax of a sum, the layer taps the weights instead.
const (
	RowScores     = "scores along rows"    // (heads, rows, rows)
	ColScores     = "scores along columns" // (heads, cols, cols)
	PairScores    = "scores of pairs"      // (heads, tokens, tokens): the same for every image
	ContentScores = "scores of content"    // (batch, heads, tokens, tokens): from the contents of query and key
	// (batch, heads, tokens, tokens): from the query's content and the shift
	ShiftScores = "scores of shifts"

	PairWeights  = "weights of pairs"  // (heads, tokens, tokens): the same for every image
	ImageWeights = "weights by images" // (batch, heads, tokens, tokens)
)

// Taps lists the kinds of taps.
func Taps() []string {
	return []string{RowScores, ColScores, PairScores, ContentScores, ShiftScores, PairWeights, ImageWeights}
}

// Separable scores are the sum of a score along rows and a score along columns, so their softmax is a product:
//
//	A[h,(i,j),(k,l)] = Row[h,i,k] + Col[h,j,l]
type Separable struct {
	Row *nn.Node // (heads, rows, rows)
	Col *nn.Node // (heads, cols, cols)
}

// Mix implements Scores. It mixes along rows, then along columns.
func (s Separable) Mix(_ *nn.Graph, m Mixing) *nn.Node {
	row, col := op.Softmax(m.tap(RowScores, s.Row)), op.Softmax(m.tap(ColScores, s.Col))
	return op.MixSeparable(m.V, row, col, m.Each, m.Drop(false))
}

// Full scores are one map, which all images of the batch share.
type Full struct {
	A *nn.Node // (heads, tokens, tokens)
}

// Mix implements Scores.
func (s Full) Mix(_ *nn.Graph, m Mixing) *nn.Node {
	return op.MixHeads(m.V, op.Softmax(m.tap(PairScores, s.A)), m.Each, m.Drop(false))
}
