package posenc

import (
	"github.com/attnconv/attnconv/nn"
	"github.com/attnconv/attnconv/op"
)

// Content scores depend on the image. Each head maps the query and the key to vectors of d channels:
//
//	A[h,q,k] = Scale·(ToKeys(x_q)_h·(Key·x_k)_h + ToShifts(x_q)_h·(Row[δ1] + Col[δ2])),  δ = k - q
type Content struct {
	Heads    int
	Grid     Grid
	Scale    float32
	ToKeys   Offer    // what a query offers the keys; the zero Offer where there is no such term
	Key      *nn.Node // W_k (heads·d, in)
	ToShifts Offer    // what it offers the shifts; the zero Offer where there is no such term
	Row, Col Shifts
}

// An Offer is an affine map of the query, W·x + B. Either may be nil.
type Offer struct {
	W *nn.Node // (heads·d, in)
	B *nn.Node // (heads·d)
}

// Shifts are a vector for each shift along one axis, of p channels, which are multiplied with those of the query from First on.
type Shifts struct {
	Table *nn.Node // r (2·max-1, p), or (2·max-1, heads·d): each head's own
	First int
}

// Mix implements Scores: in tiles, recomputed in backward.
func (c Content) Mix(_ *nn.Graph, m Mixing) *nn.Node {
	t, heads := c.Of(m.X), op.Heads{Count: c.Heads, Rows: c.Grid.Rows, Cols: c.Grid.Cols}
	if t.Query != nil {
		m.Tap(ContentScores, op.ContentScores(t, heads))
	}
	if t.Row != nil {
		m.Tap(ShiftScores, op.ShiftPairScores(t, heads))
	}
	t.Each = m.Each
	return op.MixContent(t, m.V, heads, m.Drop(true))
}

// Of returns the terms of the scores of x.  x (batch, tokens, in)
func (c Content) Of(x *nn.Node) op.Terms {
	t := op.Terms{Scale: 1}
	if c.Key != nil {
		t.Query, t.Key, t.Scale = c.ToKeys.of(x), op.MatMul(x, c.Key), c.Scale
	}
	if c.Row.Table != nil {
		q := c.ToShifts.of(x)
		t.Row = op.ShiftsOf(q, c.Row.Table, c.Heads, c.Row.First, c.Grid.Rows, c.Scale)
		t.Col = op.ShiftsOf(q, c.Col.Table, c.Heads, c.Col.First, c.Grid.Cols, c.Scale)
	}
	return t
}

// of returns W·x + B for every token.
func (o Offer) of(x *nn.Node) *nn.Node {
	switch {
	case o.B == nil:
		return op.MatMul(x, o.W)
	case o.W == nil:
		return op.Repeat(o.B, x.Shape()[0], x.Shape()[1])
	}
	return op.Linear(x, o.W, o.B)
}
