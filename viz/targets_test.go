package viz

import (
	"math"
	"slices"
	"strings"
	"testing"
)

// raced draws two models on the way to three targets: one with two seeds, of which one alone reaches the second target,
// and one that reaches the first. None reaches the third.
func raced(t *testing.T) *Figure {
	t.Helper()
	p := Panel{Title: "validation accuracy", Percent: true, Targets: []float64{0.5, 0.7, 0.9}, Curves: []Curve{
		{Name: "quick", Runs: [][]Point{{{1, 0.4}, {2, 0.5}, {3, 0.71}}, {{1.5, 0.55}, {2.5, 0.45}, {3.5, 0.69}}}},
		{Name: "slow", Runs: [][]Point{{{2, math.NaN()}, {4, 0.3}, {6, 0.6}}}},
	}}
	f, err := Curves([]Panel{p}, CurvesOptions{X: "minutes", Width: 12})
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func TestTargetsLookAsBefore(t *testing.T) { looksAsBefore(t, "targets", raced(t)) }

// A target counts from the first measurement at or above it, for each run; the values and the description say the same.
func TestTargets(t *testing.T) {
	f := raced(t)
	var got []string
	for line := range strings.Lines(string(f.Data.CSV())) {
		if strings.Contains(line, ",reaches,") {
			got = append(got, strings.TrimSpace(strings.TrimPrefix(line, "validation accuracy,")))
		}
	}
	want := []string{"quick,reaches,1,2,0.5", "quick,reaches,1,3,0.7", "quick,reaches,2,1.5,0.5",
		"slow,reaches,1,6,0.5"}
	if !slices.Equal(got, want) {
		t.Errorf("the values have %q, want %q", got, want)
	}
	for _, want := range []string{
		"quick reaches 50 % in 2 of 2 runs, at minutes 1.5 to 2;", "quick reaches 70 % in 1 of 2 runs, at minutes 3;",
		"quick does not reach 90 %;", "slow reaches 50 % at minutes 6;", "slow does not reach 70 %;",
	} {
		if !strings.Contains(f.Alt, want) {
			t.Errorf("%q is not in the description %q", want, f.Alt)
		}
	}
}
