package posenc

import (
	"github.com/attnconv/attnconv/nn"
	"github.com/attnconv/attnconv/nn/op"
)

// Content scores depend on the image. Each head maps the query and the key to vectors of d channels:
//
//	A[h,q,k] = Scale·(KeyQuery(x_q)_h·(Key·x_k)_h + ShiftQuery(x_q)_h·(Row[δ1] + Col[δ2])) + Shift[h,δ],  δ = k - q
//
// A factor of each head may multiply the sum. Without Key and Row the scores depend only on the shift.
type Content struct {
	Heads      int
	Grid       Grid
	Window     op.Window // the keys that a query sees
	Scale      float32
	KeyQuery   QueryMap // the query for keys, W_q·x + u in Transformer-XL; zero if there is no such term
	Key        *nn.Node // W_k (heads·d, in)
	ShiftQuery QueryMap // the query for shifts, W_q·x + v in Transformer-XL; zero if there is no such term
	Row, Col   Shifts
	Shift      *nn.Node // (heads, shifts within the reach of the window); nil: there is no such term
	Factor     *nn.Node // (heads); nil: 1
}

// A QueryMap is an affine map of the query, W·x + B. W or B may be nil.
type QueryMap struct {
	W *nn.Node // (heads·d, in)
	B *nn.Node // (heads·d)
}

// Shifts holds a vector of p channels for each shift along one axis. It is multiplied with p channels of the query,
// from channel First on.
type Shifts struct {
	Table *nn.Node // r (2·max-1, p); or (2·max-1, heads·d), separate for each head
	First int
}

// Mix implements Scores. It works in tiles, which the backward pass computes again.
func (c Content) Mix(g *nn.Graph, m Mixing) *nn.Node {
	t := c.Of(m.X)
	heads := op.Heads{Count: c.Heads, Rows: c.Grid.Rows, Cols: c.Grid.Cols, Window: c.Window}
	byImage := t.Query != nil || t.Row != nil
	switch {
	case m.Tap == nil:
	case !byImage:
		all := weights(g, c, m, c.Heads, 1)
		m.Tap(PairWeights, op.Reshape(all, all.Shape()[1:]...))
	case t.Shift != nil || !c.Window.All():
		m.Tap(ImageWeights, weights(g, c, m, c.Heads, m.X.Shape()[0]))
	default:
		if t.Query != nil {
			m.Tap(ContentScores, op.ContentScores(t, heads))
		}
		if t.Row != nil {
			m.Tap(ShiftScores, op.ShiftPairScores(t, heads))
		}
	}
	t.Each = m.Each
	return op.MixContent(t, m.V, heads, m.Drop(byImage))
}

// weights returns the attention weights of s for the tokens of m, (images, heads, tokens, tokens), without dropout.
func weights(g *nn.Graph, s Scores, m Mixing, heads, images int) *nn.Node {
	m.V, m.Each, m.Tap = op.Identity(m.X, images), false, nil
	m.Drop = func(bool) op.Dropout { return op.Dropout{} }
	return op.HeadsFirst(s.Mix(g, m), heads)
}

// Of returns the terms of the scores for the tokens x (batch, tokens, in).
func (c Content) Of(x *nn.Node) op.Terms {
	t := op.Terms{Scale: 1}
	if c.Key != nil {
		t.Query, t.Key, t.Scale = c.times(c.KeyQuery.of(x)), op.MatMul(x, c.Key), c.Scale
	}
	if c.Row.Table != nil {
		q, rows, cols := c.ShiftQuery.of(x), c.Window.Reach(c.Grid.Rows), c.Window.Reach(c.Grid.Cols)
		t.Row = c.times(op.ShiftsOf(q, c.Row.Table, c.Heads, c.Row.First, rows+1, c.Scale))
		t.Col = c.times(op.ShiftsOf(q, c.Col.Table, c.Heads, c.Col.First, cols+1, c.Scale))
	}
	if c.Shift != nil {
		t.Shift = timesHeads(c.Shift, c.Factor)
	}
	return t
}

// times multiplies what each head has of the tokens by the head's factor.
func (c Content) times(x *nn.Node) *nn.Node {
	if c.Factor == nil {
		return x
	}
	return op.HeadScale(x, c.Factor)
}

// timesHeads multiplies x (heads, …) by a factor for each head; nil is 1.
func timesHeads(x, factor *nn.Node) *nn.Node {
	if factor == nil {
		return x
	}
	shape := x.Shape()
	return op.Reshape(op.HeadScale(op.Reshape(x, 1, shape.TotalSize()), factor), shape...)
}

// of returns W·x + B for every token.
func (o QueryMap) of(x *nn.Node) *nn.Node {
	switch {
	case o.B == nil:
		return op.MatMul(x, o.W)
	case o.W == nil:
		return op.Repeat(o.B, x.Shape()[0], x.Shape()[1])
	}
	return op.Linear(x, o.W, o.B)
}
