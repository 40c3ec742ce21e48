package posenc

import (
	"github.com/attnconv/attnconv/nn"
	"github.com/attnconv/attnconv/nn/op"
)

// Table gives every head a free score for each shift: Learned without the condition that a score is a sum of one along
// the rows and one along the columns.
type Table struct {
	Bias *nn.Param // (heads, (2·max-1)²): a score for each shift, row by row
}

// newTable draws the scores from N(0, 0.02²), as Swin does.
func newTable(s nn.Scope, o Options) Encoding {
	side := 2*o.MaxSide - 1
	return &Table{position(s, "relative_position_bias_table", nn.Normal(0, 0.02), o.Heads, side*side)}
}

// Scores returns the scores of the table:
//
//	A[h,q,k] = B[h,δ],  δ = k - q = (row, column) in tokens
//
// Source: Liu et al. 2021 (arXiv:2103.14030), eq. 4.
func (e *Table) Scores(g *nn.Graph, grid Grid) Scores {
	return Full{op.ShiftMap(e.ShiftScores(g, grid.Rows-1, grid.Cols-1, 1), grid.Rows, grid.Cols)}
}

// ShiftScores implements Shared.
func (e *Table) ShiftScores(g *nn.Graph, rows, cols int, _ float64) *nn.Node {
	return op.NearShifts(g.Use(e.Bias), rows, cols)
}
