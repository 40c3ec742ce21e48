package stats

import (
	"math"
	"slices"
	"strings"
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

// of returns runs with these accuracies, hits one run with n correct images.
func of(images int, runs ...float64) Accuracies { return Accuracies{Runs: runs, Images: images} }

func hits(n, images int) Accuracies { return of(images, float64(n)/float64(images)) }

// rows returns a run for each string, with a digit 1 for each correct image.
func rows(digits ...string) (m Accuracies) {
	for _, row := range digits {
		right := func(i int) bool { return row[i] == '1' }
		correct := 0
		for i := range row {
			if right(i) {
				correct++
			}
		}
		m.Images, m.Right = len(row), append(m.Right, NewBits(len(row), right))
		m.Runs = append(m.Runs, float64(correct)/float64(len(row)))
	}
	return m
}

var (
	both   = Coverage{Seeds: true, Images: true}
	seeds  = Coverage{Seeds: true}
	images = Coverage{Images: true}
)

// Golden values from the formulas of docs/statistics.md in Python, with quantiles by integration of the densities. The
// intervals of 81 of 263, 0 of 20 and 1 of 29 are those printed in Newcombe 1998 (Statistics in Medicine 17, 857),
// table I, method 3: 0.2553 to 0.3662, 0 to 0.1611, 0.0061 to 0.1718.
func TestSummarize(t *testing.T) {
	nan := math.NaN()
	for _, tt := range []struct {
		name string
		m    Accuracies
		want Sample
	}{
		{"three", of(10000, resnet...), Sample{3, 0.7891, 0.0022, Interval{0.7796935336449823, 0.7982087818219274},
			both}},
		{"three, images unknown", of(0, resnet...),
			Sample{3, 0.7891, 0.0022, Interval{0.7835832661438332, 0.7945129838272273}, seeds}},
		{"four", of(10000, quadratic...),
			Sample{4, 0.61395, 0.003361051422794154, Interval{0.6031320306304634, 0.6246566001703807}, both}},
		{"two, far apart", of(0, 0.5, 0.7),
			Sample{2, 0.6, 0.14142135623730948, Interval{0.047625449206079716, 0.9782578676758332}, seeds}},
		// mean ± t·s/√n, with 3.182446 the quantile of Student's t for 97.5 % and 3 degrees of freedom
		{"in percent", of(10000, 91, 92, 93, 94), Sample{4, 92.5, math.Sqrt(5. / 3),
			Interval{92.5 - 3.182446305284263*math.Sqrt(5./12), 92.5 + 3.182446305284263*math.Sqrt(5./12)}, seeds}},
		{"one in percent", of(10000, 92.5), Sample{1, 92.5, nan, NoInterval, Coverage{}}},
		{"one run, images unknown", of(0, 0.5), Sample{1, 0.5, nan, NoInterval, Coverage{}}},
		{"no run", of(10), Sample{0, nan, nan, NoInterval, Coverage{}}},
		{"all the same, images unknown", of(0, 0.5, 0.5), Sample{2, 0.5, 0, Interval{0.5, 0.5}, seeds}},
		{"81 of 263", hits(81, 263), Sample{1, 81. / 263, nan, Interval{0.2552885198782743, 0.36620957698280016},
			images}},
		{"none of 20", hits(0, 20), Sample{1, 0, nan, Interval{0, 0.1611251580528193}, images}},
		{"1 of 29", hits(1, 29), Sample{1, 1. / 29, nan, Interval{0.006113214292762661, 0.17175521879320282}, images}},
		{"image by image", rows("11101111", "10001000"),
			Sample{2, 0.5625, 0.4419417382415922, Interval{0.00502706833936473, 0.9969528823849318}, both}},
		{"image by image, seeds alike", rows("11101100", "11001110"),
			Sample{2, 0.625, 0, Interval{0.3273251924134921, 0.8509357383248817}, both}},
	} {
		got := Summarize(tt.m)
		if got.N != tt.want.N || got.Covers != tt.want.Covers || !near(got.Mean, tt.want.Mean) ||
			!near(got.Std, tt.want.Std) ||
			!near(got.CI.Lo, tt.want.CI.Lo) || !near(got.CI.Hi, tt.want.CI.Hi) {
			t.Errorf("%s: %+v, want %+v", tt.name, got, tt.want)
		}
	}
}

// Golden values as in TestSummarize. Those of two proportions are printed in Newcombe 1998 (Statistics in Medicine 17,
// 873), table II, method 10.
func TestCompared(t *testing.T) {
	c, b := rows("11101111", "10001000"), rows("10100100", "11000100")
	for _, tt := range []struct {
		name    string
		x, base Accuracies
		paired  bool
		diff    float64
		want    Interval
		covers  Coverage
	}{
		{"56/70 - 48/80", hits(56, 70), hits(48, 80), false, 0.2, Interval{0.052431472402364926, 0.33387265403690586},
			images},
		{"5/56 - 0/29", hits(5, 56), hits(0, 29), false, 5. / 56, Interval{-0.03813714790353685, 0.19256001385511157},
			images},
		{"0/10 - 0/10", hits(0, 10), hits(0, 10), false, 0, Interval{-0.27753279986288915, 0.27753279986288915},
			images},
		{"10/10 - 0/20", hits(10, 10), hits(0, 20), false, 1, Interval{0.6790860371419148, 1}, images},
		{"runs", of(10000, quadratic...), of(10000, resnet...), false, -0.17515,
			Interval{-0.1886292941208841, -0.16158551717824665}, both},
		{"runs, images unknown", of(0, quadratic...), of(0, resnet...), false, -0.17515,
			Interval{-0.18056990169805315, -0.1697220535833202}, seeds},
		{"runs of unequal spread", of(10000, learned...), of(10000, quadratic...), false, -0.02375,
			Interval{-0.04206696198309785, -0.005458786809854753}, both},
		{"seed by seed", of(10000, learned...), of(10000, resnet...), true, -0.1989,
			Interval{-0.2141587379010697, -0.1836022547825331}, both},
		// Student's interval with 6 degrees of freedom, for variances of 5/12 each
		{"in percent", of(10000, 91, 92, 93, 94), of(10000, 81, 82, 83, 84), false, 10,
			Interval{10 - 2.446911851144969*math.Sqrt(10./12), 10 + 2.446911851144969*math.Sqrt(10./12)}, seeds},
		{"one run of unknown images", of(0, learned[0]), of(0, resnet...), false, -0.1989, NoInterval, Coverage{}},
		{"image by image", c, b, false, 0.1875, Interval{-0.5814019394587963, 0.7220767660960524}, both},
		{"image by image and seed by seed", c, b, true, 0.1875, Interval{-0.5446191161152211, 0.6960400455618725},
			both},
		{"two networks, image by image", rows("11101100"), rows("10100100"), false, 0.25,
			Interval{-0.0552686589748243, 0.4777204184480809}, images},
	} {
		got, err := Compare(tt.x, tt.base, tt.paired)
		if err != nil || !near(got.Diff, tt.diff) || !near(got.CI.Lo, tt.want.Lo) || !near(got.CI.Hi, tt.want.Hi) ||
			got.Covers != tt.covers || got.Paired != tt.paired {
			t.Errorf("%s: %+v, want %v in %v, %v", tt.name, got, tt.diff, tt.want, tt.covers)
		}
		if math.IsNaN(got.P) == tt.covers.Seeds {
			t.Errorf("%s: p %v, and the interval covers seeds: %v", tt.name, got.P, tt.covers.Seeds)
		}
		if excludes := got.CI.Lo > 0 || got.CI.Hi < 0; tt.covers.Seeds && excludes != (got.P < 0.05) {
			t.Errorf("%s: p %v, and the interval %v", tt.name, got.P, got.CI)
		}
	}
}

// Runs are not paired unless there are as many of both, and results by image are those of the runs.
func TestCompareRefuses(t *testing.T) {
	short := rows("1011", "1110")
	short.Right = short.Right[:1]
	few := rows("1011", "1110")
	few.Images = 9
	for name, tt := range map[string]struct {
		x, base Accuracies
		paired  bool
		want    string
	}{
		"four runs and three":     {of(10000, quadratic...), of(10000, resnet...), true, "4 and 3"},
		"one run and two":         {of(10000, 0.5), of(10000, 0.5, 0.6), true, "1 and 2"},
		"no run":                  {of(10000), of(10000, 0.5), false, "no runs"},
		"no run of the baseline":  {of(10000, 0.5), of(10000), true, "no runs"},
		"results of one run":      {short, rows("1011", "1110"), false, "2 runs, and results by image of 1"},
		"results of fewer images": {rows("1011", "1110"), few, false, "at most 8 images, not of 9"},
	} {
		if c, err := Compare(tt.x, tt.base, tt.paired); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %+v, %v: want %q", name, c, err, tt.want)
		}
	}
}

