package posenc

import (
	"math"

	"github.com/attnconv/attnconv/nn"
)

// ContentAndShift scores the content of a query against the content of a key and against a learned vector for the shift
// between them, in every head.
type ContentAndShift struct {
	RowTable, ColTable *nn.Param  // r (2·max-1, d/2) and (2·max-1, d - d/2): a vector for each shift along an axis
	Query, Key         *nn.Linear // (heads·d, dim)
	o                  Options
}

// newContent draws the tables from N(0, 1) and the maps from U(±1/√dim), as the reference does. Unlike in Learned, the
// names say what they mean: row_embeddings belong to shifts along the rows, and meet the first half of a query.
func newContent(s nn.Scope, o Options) Encoding {
	e := &ContentAndShift{o: o}
	e.RowTable = table(s.In("row_embeddings"), o.MaxSide, o.HeadDim/2)
	e.ColTable = table(s.In("col_embeddings"), o.MaxSide, o.HeadDim-o.HeadDim/2)
	e.Query = nn.NewLinear(s.In("query"), o.Dim, o.Heads*o.HeadDim)
	e.Key = nn.NewLinear(s.In("key"), o.Dim, o.Heads*o.HeadDim)
	return e
}

// Scores returns the sum of a query-key term and a query-shift term, both scaled:
//
//	A[h,q,k] = (W_q·x_q + b_q)_h · ((W_k·x_k + b_k)_h + [r_row[δ1], r_col[δ2]]) / √d,  δ = k - q
//
// b_k adds the same to the scores of all keys of a query, so the softmax cancels it. Scores omits it, and training
// never changes it. Source: Cordonnier, Loukas, Jaggi 2020 (arXiv:1911.03584), the first two terms of the relative
// score, as in the reference's runs with content; Ramachandran et al. 2019.
func (e *ContentAndShift) Scores(g *nn.Graph, grid Grid) Scores {
	query := QueryMap{g.Use(e.Query.W), use(g, e.Query.B)}
	return Content{
		Heads: e.o.Heads, Grid: grid, Scale: e.o.scale(),
		KeyQuery: query, Key: g.Use(e.Key.W),
		ShiftQuery: query, Row: Shifts{g.Use(e.RowTable), 0}, Col: Shifts{g.Use(e.ColTable), e.RowTable.Shape[1]},
	}
}

// scale returns 1/√d, the factor of a product of two vectors of d = HeadDim channels.
func (o Options) scale() float32 { return float32(1 / math.Sqrt(float64(o.HeadDim))) }
