package study

import (
	"math"
	"testing"
)

var (
	resnet    = []float64{0.7891, 0.7869, 0.7913}
	quadratic = []float64{0.6138, 0.6097, 0.6179, 0.6144}
	learned   = []float64{0.5902, 0.5839, 0.5965}
)

func near(a, b float64) bool {
	return math.Abs(a-b) < 1e-9 || math.IsNaN(a) && math.IsNaN(b)
}

// Golden numbers from SciPy 1.10: numpy.std(ddof=1) and scipy.stats.t.interval.
func TestSummarise(t *testing.T) {
	nan := math.NaN()
	for _, tt := range []struct {
		name string
		x    []float64
		want Sample
	}{
		{"three", resnet, Sample{3, 0.7891, 0.0022, Interval{0.7836348970339438, 0.7945651029660562}}},
		{"four", quadratic, Sample{4, 0.61395, 0.003361051422794154, Interval{0.6086018171588291, 0.6192981828411709}}},
		{"two", []float64{0.5, 0.7}, Sample{2, 0.6, 0.14142135623730948, Interval{-0.6706204736432092, 1.8706204736432093}}},
		{"one has no spread", []float64{0.5}, Sample{1, 0.5, nan, none}},
		{"none", nil, Sample{0, nan, nan, none}},
		{"all the same", []float64{0.5, 0.5}, Sample{2, 0.5, 0, Interval{0.5, 0.5}}},
	} {
		got := Summarise(tt.x)
		if got.N != tt.want.N || !near(got.Mean, tt.want.Mean) || !near(got.Std, tt.want.Std) ||
			!near(got.CI.Lo, tt.want.CI.Lo) || !near(got.CI.Hi, tt.want.CI.Hi) {
			t.Errorf("%s: %+v, want %+v", tt.name, got, tt.want)
		}
	}
}

// Golden numbers from SciPy 1.10: scipy.stats.t.ppf(0.975, ν) with ν = 4.97 and 2.86, and t.interval of differences.
func TestDifferences(t *testing.T) {
	for _, tt := range []struct {
		name    string
		of      func(x, base []float64) (float64, Interval)
		x, base []float64
		diff    float64
		want    Interval
	}{
		{"Welch", Welch, quadratic, resnet, -0.17515, Interval{-0.18057404668028137, -0.16972595331971868}},
		{"Welch, unequal spread", Welch, learned, quadratic, -0.02375, Interval{-0.03686684327843977, -0.010633156721560328}},
		{"Welch, one run", Welch, learned[:1], resnet, -0.1989, none},
		{"Welch, no spread at all", Welch, []float64{1, 1}, []float64{3, 3}, -2, Interval{-2, -2}},
		{"paired", Paired, learned, resnet, -0.1989, Interval{-0.20908496461855955, -0.18871503538144055}},
		{"paired, one run", Paired, learned[:1], resnet[:1], -0.1989, none},
	} {
		diff, ci := tt.of(tt.x, tt.base)
		if !near(diff, tt.diff) || !near(ci.Lo, tt.want.Lo) || !near(ci.Hi, tt.want.Hi) {
			t.Errorf("%s: %v in %+v, want %v in %+v", tt.name, diff, ci, tt.diff, tt.want)
		}
	}
}
