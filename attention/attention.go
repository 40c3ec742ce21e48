// Package attention holds multi-head self-attention over a grid of pixels, and the stack of layers that the paper
// trains.
//
// Stable: the equations, SelfAttention, Block and Stack with the names of their parameters, which checkpoints hold.
// Options of constructors may grow.
package attention

import (
	"fmt"

	"github.com/attnconv/attnconv/nn"
	"github.com/attnconv/attnconv/nn/op"
	"github.com/attnconv/attnconv/posenc"
)

// SelfAttention mixes pixels. Each head h has its own weights:
//
//	y[q] = Σ_h Σ_k softmax(A_h)[q,k] · x[k]·W_hᵀ + b
//
// x (batch, tokens, in) -> y (batch, tokens, out). W_h is the paper's W_val·W_out of head h (proof of Lemma 1). It is
// one matrix because no operation separates the two. Dropout masks single (query, key) pairs after the softmax.
//
// Softmax weights below e^-87.3 are zero. Where the scores are Separable, weights below 2⁻³² are also taken as zero.
// That is within rounding if the values of x have similar sizes, but not if a value is over 2⁸ times as large as a
// result. An infinite value of x makes all results of its image infinite or NaN.
//
// A split layer holds only W_val. Its result is each head's average of its own values, side by side, for the map W_out
// that follows:
//
//	y[q,h] = Σ_k softmax(A_h)[q,k] · (W_val·x[k] + b)_h,  x (batch, tokens, in) -> y (batch, tokens, heads·d)
type SelfAttention struct {
	Encoding posenc.Encoding // attention scores before the softmax
	Rule     posenc.Rule     // which keys a query sees, and what joins the encoding; zero: all keys, nothing
	Value    *nn.Linear      // (out, heads·in), head-major; if split, (heads·d, in)
	Masks    Masks
	split    bool
	heads    int
	grid     posenc.Grid
	rate     float64
	key      uint64
}

// Masks says how many images share a dropout mask.
type Masks int

const (
	MasksAuto     Masks = iota // as the reference did at first: one per image if the weights depend on the image
	MasksPerBatch              // one for all images of a batch
	MasksPerImage              // one for each image
)

// New returns a layer whose heads, as many as enc has, attend by the scores of enc. As in the reference, s is the scope
// of the encoding's parameters and of value.
func New(s nn.Scope, enc posenc.Encoding, grid posenc.Grid, heads, in, out int, dropout float64) *SelfAttention {
	return &SelfAttention{
		Encoding: enc, Value: nn.NewLinear(s.In("value"), heads*in, out), heads: heads, grid: grid,
		rate: dropout, key: s.Key("dropout"),
	}
}

// NewSplit returns a split layer. Each head has values of d channels.
func NewSplit(s nn.Scope, enc posenc.Encoding, grid posenc.Grid, heads, in, d int, dropout float64) *SelfAttention {
	l := New(s, enc, grid, 1, in, heads*d, dropout)
	l.split, l.heads = true, heads
	return l
}

// Forward implements nn.Layer.
func (l *SelfAttention) Forward(g *nn.Graph, x *nn.Node) *nn.Node {
	s := l.Rule.Scores(g, l.Encoding, l.grid)
	if n := headsOf(s); n != 0 && n != l.heads {
		panic(&op.Error{Err: fmt.Errorf("the layer has %d heads, its encoding %d", l.heads, n)})
	}
	if l.split {
		return l.average(g, s, x, l.Value.Forward(g, x))
	}
	return l.Value.Forward(g, l.average(g, s, x, x))
}

// headsOf returns how many heads scores have; 0 for types of scores that other programs bring.
func headsOf(s posenc.Scores) int {
	switch s := s.(type) {
	case posenc.Separable:
		return s.Row.Shape()[0]
	case posenc.Full:
		return s.A.Shape()[0]
	case posenc.Content:
		return s.Heads
	}
	return 0
}

// average returns each head's average of its values v, side by side. If v is x, all heads have the same values.
func (l *SelfAttention) average(g *nn.Graph, s posenc.Scores, x, v *nn.Node) *nn.Node {
	return s.Mix(g, posenc.Mixing{X: x, V: v, Each: v != x, Grid: l.grid,
		Drop: func(perImage bool) op.Dropout {
			drop := g.Dropout(l.rate, l.key)
			drop.PerImage = drop.Rate > 0 && (l.Masks == MasksPerImage || l.Masks == MasksAuto && perImage)
			return drop
		},
		Tap: func(kind string, n *nn.Node) *nn.Node { return l.tap(g, kind, n) },
	})
}
