package posenc

import (
	"github.com/attnconv/attnconv/nn"
	"github.com/attnconv/attnconv/nn/op"
)

// QuadraticFree is Quadratic without the condition that the score falls with the distance from a center: every head has
// three free numbers.
type QuadraticFree struct {
	V *nn.Param // v (heads, 3): of the row, of the column, and of the squared distance
	B *nn.Param // b (heads)
}

// newQuadraticFree puts k² heads, k = ⌊√heads⌋, on a k × k grid: head u·k+v has v = (2Δ, -1) with the center
// Δ = (u, v) - (k-1)/2. Other heads are drawn from N(0, 0.02²), as maps are in ConViT. b is 0.
func newQuadraticFree(s nn.Scope, o Options) Encoding {
	part := s.In("position_map")
	e := &QuadraticFree{
		V: position(part, "weight", nn.Normal(0, 0.02), o.Heads, 3), B: position(part, "bias", nn.Const(0), o.Heads)}
	k := 1
	for (k+1)*(k+1) <= o.Heads {
		k++
	}
	middle := float64(k-1) / 2
	for h := 0; h < k*k && e.V.Data != nil; h++ {
		put(e.V, h, 2*(float64(h/k)-middle), 2*(float64(h%k)-middle), -1)
	}
	return e
}

// Scores returns a score that is quadratic in the shift, as two one-dimensional scores. Their sum is
//
//	A[h,q,k] = v_h·(δ, ‖δ‖²) + b_h,  δ = k - q = (row, column) in tokens
//
// With v = α·(2Δ, -1) it is -α‖δ - Δ‖² up to a constant. b_h adds the same to the scores of all keys, so the softmax
// cancels it. Scores omits it, and training never changes it. Source: d'Ascoli et al. 2021 (arXiv:2103.10697), eq. 7.
func (e *QuadraticFree) Scores(g *nn.Graph, grid Grid) Scores { return e.ScoresWithSpacing(g, grid, 1) }

// ScoresWithSpacing implements Scalable.
func (e *QuadraticFree) ScoresWithSpacing(g *nn.Graph, grid Grid, unit float64) Scores {
	heads := e.V.Shape[0]
	return Separable{
		Row: op.ShiftScores(e.along(g, 0, grid.Rows-1, unit), heads, grid.Rows),
		Col: op.ShiftScores(e.along(g, 1, grid.Cols-1, unit), heads, grid.Cols),
	}
}

// ShiftScores implements Shared.
func (e *QuadraticFree) ShiftScores(g *nn.Graph, rows, cols int, unit float64) *nn.Node {
	return op.AxisShifts(e.along(g, 0, rows, unit), e.along(g, 1, cols, unit), e.V.Shape[0], rows, cols)
}

// along returns the scores of shifts of up to n tokens along an axis, (heads, 2n+1).
func (e *QuadraticFree) along(g *nn.Graph, axis, n int, unit float64) *nn.Node {
	shifts := make([]float32, 3*(2*n+1)) // (δ, 0, δ²) along rows and (0, δ, δ²) along columns
	for i := range 2*n + 1 {
		delta := float32(unit * float64(i-n))
		shifts[3*i+axis], shifts[3*i+2] = delta, delta*delta
	}
	name := [2]string{" row", " column"}[axis] + " shifts"
	return op.MatMul(g.Use(e.V), g.Input(e.V.Name+name, shifts, 2*n+1, 3))
}
