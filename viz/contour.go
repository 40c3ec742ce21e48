package viz

import (
	"math"
	"slices"

	"github.com/attnconv/attnconv/internal/fault"
	"github.com/attnconv/attnconv/posenc/geometry"
)

// A Grid is the tokens of an image and the query, one of them: (row, column), from 0. The zero value is no image.
type Grid struct {
	Rows, Cols int
	Query      [2]int
}

// Middle returns an image of rows × cols tokens with the query in the middle; if there is no middle token, the one
// right below the middle, as in the paper.
func Middle(rows, cols int) Grid { return Grid{rows, cols, [2]int{rows / 2, cols / 2}} }

// check returns an error unless the query is in the image.
func (g Grid) check() error {
	if q := g.Query; q[0] < 0 || q[0] >= g.Rows || q[1] < 0 || q[1] >= g.Cols {
		return fault.Usagef("no token at row %d, column %d of an image of %d × %d tokens: they count from 0",
			q[0], q[1], g.Rows, g.Cols)
	}
	return nil
}

// probabilities returns the head's attention probabilities on an image, in row-major order: the softmax over all tokens
// of -½(δ-Center)ᵀ·Precision·(δ-Center).
func probabilities(h geometry.Head, g Grid) []float64 {
	p := make([]float64, g.Rows*g.Cols)
	for i := range p {
		p[i] = -form(h, float64(i/g.Cols-g.Query[0]), float64(i%g.Cols-g.Query[1])) / 2
	}
	geometry.Softmax(p)
	return p
}

// A region is the tokens with a probability above Level.
type region struct {
	Level  float64
	Mass   float64 // sum of their probabilities
	Tokens int
}

// densest returns the smallest region with at least the given mass of the probabilities p. Tokens of equal probability
// are all inside or all outside.
func densest(p []float64, mass float64) region {
	sorted := slices.Clone(p)
	slices.Sort(sorted)
	slices.Reverse(sorted)
	r := region{}
	for i, x := range sorted {
		r.Mass += x
		r.Tokens++
		last := i+1 == len(sorted)
		if last || r.Mass >= mass-1e-12 && sorted[i+1] < x*(1-1e-9) {
			if !last {
				// geometric mean of the last inside and the first outside
				r.Level = x * math.Sqrt(max(sorted[i+1]/x, 1e-12))
			}
			break
		}
	}
	return r
}

// on returns the contour around the densest tokens of an image with the given mass, as n points (row, column) relative
// to the query. The exponent of a Gaussian head is a quadratic form of the shift, so these tokens are inside an ellipse
// around the center. Its exponent is half-way between those of the last token inside and the first outside. It is nil
// if the region is the whole image. Part of the ellipse may be outside of the image.
func on(h geometry.Head, g Grid, mass float64, n int) [][2]float64 {
	r := densest(probabilities(h, g), mass)
	forms := make([]float64, g.Rows*g.Cols)
	for i := range forms {
		forms[i] = form(h, float64(i/g.Cols-g.Query[0]), float64(i%g.Cols-g.Query[1]))
	}
	slices.Sort(forms)
	if r.Tokens == len(forms) {
		return nil
	}
	return ellipse(h, math.Sqrt((forms[r.Tokens-1]+forms[r.Tokens])/2), n)
}
