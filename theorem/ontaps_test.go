package theorem

import (
	"math"
	"testing"
)

// Σ_h P[h,δ]·W_h is W_δ for the weights P of heads on a row of three, computed here as sums of exponentials.
func TestOnTaps(t *testing.T) {
	const alpha = 0.7
	fit := OnTaps(3, alpha)
	kernel := []float32{1, -2, 3, 0.5, 4, -1, 2, 0, -3}
	heads := make([]float32, 9)
	fit.Matrices(heads, kernel)
	axis := func(h, d int) float64 { return math.Exp(-alpha * float64((h-d)*(h-d))) }
	for d := range 9 {
		var sum float64
		for h, w := range heads {
			var all float64
			for e := range 9 {
				all += axis(h/3, e/3) * axis(h%3, e%3)
			}
			sum += axis(h/3, d/3) * axis(h%3, d%3) / all * float64(w)
		}
		if math.Abs(sum-float64(kernel[d])) > 1e-5 {
			t.Errorf("tap %d: %v, want %v", d, sum, kernel[d])
		}
	}
	if fit.Rank != 9 || fit.Residual > 1e-12 || !(fit.Condition > 10) {
		t.Errorf("rank %d, residual %v, condition %v", fit.Rank, fit.Residual, fit.Condition)
	}
	if hard := OnTaps(2, 46); math.Abs(hard.Condition-1) > 1e-12 {
		t.Errorf("condition %v of hard heads", hard.Condition)
	}
}
