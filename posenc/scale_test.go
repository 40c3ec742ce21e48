package posenc

import (
	"math"
	"slices"
	"testing"

	"github.com/attnconv/attnconv/nn"
)

// In the tokens of a copy, centers are divided by the unit and spreads, inverse standard deviations, multiplied: to the
// bit, for a power of two.
func TestScaledInItsOwnTokens(t *testing.T) {
	grid := Grid{Rows: 4, Cols: 5}
	isotropic := NewQuadratic(nn.NewScope(0), 1).(*Quadratic)
	isotropic.Center.Data, isotropic.Spread.Data = []float32{2.5, -1.5}, []float32{0.375}
	own := NewQuadratic(nn.NewScope(0), 1).(*Quadratic)
	own.Center.Data, own.Spread.Data = []float32{1.25, -0.75}, []float32{0.75}
	general := newQuadraticGeneral(nn.NewScope(0), 1).(*QuadraticGeneral)
	general.Center.Data, general.Root.Data = []float32{2.5, -1.5}, []float32{0.5, 0.125, -0.25, 0.375}
	ownGeneral := newQuadraticGeneral(nn.NewScope(0), 1).(*QuadraticGeneral)
	ownGeneral.Center.Data, ownGeneral.Root.Data = []float32{1.25, -0.75}, []float32{1, 0.25, -0.5, 0.75}
	for _, tt := range []struct{ scaled, own Encoding }{
		{WithSpacing(isotropic, 2), own},
		{WithSpacing(general, 2), ownGeneral},
	} {
		if got, want := probabilities(t, tt.scaled, grid), probabilities(t, tt.own, grid); !slices.Equal(got, want) {
			t.Errorf("%T attends by %v, want %v", tt.own, got, want)
		}
	}
	if got, want := probabilities(t, WithSpacing(isotropic, 1), grid),
		probabilities(t, isotropic, grid); !slices.Equal(got, want) {
		t.Error("unit 1 changes attention")
	}
}

// A head attends to the same part of the picture from a copy with half of the tokens along each side: what four tokens
// next to each other attend to, on the mean, as their one token in the copy does, up to the size of tokens.
func TestScaledAttendsAlike(t *testing.T) {
	const side, half = 16, 8
	isotropic := NewQuadratic(nn.NewScope(0), 1).(*Quadratic)
	isotropic.Center.Data, isotropic.Spread.Data = []float32{2, -3}, []float32{1.0 / 3}
	general := newQuadraticGeneral(nn.NewScope(0), 1).(*QuadraticGeneral)
	general.Center.Data, general.Root.Data = []float32{2, -3}, []float32{0.25, 0.1, -0.1, 0.4}
	for _, e := range []Encoding{isotropic, general} {
		whole := probabilities(t, e, Grid{Rows: side, Cols: side})
		coarse := make([]float64, half*half*half*half)
		at := func(token int) int { return token/side/2*half + token%side/2 }
		for i, p := range whole {
			coarse[at(i/(side*side))*half*half+at(i%(side*side))] += float64(p) / 4
		}
		differ := func(e Encoding) (most float64) { // the largest total variation of a query
			copied := probabilities(t, e, Grid{Rows: half, Cols: half})
			for q := range half * half {
				var sum float64
				for k := range half * half {
					sum += math.Abs(coarse[q*half*half+k]-float64(copied[q*half*half+k])) / 2
				}
				most = max(most, sum)
			}
			return most
		}
		if d := differ(WithSpacing(e, 2)); d > 0.05 {
			t.Errorf("%T: attention to the copy differs by %.3f", e, d)
		}
		if as, wrong := differ(e), differ(WithSpacing(e, 0.5)); as < 0.2 || wrong < 0.2 {
			t.Errorf("%T: the test does not see scales: not scaled it differs by %.3f, the wrong way by %.3f", e, as,
				wrong)
		}
	}
}

// A table of shifts is in tokens, whatever their size.
func TestScaledTable(t *testing.T) {
	e := NewLearned(nn.NewScope(0), Options{Heads: 2, Dim: 4, MaxSide: 4})
	if WithSpacing(e, 2) != e {
		t.Error("an encoding that is not Scalable is not left as it is")
	}
}
