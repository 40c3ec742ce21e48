package posenc

import (
	"slices"

	"github.com/attnconv/attnconv/nn"
	"github.com/attnconv/attnconv/nn/op"
)

// The terms of the relative score. Each is a product of two factors. The first is the query's or the head's own vector
// (u, v); the second is the key's content or the vector of the shift.
const (
	QueryKey   = "qk" // (W_q·x_q)·(W_k·x_k)
	QueryShift = "qr" // (W_q·x_q)·(Ŵ_k·r_δ)
	OwnKey     = "uk" // u·(W_k·x_k)
	OwnShift   = "vr" // v·(Ŵ_k·r_δ)
)

// TermNames lists the terms of the relative score.
func TermNames() []string { return []string{QueryKey, QueryShift, OwnKey, OwnShift} }

// Relative is the relative score with its four terms, or some of them. Parameters that no term needs are nil.
type Relative struct {
	Query, Key         *nn.Param // W_q, W_k (heads·d, dim)
	RowTable, ColTable *nn.Param // r (2·max-1, dim/2) and (2·max-1, dim - dim/2)
	RowMap, ColMap     *nn.Param // Ŵ_k, in two parts: (heads·d, dim/2) and (heads·d, dim - dim/2)
	KeyBias, ShiftBias *nn.Param // u, v (heads·d)
	o                  Options
}

// newRelative draws the tables from N(0, 1), the maps from U(±1/√inputs) and u, v from U(±1/√d).
func newRelative(s nn.Scope, o Options) Encoding {
	e, wide := &Relative{o: o}, o.Heads*o.HeadDim
	has := func(terms ...string) bool { return slices.ContainsFunc(terms, o.has) }
	matrix := func(name string, out, in int) *nn.Param { return s.In(name).Param("weight", nn.Uniform(in), out, in) }
	if has(QueryShift, OwnShift) {
		first, second := o.Dim/2, o.Dim-o.Dim/2
		e.RowTable = table(s.In("row_embeddings"), o.MaxSide, first)
		e.ColTable = table(s.In("col_embeddings"), o.MaxSide, second)
		e.RowMap, e.ColMap = matrix("row_key", wide, first), matrix("col_key", wide, second)
	}
	if has(QueryKey, QueryShift) {
		e.Query = matrix("query", wide, o.Dim)
	}
	if has(QueryKey, OwnKey) {
		e.Key = matrix("key", wide, o.Dim)
	}
	if has(OwnKey) {
		e.KeyBias = s.Param("key_bias", nn.Uniform(o.HeadDim), wide)
	}
	if has(OwnShift) {
		e.ShiftBias = s.Param("shift_bias", nn.Uniform(o.HeadDim), wide)
	}
	return e
}

// has reports whether term is part of the score.
func (o Options) has(term string) bool { return slices.Contains(o.Terms, term) }

// Scores returns the sum of the terms, scaled:
//
//	A[h,q,k] = ((W_q·x_q)·(W_k·x_k) + (W_q·x_q)·(Ŵ_k·r_δ) + u·(W_k·x_k) + v·(Ŵ_k·r_δ))_h / √d
//
// with r_δ = [r_row[δ1], r_col[δ2]], δ = k - q. With only the last term, the score depends only on positions. Source:
// Cordonnier, Loukas, Jaggi 2020 (arXiv:1911.03584), eq. 8; Dai et al. 2019 (Transformer-XL).
func (e *Relative) Scores(g *nn.Graph, grid Grid) Scores {
	c := e.terms(g, grid)
	if c.Key == nil && c.ShiftQuery.W == nil {
		return Separable{Row: c.scoresOf(c.Row, grid.Rows), Col: c.scoresOf(c.Col, grid.Cols)}
	}
	return c
}

// terms returns the terms that the score has.
func (e *Relative) terms(g *nn.Graph, grid Grid) Content {
	use := func(p *nn.Param, has bool) *nn.Node {
		if !has {
			return nil
		}
		return g.Use(p)
	}
	c := Content{Heads: e.o.Heads, Grid: grid, Scale: e.o.scale()}
	if e.Key != nil {
		c.Key = g.Use(e.Key)
		c.KeyQuery = QueryMap{use(e.Query, e.o.has(QueryKey)), use(e.KeyBias, e.o.has(OwnKey))}
	}
	if e.RowTable != nil {
		c.ShiftQuery = QueryMap{use(e.Query, e.o.has(QueryShift)), use(e.ShiftBias, e.o.has(OwnShift))}
		c.Row.Table = op.MatMul(g.Use(e.RowTable), g.Use(e.RowMap)) // (2·max-1, heads·d)
		c.Col.Table = op.MatMul(g.Use(e.ColTable), g.Use(e.ColMap))
	}
	return c
}

// ShiftScores implements Shared, for scores of the term vr alone.
func (e *Relative) ShiftScores(g *nn.Graph, rows, cols int, _ float64) *nn.Node {
	c := e.terms(g, Grid{})
	if c.Key != nil || c.ShiftQuery.W != nil {
		return nil
	}
	return op.AxisShifts(c.shiftsOf(c.Row, rows+1), c.shiftsOf(c.Col, cols+1), c.Heads, rows, cols)
}

// scoresOf returns the scores along an axis of n tokens if they are the same for all queries, (heads, n, n).
func (c Content) scoresOf(s Shifts, n int) *nn.Node {
	return op.ShiftScores(c.shiftsOf(s, n), c.Heads, n)
}

// shiftsOf returns these scores of the shifts within n tokens, as heads·(2n-1) elements.
func (c Content) shiftsOf(s Shifts, n int) *nn.Node {
	return op.FoldTable(c.ShiftQuery.B, s.Table, c.Heads, s.First, n, c.Scale)
}
