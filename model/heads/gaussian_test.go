package heads

import (
	"math"
	"testing"
)

// The reach of a layer is that of its farthest head, ‖Δ‖ + r90 in pixels; degenerate heads do not count.
func TestReachOfHeads(t *testing.T) {
	head := func(row, alpha float64, uniform bool) Gaussian {
		precision := [2][2]float64{{2 * alpha, 0}, {0, 2 * alpha}}
		return Gaussian{Center: [2]float64{row, 0}, Precision: precision, Degenerate: uniform}
	}
	// r90 = √(ln 10 / α): 1.5174 tokens for α = 1.
	got := Reach([]Gaussian{head(3, 1, false), head(-4, 100, false), head(0, 1e-6, true)}, 2)
	if want := 2 * (3 + 1.5174271); !(math.Abs(float64(got)-want) < 1e-6) {
		t.Errorf("reach %v, want %v", got, want)
	}
	if got := Reach([]Gaussian{head(0, 1e-6, true)}, 2); got.Known() {
		t.Errorf("a layer of uniform heads reaches %v", got)
	}
}
