package stats

import (
	"math"
	"testing"
)

// Kendall's τ: pairs in order less pairs out of order, of all pairs.
func TestTrend(t *testing.T) {
	for _, tt := range []struct {
		values []float64
		want   float64
	}{{[]float64{3, 2, 1}, -1}, {[]float64{1, 2, 3}, 1}, {[]float64{1, 1, 2}, 2.0 / 3}, {[]float64{1, 3, 2}, 1.0 / 3},
		{[]float64{2, 2, 2}, 0}} {
		if got := Trend(tt.values); math.Abs(got-tt.want) > 1e-15 {
			t.Errorf("%v: %v, want %v", tt.values, got, tt.want)
		}
	}
	if got := Trend([]float64{1}); !math.IsNaN(got) {
		t.Errorf("of one value: %v, want NaN", got)
	}
}
