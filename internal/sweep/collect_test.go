package sweep

import (
	"math"
	"testing"
)

func TestSpread(t *testing.T) {
	s := spread([]float64{0.5, math.NaN(), 0.7, 0.6}) // by hand: √((0.01+0.01)/2)
	if s.N != 3 || math.Abs(s.Mean-0.6) > 1e-12 || math.Abs(float64(s.Std)-0.1) > 1e-12 ||
		percent(s) != "60.00 ± 10.00 %" {
		t.Errorf("got %+v, %s", s, percent(s))
	}
	if s := spread([]float64{0.5}); s.Std.Known() || percent(s) != "50.00 %" {
		t.Errorf("one number: %+v, %s", s, percent(s))
	}
	if s := spread([]float64{math.NaN()}); s != nil || percent(s) != "-" {
		t.Errorf("nothing known: %+v", s)
	}
}
