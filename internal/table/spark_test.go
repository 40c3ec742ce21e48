package table

import (
	"math"
	"testing"
)

func TestSpark(t *testing.T) {
	for want, values := range map[string][]float64{
		"▁▅█ ▂  10.0 to 80.0 %": {0.1, 0.5, 0.8, math.NaN(), 0.2},
		"▁▁":                    {0.3, 0.3},
		" ":                     {math.NaN()},
		"":                      nil,
	} {
		if got := Spark(values); got != want {
			t.Errorf("%v: %q, want %q", values, got, want)
		}
	}
}
