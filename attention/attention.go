// Package attention is multi-head self-attention over a grid of pixels, and the stack that the paper trains.
//
// Stable: the equations, SelfAttention, Block and Stack with the names of their parameters, which checkpoints hold.
// Options of constructors may grow.
package attention

import (
	"github.com/attnconv/attnconv/nn"
	"github.com/attnconv/attnconv/op"
	"github.com/attnconv/attnconv/posenc"
)

// SelfAttention mixes pixels, each head by its own weights:
//
//	y[q] = Σ_h Σ_k softmax(A_h)[q,k] · x[k]·W_hᵀ + b
//
// x (batch, tokens, in) -> y (batch, tokens, out). W_h is the paper's W_val·W_out of head h (proof of Lemma 1), one
// matrix here because nothing stands between the two. Dropout masks single (query, key) pairs after the softmax.
//
// Softmax weights below e^-87.3 are zero, and those below 2⁻³² are taken for zero where the scores are Separable: within
// rounding for values of x of like size, not where one is over 2⁸ times as large as a result. An infinite value of x makes
// all results of its image infinite or NaN.
//
// Split, the layer holds W_val alone and its result is what each head averages of its own values, side by side, for the
// map behind it, W_out:
//
//	y[q,h] = Σ_k softmax(A_h)[q,k] · (W_val·x[k] + b)_h,  x (batch, tokens, in) -> y (batch, tokens, heads·d)
type SelfAttention struct {
	Encoding posenc.Encoding // how much a query wants a key
	Value    *nn.Linear      // (out, heads·in), head-major; split, (heads·d, in)
	Masks    Masks
	split    bool
	grid     posenc.Grid
	rate     float64
	key      uint64
}

// Masks says how many images share a mask of dropout.
type Masks int

const (
	MasksAuto     Masks = iota // as the reference did at first: one for each image where the weights depend on it
	MasksPerBatch              // one for all images of a batch
	MasksPerImage              // one for each
)

// New returns a layer whose heads attend as enc says. The reference keeps the encoding's parameters and value in one
// scope.
func New(s nn.Scope, enc posenc.Encoding, grid posenc.Grid, heads, in, out int, dropout float64) *SelfAttention {
	return &SelfAttention{
		Encoding: enc, Value: nn.NewLinear(s.In("value"), heads*in, out), grid: grid, rate: dropout, key: s.Key("dropout"),
	}
}

// NewSplit returns a split layer with values of d channels for each head.
func NewSplit(s nn.Scope, enc posenc.Encoding, grid posenc.Grid, heads, in, d int, dropout float64) *SelfAttention {
	l := New(s, enc, grid, 1, in, heads*d, dropout)
	l.split = true
	return l
}

// Forward adds the layer to g.
func (l *SelfAttention) Forward(g *nn.Graph, x *nn.Node) *nn.Node {
	s := l.Encoding.Scores(g, l.grid)
	if l.split {
		return l.average(g, s, x, l.Value.Forward(g, x))
	}
	return l.Value.Forward(g, l.average(g, s, x, x))
}

// average returns what each head averages of its values v, side by side. v may be x: the same for all heads.
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
