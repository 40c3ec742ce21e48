package plain_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/attnconv/attnconv/internal/plain"
)

func near(t *testing.T, what string, got, want, tolerance float64) {
	t.Helper()
	if !(math.Abs(got-want) <= tolerance) {
		t.Errorf("%s: %v, want %v", what, got, want)
	}
}

// softmax(0, ln 2, ln 3) = (1, 2, 3)/6, also after adding a constant.
func TestSoftmax(t *testing.T) {
	for _, c := range []float64{0, 1000, -1000} {
		p := plain.Softmax([]float64{c, c + math.Log(2), c + math.Log(3), math.Inf(-1)})
		for k, want := range []float64{1. / 6, 2. / 6, 3. / 6, 0} {
			near(t, "weight", p[k], want, 1e-13)
		}
	}
}

// Concatenated heads are a sum over heads: concat(SA_h)·W_out = Σ_h SA_h·W_out[h].
func TestConcatenatedHeadsAreASum(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	m := plain.NewMultiHead(rng, 6, 3)
	m.Bias = []float64{1, 2, 3, 4, 5, 6}
	x, y := plain.Normal(rng, 4, 6, 1), plain.Normal(rng, 5, 6, 1)
	want := make(plain.Matrix, 4)
	for q := range want {
		want[q] = m.Bias
	}
	for h, head := range m.Heads {
		out, weights := head.Attend(x, y, m.Score, nil)
		for _, row := range weights {
			var sum float64
			for _, w := range row {
				sum += w
			}
			near(t, "sum of a query's weights", sum, 1, 1e-14)
		}
		want = want.Plus(out.Times(m.Out[2*h : 2*h+2]))
	}
	for i, v := range m.Forward(x, y, nil).Flat() {
		near(t, "element", v, want.Flat()[i], 1e-13)
	}
}

func TestMatrices(t *testing.T) {
	m := plain.Matrix{{1, 2, 3}, {4, 5, 6}}
	for i, want := range []float64{14, 32, 32, 77} {
		near(t, "m·mᵀ", m.Times(m.T()).Flat()[i], want, 0)
	}
	for i, want := range []float64{4, 5, 6, 1, 2, 3} {
		near(t, "selected rows", plain.OneHot([]int{1, 0}, 2).Times(m).Flat()[i], want, 0)
	}
	defer func() {
		if recover() == nil {
			t.Error("a product of matrices that do not fit: want a panic")
		}
	}()
	m.Times(m)
}
