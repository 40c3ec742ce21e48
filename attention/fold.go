package attention

import (
	"github.com/attnconv/attnconv/internal/op"
	"github.com/attnconv/attnconv/nn"
	"github.com/attnconv/attnconv/posenc"
)

// Between returns after(l(before(x))), for linear maps with nothing but l between: they are folded into l's own W and
// b where that takes fewer multiplications. Equal to the maps one by one up to rounding. before may be nil.
//
// x (batch, tokens, n) -> y (batch, tokens, out of after)
func (l *SelfAttention) Between(g *nn.Graph, before *nn.Linear, x *nn.Node, after *nn.Linear) *nn.Node {
	s, x, fold := l.behind(g, before, x)
	w, b := g.Use(l.Value.W), g.Use(l.Value.B)
	switch {
	case l.split:
		return after.Forward(g, l.average(g, s, x, op.Linear(x, fold(w), b)))
	case !l.foldsAfter(g, x):
		return after.Forward(g, l.mix(g, s, x, fold(w), b))
	}
	dense, bias := g.Use(after.W), g.Use(after.B)
	return l.mix(g, s, x, fold(op.Product(dense, w)), op.Linear(b, dense, bias))
}

// behind returns the scores, the tokens and the maps of tokens of a layer behind the map before: those of before(x), or,
// where before widens, those of [x 1 0], as op.WithOne makes it. Then there are fewer columns to mix and to multiply.
func (l *SelfAttention) behind(g *nn.Graph, before *nn.Linear, x *nn.Node) (
	s posenc.Scores, tokens *nn.Node, fold func(w *nn.Node) *nn.Node,
) {
	s, fold = l.Encoding.Scores(g, l.grid), func(w *nn.Node) *nn.Node { return w }
	switch {
	case before == nil:
		return s, x, fold
	case !thin(before):
		return s, before.Forward(g, x), fold
	}
	u, bias := g.Use(before.W), g.Use(before.B)
	if c, ok := s.(posenc.Content); ok {
		s = c.Behind(u, bias)
	}
	return s, op.WithOne(x), func(w *nn.Node) *nn.Node { return op.FoldInput(w, u, bias) }
}

// foldsAfter reports whether the map behind the layer costs more for every token of the batch than once for every
// column of W. A graph that does not train folds but once for all its runs.
func (l *SelfAttention) foldsAfter(g *nn.Graph, x *nn.Node) bool {
	tokens, columns := x.Shape()[0]*x.Shape()[1], l.Value.W.Shape[1]
	return !g.Train || tokens > columns
}

// thin reports whether a map takes so few numbers that they are better mixed than what it makes of them.
func thin(before *nn.Linear) bool { return 2*before.W.Shape[1] < before.W.Shape[0] }
