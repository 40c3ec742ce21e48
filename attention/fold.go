package attention

import (
	"github.com/attnconv/attnconv/internal/op"
	"github.com/attnconv/attnconv/nn"
)

// Between returns after(l(before(x))), for linear maps with nothing but l between: they are folded into l's own W and
// b where that takes fewer multiplications. Equal to the maps one by one up to rounding. before may be nil.
//
// x (batch, tokens, n) -> y (batch, tokens, out of after)
func (l *SelfAttention) Between(g *nn.Graph, before *nn.Linear, x *nn.Node, after *nn.Linear) *nn.Node {
	w, b := g.Use(l.Value.W), g.Use(l.Value.B)
	folded := l.foldsAfter(g, x)
	if folded {
		dense, bias := g.Use(after.W), g.Use(after.B)
		w, b = op.Product(dense, w), op.Linear(b, dense, bias)
	}
	if before != nil && thin(before) { // fewer columns to mix and to multiply
		w, x = op.FoldInput(w, g.Use(before.W), g.Use(before.B)), op.WithOne(x)
	} else if before != nil {
		x = before.Forward(g, x)
	}
	y := l.mix(g, x, w, b)
	if !folded {
		y = after.Forward(g, y)
	}
	return y
}

// foldsAfter reports whether the map behind the layer costs more for every token of the batch than once for every
// column of W. A graph that does not train folds but once for all its runs.
func (l *SelfAttention) foldsAfter(g *nn.Graph, x *nn.Node) bool {
	tokens, columns := x.Shape()[0]*x.Shape()[1], l.Value.W.Shape[1]
	return !g.Train || tokens > columns
}

// thin reports whether a map takes so few numbers that they are better mixed than what it makes of them.
func thin(before *nn.Linear) bool { return 2*before.W.Shape[1] < before.W.Shape[0] }
