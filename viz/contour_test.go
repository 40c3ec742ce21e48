package viz

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/attnconv/attnconv/posenc/geometry"
)

// Golden probabilities of the reference's formulas for one head on a 3 × 3 map.
func TestProbabilities(t *testing.T) {
	h := geometry.Head{Center: [2]float64{0.5, -1}, Precision: [2][2]float64{{0.64, 0}, {0, 0.64}}}
	for _, tt := range []struct {
		name string
		h    geometry.Head
		g    Grid
		want []float64
	}{
		{"round", h, Middle(3, 3), []float64{0.104101728, 0.075593370, 0.028944163, 0.197426937, 0.143361380,
			0.054892053,
			0.197426937, 0.143361380, 0.054892053}},
		{"long", golden, Grid{3, 3, [2]int{0, 2}}, []float64{0.090179320, 0.171023357, 0.164317435, 0.164317435,
			0.171023357,
			0.090179320, 0.085781223, 0.048999012, 0.014179541}},
	} {
		for i, got := range probabilities(tt.h, tt.g) {
			if math.Abs(got-tt.want[i]) > 1e-9 {
				t.Errorf("%s: P[%d] = %.9f, want %.9f", tt.name, i, got, tt.want[i])
			}
		}
	}
}

func TestDensest(t *testing.T) {
	for _, tt := range []struct {
		name string
		p    []float64
		mass float64
		want region
	}{
		{"one token", []float64{0.1, 0.6, 0.3}, 0.5, region{math.Sqrt(0.6 * 0.3), 0.6, 1}},
		{"two tokens", []float64{0.1, 0.6, 0.3}, 0.9, region{math.Sqrt(0.3 * 0.1), 0.9, 2}},
		{"equal", []float64{0.4, 0.2, 0.2, 0.2}, 0.5, region{0, 1, 4}},
	} {
		got := densest(tt.p, tt.mass)
		near := math.Abs(got.Level-tt.want.Level) < 1e-12 && math.Abs(got.Mass-tt.want.Mass) < 1e-12
		if !near || got.Tokens != tt.want.Tokens {
			t.Errorf("%s: %+v, want %+v", tt.name, got, tt.want)
		}
	}
}

// A contour contains the tokens of its region and no others, and so the mass that it is drawn for: for random heads, in
// the middle of an image and at its corners.
func TestContoursContainTheirMass(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, g := range []Grid{Middle(16, 16), Middle(8, 11), {7, 5, [2]int{6, 0}}, {1, 9, [2]int{0, 3}}} {
		for n := range 60 {
			s := math.Exp(3 * rng.NormFloat64())
			h := geometry.Head{Center: [2]float64{3 * rng.NormFloat64(), 3 * rng.NormFloat64()}}
			a, b := s*rng.Float64(), s*rng.Float64()
			h.Precision = [2][2]float64{{a + b, a - b}, {a - b, a + b}}
			p := probabilities(h, g)
			for _, mass := range []float64{0.5, 0.9} {
				r := densest(p, mass)
				line := on(h, g, mass, 2000)
				if line == nil && r.Tokens == len(p) {
					continue
				}
				got, tokens := 0.0, 0
				for i, x := range p {
					if inside(line, float64(i/g.Cols-g.Query[0]), float64(i%g.Cols-g.Query[1])) {
						got += x
						tokens++
					}
				}
				name := fmt.Sprintf("%+v, head %d, %v", g, n, mass)
				if got < mass-1e-9 || tokens != r.Tokens || math.Abs(got-r.Mass) > 1e-9 {
					t.Errorf("%s: the contour contains %.4f in %d tokens, the region %.4f in %d", name, got, tokens,
						r.Mass, r.Tokens)
				}
			}
		}
	}
}

// inside reports whether (row, col) is inside a closed line: whether a ray to the right, which is offset from the
// middles of tokens, crosses the line an odd number of times.
func inside(line [][2]float64, row, col float64) bool {
	row += 1e-9
	odd := false
	for i := range len(line) - 1 {
		a, b := line[i], line[i+1]
		if (a[0] > row) != (b[0] > row) && a[1]+(row-a[0])/(b[0]-a[0])*(b[1]-a[1]) > col {
			odd = !odd
		}
	}
	return odd
}
