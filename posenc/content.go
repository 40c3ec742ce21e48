package posenc

import (
	"math"

	"github.com/attnconv/attnconv/internal/op"
	"github.com/attnconv/attnconv/nn"
)

// ContentAndShift lets every head compare what it makes of the query's content with the key's content and with a learned
// vector for the shift between them.
type ContentAndShift struct {
	RowTable, ColTable *nn.Param  // r (2·max-1, dim/2) and (2·max-1, dim - dim/2): a vector for each shift along an axis
	Query, Key         *nn.Linear // (heads·dim, dim)
	heads, dim         int
}

// NewContent draws the tables from N(0, 1) and the maps from U(±1/√dim), as the reference does. Unlike learned's, its
// names are what they say: row_embeddings are for shifts along the rows, and meet the first half of a query.
func NewContent(s nn.Scope, o Options) Encoding {
	e := &ContentAndShift{heads: o.Heads, dim: o.Dim}
	e.RowTable = table(s.In("row_embeddings"), o.MaxSide, o.Dim/2)
	e.ColTable = table(s.In("col_embeddings"), o.MaxSide, o.Dim-o.Dim/2)
	e.Query = nn.NewLinear(s.In("query"), o.Dim, o.Heads*o.Dim)
	e.Key = nn.NewLinear(s.In("key"), o.Dim, o.Heads*o.Dim)
	return e
}

func contentParams(o Options) int {
	return (2*o.MaxSide-1)*o.Dim + 2*(o.Dim+1)*o.Heads*o.Dim
}

// contentMACs counts the maps of the query, folded as Content.Of folds them, the scores and the mixing. The maps' own
// product, once for a batch, is left out.
func contentMACs(o Options, g Grid) int {
	sides := g.Rows + g.Cols
	return g.Rows*g.Cols*o.Heads*o.Dim*(o.Dim+2*(sides-1)) + pairByPair(o, g)*(o.Dim+sides)/o.Dim + pairByPair(o, g)
}

// Scores returns the sum of a query-key and a query-shift term, both scaled:
//
//	A[h,q,k] = (W_q·x_q + b_q)_h · ((W_k·x_k + b_k)_h + [r_row[δ1], r_col[δ2]]) / √dim,  δ = k - q
//
// b_k adds the same to all keys of a query, so the softmax drops it; it is left out.
// Source: Cordonnier, Loukas, Jaggi 2020 (arXiv:1911.03584), the first two terms of the relative score, as in the
// reference's runs with content; Ramachandran et al. 2019.
func (e *ContentAndShift) Scores(g *nn.Graph, grid Grid) Scores {
	query := Offer{g.Use(e.Query.W), g.Use(e.Query.B)}
	return Content{
		Heads: e.heads, Grid: grid, Scale: float32(1 / math.Sqrt(float64(e.dim))),
		ToKeys: query, Key: g.Use(e.Key.W),
		ToShifts: query, Row: g.Use(e.RowTable), Col: g.Use(e.ColTable),
	}
}

// Content scores depend on the picture. Each head makes vectors of d numbers of the query and of the key:
//
//	A[h,q,k] = Scale·(ToKeys(x_q)_h·(Key·x_k)_h + ToShifts(x_q)_h·[Row[δ1], Col[δ2]])
type Content struct {
	Heads    int
	Grid     Grid
	Scale    float32
	ToKeys   Offer    // what a query offers the keys; the zero Offer where there is no such term
	Key      *nn.Node // W_k (heads·d, in)
	ToShifts Offer    // what it offers the shifts
	Row, Col *nn.Node // r (2·max-1, p) and (2·max-1, d-p)
}

func (Content) scores() {}

// An Offer is an affine map of the query: W·x + B.
type Offer struct {
	W *nn.Node // (heads·d, in)
	B *nn.Node // (heads·d)
}

// Behind returns the scores of tokens U·x + u as scores of [x 1 0], as op.WithOne makes it.
func (c Content) Behind(u, bias *nn.Node) Content {
	fold := func(w *nn.Node) *nn.Node { return op.FoldInput(w, u, bias) }
	same := c.ToKeys.W == c.ToShifts.W
	c.ToKeys.W, c.Key = fold(c.ToKeys.W), fold(c.Key)
	if same {
		c.ToShifts.W = c.ToKeys.W
	} else {
		c.ToShifts.W = fold(c.ToShifts.W)
	}
	return c
}

// Of returns the terms of the scores of x.  x (batch, tokens, in)
//
// Where heads are wide, the two maps of a query and a key are folded into one of the query, M_h = Scale·W_k,hᵀ·W_q,h:
// A = (M_h·x_q)·x_k. Then x itself is the key of all heads. The vectors of the shifts are folded into the query's map in
// any case: a head has few shifts along an axis.
func (c Content) Of(x *nn.Node) op.Terms {
	t := op.Terms{Scale: 1}
	in, d, tokens := x.Shape()[2], c.Key.Shape()[0]/c.Heads, x.Shape()[1]
	if in*(in+tokens) <= d*(2*in+tokens) { // multiplications for a token and head
		t.Query = op.Linear(x, op.FoldKey(c.ToKeys.W, c.Key, c.Heads, c.Scale),
			op.FoldKey(c.ToKeys.B, c.Key, c.Heads, c.Scale))
		t.Key = x
	} else {
		t.Query, t.Key, t.Scale = op.Linear(x, c.ToKeys.W, c.ToKeys.B), op.MatMul(x, c.Key), c.Scale
	}
	first := 0
	for _, a := range []struct {
		table *nn.Node
		n     int
		to    **nn.Node
	}{{c.Row, c.Grid.Rows, &t.Row}, {c.Col, c.Grid.Cols, &t.Col}} {
		*a.to = op.Linear(x, op.FoldTable(c.ToShifts.W, a.table, c.Heads, first, a.n, c.Scale),
			op.FoldTable(c.ToShifts.B, a.table, c.Heads, first, a.n, c.Scale))
		first += a.table.Shape()[1]
	}
	return t
}
