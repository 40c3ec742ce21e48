package posenc

import (
	"github.com/attnconv/attnconv/internal/op"
	"github.com/attnconv/attnconv/nn"
)

// Content scores depend on the image. Each head makes vectors of d numbers of the query and of the key:
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

func (Content) scores() {}

// An Offer is an affine map of the query, W·x + B. Either may be nil.
type Offer struct {
	W *nn.Node // (heads·d, in)
	B *nn.Node // (heads·d)
}

// Shifts are a vector for each shift along one axis, of p numbers that meet those of the query from First on.
type Shifts struct {
	Table *nn.Node // r (2·max-1, p), or (2·max-1, heads·d): each head's own
	First int
}

// Behind returns the scores of tokens U·x + u as scores of [x 1 0], as op.WithOne makes it.
func (c Content) Behind(u, bias *nn.Node) Content {
	folded := map[*nn.Node]*nn.Node{nil: nil}
	fold := func(w *nn.Node) *nn.Node {
		if _, done := folded[w]; !done {
			folded[w] = op.FoldInput(w, u, bias)
		}
		return folded[w]
	}
	c.ToKeys.W, c.ToShifts.W, c.Key = fold(c.ToKeys.W), fold(c.ToShifts.W), fold(c.Key)
	return c
}

// Of returns the terms of the scores of x.  x (batch, tokens, in)
//
// Where heads are wide, the two maps of a query and a key are folded into one of the query, M_h = Scale·W_k,hᵀ·W_q,h:
// A = (M_h·x_q)·x_k. Then x itself is the key of all heads. The vectors of the shifts are folded into the query's map in
// any case: a head has few shifts along an axis.
func (c Content) Of(x *nn.Node) op.Terms {
	t := op.Terms{Scale: 1}
	in, tokens := x.Shape()[2], x.Shape()[1]
	if c.Key != nil && foldsKey(in, c.Key.Shape()[0]/c.Heads, tokens) {
		t.Key = x
		t.Query = c.ToKeys.of(x, func(w *nn.Node) *nn.Node { return op.FoldKey(w, c.Key, c.Heads, c.Scale) })
	} else if c.Key != nil {
		t.Key, t.Scale = op.MatMul(x, c.Key), c.Scale
		t.Query = c.ToKeys.of(x, func(w *nn.Node) *nn.Node { return w })
	}
	shifts := func(s Shifts, n int) *nn.Node {
		return c.ToShifts.of(x, func(w *nn.Node) *nn.Node {
			return op.FoldTable(w, s.Table, c.Heads, s.First, n, c.Scale)
		})
	}
	if c.Row.Table != nil {
		t.Row, t.Col = shifts(c.Row, c.Grid.Rows), shifts(c.Col, c.Grid.Cols)
	}
	return t
}

// of returns fold(W)·x + fold(B) for every token.
func (o Offer) of(x *nn.Node, fold func(w *nn.Node) *nn.Node) *nn.Node {
	switch {
	case o.B == nil:
		return op.MatMul(x, fold(o.W))
	case o.W == nil:
		return op.Repeat(fold(o.B), x.Shape()[0], x.Shape()[1])
	}
	return op.Linear(x, fold(o.W), fold(o.B))
}

// foldsKey reports whether a head needs fewer multiplications for a token with one map of in × in channels than with
// two of in × d, scores included.
func foldsKey(in, d, tokens int) bool { return in*(in+tokens) <= d*(2*in+tokens) }

// MACs counts the multiply-adds of one image's scores, as Of computes them, where tokens have in channels. The products
// of maps, once for a batch, are left out.
func (c Content) MACs(in int) int {
	tokens, width, n := c.Grid.Rows*c.Grid.Cols, in, 0
	if c.Key != nil {
		if d := c.Key.Shape()[0] / c.Heads; !foldsKey(in, d, tokens) {
			width, n = d, in*d
		}
		n += tokens * width
		if c.ToKeys.W != nil {
			n += in * width
		}
	}
	if c.Row.Table != nil {
		n += tokens * (c.Grid.Rows + c.Grid.Cols)
		if c.ToShifts.W != nil {
			n += in * 2 * (c.Grid.Rows + c.Grid.Cols - 1)
		}
	}
	return tokens * c.Heads * n
}

// ByDefinition counts them term by term, and what of it is in the maps of query and key.
func (c Content) ByDefinition() (all, maps int) {
	tokens := c.Grid.Rows * c.Grid.Cols
	if query := c.ToKeys.W; query != nil || c.ToShifts.W != nil { // one map for both
		if query == nil {
			query = c.ToShifts.W
		}
		maps += tokens * query.Shape().TotalSize()
	}
	if c.Key != nil {
		wide := c.Key.Shape()[0] // heads·d
		maps += tokens * c.Key.Shape().TotalSize()
		if c.ToKeys.W != nil {
			all += tokens * tokens * wide
		} else {
			all += tokens * wide
		}
	}
	if c.ToShifts.W != nil {
		wide := c.ToShifts.W.Shape()[0]
		all += tokens * (c.Grid.Rows*c.Row.width(c.Heads, wide) + c.Grid.Cols*c.Col.width(c.Heads, wide))
	}
	return all + maps, maps
}

// width is how many numbers of the query all heads together multiply with a vector of the table.
func (s Shifts) width(heads, wide int) int {
	if n := s.Table.Shape()[1]; n != wide {
		return heads * n
	}
	return wide
}
