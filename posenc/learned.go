package posenc

import (
	"github.com/attnconv/attnconv/nn"
	"github.com/attnconv/attnconv/op"
)

// Learned gives every head a free score for each row shift and each column shift, as products of two tables of vectors
// that all heads share with vectors of the head's own.
type Learned struct {
	AlongRows, AlongCols Axis
}

// An Axis is what one axis of the grid has to learn.
type Axis struct {
	Table *nn.Param // r (2·max-1, size): a vector for each shift from -(max-1) to max-1
	Key   *nn.Param // w (heads, size): how much each head wants it
}

// NewLearned draws the tables from N(0, 1) and the heads' vectors from U(±1/√dim), as the reference does. Its names are
// crossed: what it calls row varies along the columns, and what it calls col along the rows.
func NewLearned(s nn.Scope, o Options) Encoding {
	e := &Learned{}
	e.AlongCols.Table = table(s.In("row_embeddings"), o.MaxSide, o.Dim)
	e.AlongRows.Table = table(s.In("col_embeddings"), o.MaxSide, o.Dim)
	e.AlongCols.Key = s.In("head_keys_row").Param("weight", nn.Uniform(o.Dim), o.Heads, o.Dim)
	e.AlongRows.Key = s.In("head_keys_col").Param("weight", nn.Uniform(o.Dim), o.Heads, o.Dim)
	return e
}

func table(s nn.Scope, side, size int) *nn.Param {
	return s.Param("weight", nn.Normal(0, 1), 2*side-1, size)
}

// Scores returns the sum of two one-dimensional scores, without a scale:
//
//	A[h,q,k] = w_row,h · r_row[δ1] + w_col,h · r_col[δ2],  δ = k - q = (row, column) in tokens
//
// Source: Cordonnier, Loukas, Jaggi 2020 (arXiv:1911.03584), the last term of the relative score, v·Ŵ_key·r_δ, with
// w = Ŵ_keyᵀ·v; the two axes have a table each.
func (e *Learned) Scores(g *nn.Graph, grid Grid) Scores {
	return Separable{
		Row: e.AlongRows.scores(g, grid.Rows),
		Col: e.AlongCols.scores(g, grid.Cols),
	}
}

// scores returns each head's scores along an axis of n tokens, (heads, n, n).
func (a Axis) scores(g *nn.Graph, n int) *nn.Node {
	shifts := op.MatMul(g.Use(a.Key), g.Use(a.Table)) // (heads, 2·max-1)
	return op.ShiftScores(shifts, a.Key.Shape[0], n)
}
