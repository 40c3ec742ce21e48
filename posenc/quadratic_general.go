package posenc

import (
	"math"
	"math/rand/v2"

	"github.com/attnconv/attnconv/nn"
	"github.com/attnconv/attnconv/nn/op"
)

// QuadraticGeneral makes every head a Gaussian of any shape and orientation around the head's own shift from the query.
type QuadraticGeneral struct {
	Center *nn.Param // Δ (heads, 2): row, column, in tokens
	Root   *nn.Param // S (heads, 2, 2), with precision Σ⁻¹ = S·Sᵀ (the reference calls S a spread)
}

// newQuadraticGeneral draws the centers from N(0, 2²). The roots are the identity plus N(0, 0.01²) on all four entries,
// as in the reference.
func newQuadraticGeneral(s nn.Scope, heads int) Encoding {
	nearIdentity := func(rng *rand.Rand, w []float32) {
		nn.Normal(0, 0.01)(rng, w)
		for i := 0; i < len(w); i += 4 {
			w[i]++
			w[i+3]++
		}
	}
	return &QuadraticGeneral{
		Center: position(s, "attention_centers", nn.Normal(0, 2), heads, 2),
		Root:   position(s, "attention_spreads", nearIdentity, heads, 2, 2),
	}
}

// Scores returns one full map per head:
//
//	A[h,q,k] = -½·(δ - Δ_h)ᵀ Σ_h⁻¹ (δ - Δ_h),  Σ_h⁻¹ = S_h·S_hᵀ,  δ = k - q = (row, column) in tokens
//
// Source: Cordonnier, Loukas, Jaggi 2020, appendix; paper's r_δ = (δ1, δ2, δ1², δ2², δ1δ2).
func (e *QuadraticGeneral) Scores(g *nn.Graph, grid Grid) Scores {
	return e.ScoresWithSpacing(g, grid, 1)
}

// ScoresWithSpacing implements Scalable.
func (e *QuadraticGeneral) ScoresWithSpacing(g *nn.Graph, grid Grid, unit float64) Scores {
	return Full{op.GeneralScores(g.Use(e.Center), g.Use(e.Root), grid.Rows, grid.Cols, unit)}
}

// ShiftScores implements Shared.
func (e *QuadraticGeneral) ShiftScores(g *nn.Graph, rows, cols int, unit float64) *nn.Node {
	return op.GaussianShifts(g.Use(e.Center), g.Use(e.Root), rows, cols, unit)
}

// Heads implements Gaussian.
func (e *QuadraticGeneral) Heads() []Head {
	heads := make([]Head, len(e.Center.Data)/2)
	for h := range heads {
		s := [4]float64{}
		for i := range s {
			s[i] = float64(e.Root.Data[4*h+i])
		}
		b := s[0]*s[2] + s[1]*s[3]
		heads[h] = Head{
			Center:    [2]float64{float64(e.Center.Data[2*h]), float64(e.Center.Data[2*h+1])},
			Precision: [2][2]float64{{s[0]*s[0] + s[1]*s[1], b}, {b, s[2]*s[2] + s[3]*s[3]}},
		}
	}
	return heads
}

// Put implements Gaussian. The root becomes lower triangular.
func (e *QuadraticGeneral) Put(h int, head Head) {
	p := head.Precision
	a := math.Sqrt(p[0][0])
	b := p[0][1] / a
	put(e.Center, h, head.Center[:]...)
	put(e.Root, h, a, 0, b, math.Sqrt(p[1][1]-b*b))
}

// Isotropic implements Gaussian: each head has its own shape.
func (e *QuadraticGeneral) Isotropic() bool { return false }
