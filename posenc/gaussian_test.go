package posenc

import (
	"math"
	"testing"
)

func round(alpha float64) Head {
	return Head{Precision: [2][2]float64{{2 * alpha, 0}, {0, 2 * alpha}}}
}

// golden is S·Sᵀ of S = [[1, 0.5], [0.2, 0.8]].
var golden = Head{Center: [2]float64{0.5, -1}, Precision: [2][2]float64{{1.25, 0.6}, {0.6, 0.68}}}

// Radii: r50 = 0.8325546/√α and r90 = 1.5174271/√α; the ellipse's axes were worked out by hand.
func TestAxes(t *testing.T) {
	for _, tt := range []struct {
		name              string
		h                 Head
		mass, long, short float64
	}{
		{"round, 50 %", round(4), 0.5, 0.8325546 / 2, 0.8325546 / 2},
		{"round, 90 %", round(0.25), 0.9, 1.5174271 * 2, 1.5174271 * 2},
		{"ellipse, 50 %", golden, 0.5, 2.146957, 0.922432},
		{"ellipse, 90 %", golden, 0.9, 3.913077, 1.681238},
	} {
		if long, short := tt.h.Axes(tt.mass); math.Abs(long-tt.long) > 2e-6 || math.Abs(short-tt.short) > 2e-6 {
			t.Errorf("%s: axes %.7f and %.7f, want %.7f and %.7f", tt.name, long, short, tt.long, tt.short)
		}
	}
	if large, small, _ := golden.Eigen(); math.Abs(large-1.629247695) > 1e-9 || math.Abs(small-0.300752305) > 1e-9 {
		t.Errorf("eigenvalues %.9f and %.9f", large, small)
	}
	if got := golden.Condition(); math.Abs(got-5.417241) > 1e-6 {
		t.Errorf("condition number %.6f, want 5.417241", got)
	}
}

func TestUniform(t *testing.T) {
	for _, tt := range []struct {
		name string
		h    Head
		want bool
	}{
		{"sharp", round(1), false}, {"wide", round(1e-4), false}, {"blind", round(4e-6), true},
		{"stripe", Head{Precision: [2][2]float64{{2000, 0}, {0, 1}}}, true}, {"none", Head{}, true},
		{"long", Head{Precision: [2][2]float64{{900, 0}, {0, 1}}}, false},
	} {
		if got := tt.h.Uniform(); got != tt.want {
			t.Errorf("%s: Uniform() = %t", tt.name, got)
		}
	}
}
