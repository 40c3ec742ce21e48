package posenc

import (
	"github.com/attnconv/attnconv/nn"
	"github.com/attnconv/attnconv/nn/op"
)

// A Scalable encoding can also score a smaller copy of an image, whose tokens are farther apart, with the parameters
// that it has for the image itself. Take a Gaussian head with center Δ and standard deviation σ = 1/s, both in tokens
// of the image. Neighbors in the copy are unit tokens of the image apart, so
//
//	-½·s²·‖unit·δ - Δ‖² = -½·(unit·s)²·‖δ - Δ/unit‖²,  δ in tokens of the copy
//
// In its own tokens, the copy has centers Δ/unit and standard deviations σ/unit. The heads attend to the same parts of
// the picture as before, up to the size of tokens.
type Scalable interface {
	Encoding
	// ScoresWithSpacing returns the Scores for a grid whose neighbors are unit tokens apart.
	ScoresWithSpacing(g *nn.Graph, grid Grid, unit float64) Scores
}

// WithSpacing returns e for a grid whose neighbors are unit tokens apart, with the same parameters. If e is not
// Scalable, like a table of shifts in tokens, the result is e.
func WithSpacing(e Encoding, unit float64) Encoding {
	if s, ok := e.(Scalable); ok {
		return scaled{s, unit}
	}
	return e
}

type scaled struct {
	Scalable
	unit float64
}

func (e scaled) Scores(g *nn.Graph, grid Grid) Scores { return e.ScoresWithSpacing(g, grid, e.unit) }

// ScoresWithSpacing implements Scalable: Quadratic.Scores with δ = unit·(k - q).
func (e *Quadratic) ScoresWithSpacing(g *nn.Graph, grid Grid, unit float64) Scores {
	center, spread := g.Use(e.Center), g.Use(e.Spread)
	return Separable{
		Row: op.AxisScores(center, spread, op.Rows, grid.Rows, unit),
		Col: op.AxisScores(center, spread, op.Cols, grid.Cols, unit),
	}
}