// By definition, mean ± t·s/√n with s² = Σ(x - mean)²/(n-1) and t the quantile for 97.5 % of n - 1 degrees of freedom,
// from tables: 12.706205 for 1, 3.182446 for 3.
func TestStudent(t *testing.T) {
	for _, tt := range []struct {
		values     []float64
		mean, half float64
	}{
		{[]float64{91, 92, 93, 94}, 92.5, 3.182446305284263 * math.Sqrt(5./3/4)},
		{[]float64{1, 3}, 2, 12.706204736432095 * math.Sqrt(2./2)},
	} {
		if got := Student(tt.values); !near(got.Lo, tt.mean-tt.half) || !near(got.Hi, tt.mean+tt.half) {
			t.Errorf("%v: %v, want %v ± %v", tt.values, got, tt.mean, tt.half)
		}
	}
}

// By hand: of four, 4 · 0.01, 3 · 0.02, 2 · 0.04, 0.6; of three, 3 · 0.029, then 2 · 0.03, which may not be smaller.
func TestHolm(t *testing.T) {
	nan := math.NaN()
	for _, tt := range []struct{ p, want []float64 }{
		{[]float64{0.02, 0.01, nan, 0.6, 0.04}, []float64{0.06, 0.04, nan, 0.6, 0.08}},
		{[]float64{0.03, 0.029, 0.9}, []float64{0.087, 0.087, 0.9}},
		{[]float64{0.7, 0.8}, []float64{1, 1}},
		{[]float64{0.2}, []float64{0.2}},
		{nil, nil},
	} {
		if got := Holm(tt.p); !slices.EqualFunc(got, tt.want, near) {
			t.Errorf("Holm(%v) = %v, want %v", tt.p, got, tt.want)
		}
	}
}
