// Package attention is multi-head self-attention over a grid of pixels, and the stack that the paper trains.
package attention

import (
	"fmt"

	"github.com/attnconv/attnconv/internal/op"
	"github.com/attnconv/attnconv/nn"
	"github.com/attnconv/attnconv/posenc"
)

// SelfAttention mixes pixels, each head by its own weights:
//
//	y[q] = Σ_h Σ_k softmax(A_h)[q,k] · x[k]·W_hᵀ + b
//
// x (batch, tokens, in) -> y (batch, tokens, out). W_h is the paper's W_val·W_out of head h (proof of Lemma 1), one
// matrix here because nothing stands between the two. Dropout masks single (query, key) pairs after the softmax.
type SelfAttention struct {
	Encoding posenc.Encoding // how much a query wants a key
	Value    *nn.Linear      // (out, heads·in), head-major
	grid     posenc.Grid
	rate     float64
	key      uint64
}

// New returns a layer whose heads look as enc says. The reference keeps the encoding's parameters and value in one
// scope.
func New(s nn.Scope, enc posenc.Encoding, grid posenc.Grid, heads, in, out int, dropout float64) *SelfAttention {
	return &SelfAttention{
		Encoding: enc, Value: nn.NewLinear(s.In("value"), heads*in, out),
		grid: grid, rate: dropout, key: s.Key("dropout"),
	}
}

// Forward adds the layer to g.
func (l *SelfAttention) Forward(g *nn.Graph, x *nn.Node) *nn.Node {
	return l.mix(g, nil, x, g.Use(l.Value.W), g.Use(l.Value.B))
}

// mix is the layer with w for W and b for b. If before is not nil, x is [pixels 1 0] and stands for before(pixels); w is
// a map of x.
func (l *SelfAttention) mix(g *nn.Graph, before *nn.Linear, x, w, b *nn.Node) *nn.Node {
	drop := g.Dropout(l.rate, l.key)
	switch s := l.Encoding.Scores(g, l.grid).(type) {
	case posenc.Separable:
		return op.MixSeparable(x, op.Softmax(s.Row), op.Softmax(s.Col), w, b, drop)
	case posenc.Full:
		return op.MixFull(x, op.Softmax(s.A), w, b, drop)
	case posenc.Content:
		if before != nil {
			s = s.Behind(g.Use(before.W), g.Use(before.B))
		}
		drop.PerPicture = true
		heads := op.Heads{Count: s.Heads, Rows: l.grid.Rows, Cols: l.grid.Cols}
		return op.Linear(op.MixContent(s.Of(x), x, heads, drop), w, b)
	default:
		panic(fmt.Sprintf("attention: no operation for scores of type %T", s))
	}
}
