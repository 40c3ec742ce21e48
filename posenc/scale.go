package posenc

import "github.com/attnconv/attnconv/nn"

// A Scalable encoding also scores a smaller copy of an image, whose tokens are farther apart, by the parameters that it has
// for the image itself. For a Gaussian head with center Δ and standard deviation σ = 1/s, both in tokens of the image,
// neighbours of the copy are unit tokens apart, so that
//
//	-½·s²·‖unit·δ - Δ‖² = -½·(unit·s)²·‖δ - Δ/unit‖²,  δ in tokens of the copy:
//
// in its own tokens, the copy has centers Δ/unit and standard deviations σ/unit. Over the picture, heads attend as before, up to
// the size of tokens.
type Scalable interface {
	Encoding
	// ScoresApart are the Scores of a grid whose neighbours are unit apart, in that of the parameters.
	ScoresApart(g *nn.Graph, grid Grid, unit float64) Scores
}

// Scaled is e for a grid whose neighbours are unit apart, over the same parameters. Where e is not Scalable, as a table of shifts
// in tokens, it is e.
func Scaled(e Encoding, unit float64) Encoding {
	if s, ok := e.(Scalable); ok {
		return scaled{s, unit}
	}
	return e
}

type scaled struct {
	Scalable
	unit float64
}

func (e scaled) Scores(g *nn.Graph, grid Grid) Scores { return e.ScoresApart(g, grid, e.unit) }
