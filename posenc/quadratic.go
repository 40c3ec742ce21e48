package posenc

import (
	"math"

	"github.com/attnconv/attnconv/nn"
	"github.com/attnconv/attnconv/nn/op"
)

// Quadratic makes every head a Gaussian around the head's own shift from the query.
type Quadratic struct {
	Center *nn.Param // Δ (heads, 2): row, column, in tokens
	Spread *nn.Param // s (heads), an inverse standard deviation: α = s²/2
}

// NewQuadratic draws the centers from N(0, 2²) and the spreads from N(1, 0.01²), as the reference does.
func NewQuadratic(s nn.Scope, heads int) Encoding {
	return &Quadratic{
		Center: position(s, "attention_centers", nn.Normal(0, 2), heads, 2),
		Spread: position(s, "attention_spreads", nn.Normal(1, 0.01), heads),
	}
}

// Scores gives each head a Gaussian around a shift from the query, as two one-dimensional scores. Their sum is
//
//	A[h,q,k] = -½·s_h²·‖δ - Δ_h‖²,  δ = k - q = (row, column) in tokens
//
// and the softmax is the product of a softmax over rows and one over columns. Source: Cordonnier, Loukas, Jaggi 2020
// (arXiv:1911.03584), eq. 9. With α = s²/2, its v·r_δ is this score plus α‖Δ‖², which cancels in the softmax. The
// gradient is in internal/op/scores.go.
func (e *Quadratic) Scores(g *nn.Graph, grid Grid) Scores { return e.ScoresWithSpacing(g, grid, 1) }

// ShiftScores implements Shared.
func (e *Quadratic) ShiftScores(g *nn.Graph, rows, cols int, unit float64) *nn.Node {
	return op.GaussianShifts(g.Use(e.Center), g.Use(e.Spread), rows, cols, unit)
}

// Heads implements Gaussian.
func (e *Quadratic) Heads() []Head {
	heads := make([]Head, len(e.Spread.Data))
	for h, s := range e.Spread.Data {
		p := float64(s) * float64(s)
		heads[h] = Head{Center: e.center(h), Precision: [2][2]float64{{p, 0}, {0, p}}}
	}
	return heads
}

// Put implements Gaussian. The width of head along the rows becomes the width in all directions.
func (e *Quadratic) Put(h int, head Head) {
	put(e.Center, h, head.Center[:]...)
	put(e.Spread, h, math.Sqrt(head.Precision[0][0]))
}

// put sets row h of a parameter.
func put(p *nn.Param, h int, row ...float64) {
	for i, x := range row {
		p.Data[h*len(row)+i] = float32(x)
	}
}

func (e *Quadratic) center(h int) [2]float64 {
	return [2]float64{float64(e.Center.Data[2*h]), float64(e.Center.Data[2*h+1])}
}

// Isotropic implements Gaussian: a head has one width.
func (e *Quadratic) Isotropic() bool { return true }

// position adds a parameter of the group that never decays.
func position(s nn.Scope, name string, init nn.Init, shape ...int) *nn.Param {
	p := s.Param(name, init, shape...)
	p.Group = nn.Position
	return p
}
