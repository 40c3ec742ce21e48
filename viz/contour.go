package viz

import (
	"fmt"
	"math"
	"slices"
)

// A Grid is the tokens of an image and one of them, the query: (row, column), from 0. The zero value is no image.
type Grid struct {
	Rows, Cols int
	Query      [2]int
}

// Middle is an image of rows × cols tokens with the query in the middle, or where the paper has it: right below.
func Middle(rows, cols int) Grid { return Grid{rows, cols, [2]int{rows / 2, cols / 2}} }

// check says whether the query is in the image.
func (g Grid) check() error {
	if q := g.Query; q[0] < 0 || q[0] >= g.Rows || q[1] < 0 || q[1] >= g.Cols {
		return fmt.Errorf("viz: no token at row %d, column %d of an image of %d × %d tokens: they count from 0",
			q[0], q[1], g.Rows, g.Cols)
	}
	return nil
}

// Probabilities returns the head's attention on an image, softmax over all tokens of the Gaussian's exponents, in
// row-major order.
func (h Head) Probabilities(g Grid) []float64 {
	p := make([]float64, g.Rows*g.Cols)
	for i := range p {
		p[i] = -h.form(float64(i/g.Cols-g.Query[0]), float64(i%g.Cols-g.Query[1])) / 2
	}
	most := slices.Max(p)
	sum := 0.0
	for i, x := range p {
		p[i] = math.Exp(x - most)
		sum += p[i]
	}
	for i := range p {
		p[i] /= sum
	}
	return p
}

// A Region is the fewest tokens that hold a given mass: those with more than Level of the attention.
type Region struct {
	Level  float64
	Mass   float64 // that they hold
	Tokens int
}

// Densest returns the region that holds mass of the attention p. Tokens that weigh the same are all in it or all out.
func Densest(p []float64, mass float64) Region {
	sorted := slices.Clone(p)
	slices.Sort(sorted)
	slices.Reverse(sorted)
	r := Region{}
	for i, x := range sorted {
		r.Mass += x
		r.Tokens++
		last := i+1 == len(sorted)
		if last || r.Mass >= mass-1e-12 && sorted[i+1] < x*(1-1e-9) {
			if !last {
				r.Level = x * math.Sqrt(max(sorted[i+1]/x, 1e-12)) // half-way between in and out, in the exponents
			}
			break
		}
	}
	return r
}

// On returns the contour that parts the head's densest tokens on an image, which hold mass of its attention, from the
// others, as places (row, column) from the query. The exponent of a Gaussian head is a quadratic form of the shift, so
// the tokens that weigh most are those inside an ellipse around the center; its size is half-way, in the exponents,
// between the last token inside and the first outside. It is nil where the region is the whole image. The ellipse may
// lie in part outside of the image, where there are no tokens.
func (h Head) On(g Grid, mass float64, n int) [][2]float64 {
	r := Densest(h.Probabilities(g), mass)
	forms := make([]float64, g.Rows*g.Cols)
	for i := range forms {
		forms[i] = h.form(float64(i/g.Cols-g.Query[0]), float64(i%g.Cols-g.Query[1]))
	}
	slices.Sort(forms)
	if r.Tokens == len(forms) {
		return nil
	}
	return h.ellipse(math.Sqrt((forms[r.Tokens-1]+forms[r.Tokens])/2), n)
}
