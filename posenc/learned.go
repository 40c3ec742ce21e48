package posenc

import (
	"github.com/attnconv/attnconv/nn"
	"github.com/attnconv/attnconv/nn/op"
)

// Learned gives every head a free score for each row shift and each column shift. A score is the product of a vector
// from a table, which all heads share, with the head's own vector.
type Learned struct {
	AlongRows, AlongCols Axis
}

// An Axis holds the parameters of one axis of the grid.
type Axis struct {
	Table *nn.Param // r (2·max-1, size): a vector for each shift from -(max-1) to max-1
	Key   *nn.Param // w (heads, size): each head's vector
}

// NewLearned draws the tables from N(0, 1) and the heads' vectors from U(±1/√dim), as the reference does. The
// reference's parameter names are crossed: what it calls row varies along the columns, and what it calls col along the
// rows.
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
// Source: Cordonnier, Loukas, Jaggi 2020 (arXiv:1911.03584), the last term of the relative score, v·Ŵ_key·r_δ, with w =
// Ŵ_keyᵀ·v and a separate table for each axis.
func (e *Learned) Scores(g *nn.Graph, grid Grid) Scores {
	return Separable{
		Row: e.AlongRows.scores(g, grid.Rows),
		Col: e.AlongCols.scores(g, grid.Cols),
	}
}

// ShiftScores implements Shared.
func (e *Learned) ShiftScores(g *nn.Graph, rows, cols int, _ float64) *nn.Node {
	return op.AxisShifts(e.AlongRows.shifts(g), e.AlongCols.shifts(g), e.AlongRows.Key.Shape[0], rows, cols)
}

// scores returns each head's scores along an axis of n tokens, (heads, n, n).
func (a Axis) scores(g *nn.Graph, n int) *nn.Node {
	return op.ShiftScores(a.shifts(g), a.Key.Shape[0], n)
}

// shifts returns each head's scores of shifts along the axis, (heads, 2·max-1).
func (a Axis) shifts(g *nn.Graph) *nn.Node { return op.MatMul(g.Use(a.Key), g.Use(a.Table)) }
