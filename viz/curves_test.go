package viz

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// learning returns a random accuracy or loss over epochs.
func learning(from, to, pace float64, epochs int, rng *rand.Rand) (points []Point) {
	for e := 1; e <= epochs; e++ {
		y := to + (from-to)*math.Exp(-float64(e)/pace) + 0.008*rng.NormFloat64()
		points = append(points, Point{float64(e), y})
	}
	return points
}

// twoPanels draws accuracy and loss of several models, some of them with several seeds.
func twoPanels(t testing.TB, curves int) *Figure {
	t.Helper()
	rng := rand.New(rand.NewPCG(5, 6))
	panels := []Panel{{Title: "validation accuracy", Percent: true}, {Title: "loss"}}
	for i := range curves {
		acc, loss := Curve{Name: fmt.Sprintf("model %d", i+1)}, Curve{}
		for range 1 + i%3 {
			acc.Runs = append(acc.Runs, learning(0.1, 0.9-0.04*float64(i), 8+float64(i), 60-5*(i%3), rng))
			loss.Runs = append(loss.Runs, learning(2.3, 0.4+0.1*float64(i), 8+float64(i), 60-5*(i%3), rng))
			loss.Dotted = append(loss.Dotted, learning(2.3, 0.3+0.1*float64(i), 7+float64(i), 60-5*(i%3), rng))
		}
		acc.Note = fmt.Sprintf("%d seeds", len(acc.Runs))
		panels[0].Curves = append(panels[0].Curves, acc)
		panels[1].Curves = append(panels[1].Curves, loss)
	}
	f, err := Curves(panels, CurvesOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func TestCurvesLookAsBefore(t *testing.T) { looksAsBefore(t, "curves", twoPanels(t, 8)) }

// 1, 2 and 3 have mean 2 and deviation 1; the longer run goes on alone.
func TestSpread(t *testing.T) {
	points, deviation := spread([][]Point{{{1, 1}, {2, 5}}, {{1, 2}, {2, math.NaN()}}, {{1, 3}}})
	if !slices.Equal(points, []Point{{1, 2}, {2, 5}}) || !slices.Equal(deviation, []float64{1, 0}) {
		t.Errorf("spread = %v, %v", points, deviation)
	}
}

func TestTicks(t *testing.T) {
	for _, tt := range []struct {
		a, b    float64
		percent bool
		whole   bool
		want    string
	}{
		{1, 2, false, true, "1 2"},
		{1, 6, false, true, "1 2 3 4 5 6"},
		{0, 1, true, false, "0 % 20 % 40 % 60 % 80 % 100 %"},
		{0.1, 0.3, false, false, "0.10 0.15 0.20 0.25 0.30"},
		{1, 24, false, true, "5 10 15 20"},
		{-1, 1, false, false, "-1.0 -0.5 0.0 0.5 1.0"},
	} {
		var got []string
		for _, tick := range ticks(tt.a, tt.b, 6, tt.percent, tt.whole) {
			got = append(got, tick.label)
		}
		if s := strings.Join(got, " "); s != tt.want {
			t.Errorf("ticks from %v to %v: %s, want %s", tt.a, tt.b, s, tt.want)
		}
	}
}

// Values that are NaN are left out, also of the ranges.
func TestCurvesOfNothing(t *testing.T) {
	if _, err := Curves(nil, CurvesOptions{}); err == nil {
		t.Error("no panels: want an error")
	}
	for _, run := range [][]Point{nil, {{1, 2}}, {{1, math.NaN()}, {2, math.NaN()}}} {
		f, err := Curves([]Panel{{Title: "loss", Curves: []Curve{{Name: "a", Runs: [][]Point{run}}}}}, CurvesOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := f.Encode("a.svg", Output{}); err != nil {
			t.Errorf("%v: %v", run, err)
		}
	}
}

// What has no place on a panel is an error that says which curve and point.
func TestCurvesRefuse(t *testing.T) {
	for want, run := range map[string][]Point{
		`panel "loss", curve "a", run 2, point 2 is (2, +Inf): want a finite Y`:  {{1, 2}, {2, math.Inf(1)}},
		"point 1 is (NaN, 1): want a finite X":                                   {{math.NaN(), 1}},
		"point 1 is (-Inf, 1): want a finite X":                                  {{math.Inf(-1), 1}},
		"point 3 is (1, 0): want points sorted by X, and the one before is at 2": {{1, 2}, {2, 1}, {1, 0}},
	} {
		curve := Curve{Name: "a", Runs: [][]Point{{{1, 1}, {1, 2}}}, Dotted: [][]Point{run}}
		if _, err := Curves([]Panel{{Title: "loss", Curves: []Curve{curve}}}, CurvesOptions{}); err == nil ||
			!strings.Contains(err.Error(), want) {
			t.Errorf("%v: %v, want %q", run, err, want)
		}
	}
}

// Accuracy over epochs, of two seeds.
func ExampleCurves() {
	f, err := Curves([]Panel{{
		Title: "validation accuracy", Percent: true,
		Curves: []Curve{{Name: "quadratic", Runs: [][]Point{
			{{1, 0.31}, {2, 0.42}, {3, 0.47}},
			{{1, 0.29}, {2, 0.40}, {3, 0.48}},
		}}},
	}}, CurvesOptions{Width: 10})
	if err != nil {
		fmt.Println(err)
		return
	}
	png, err := f.Encode("curves.png", Output{Theme: "paper", DPI: 300})
	fmt.Println(len(png) > 0, err)
	fmt.Print(string(f.Data.CSV()[:46]))
	// Output:
	// true <nil>
	// panel,curve,kind,run,epoch,value
	// validation ac
}
