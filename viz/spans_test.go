package viz

import (
	"strings"
	"testing"
)

// shares returns panels of fractions with spans.
func sharePanels() []Panel {
	return []Panel{
		{Title: "layer 1", Percent: true, Whole: true, Curves: []Curve{
			{Name: "3 × 3", Runs: [][]Point{{{0, 0.2}, {1, 0.5}, {2, 0.8}}, {{0, 0.3}, {1, 0.4}, {2, 0.7}}}},
			{Name: "place", Runs: [][]Point{{{0, 0.4}, {1, 0.3}, {2, 0.1}}, {{0, 0.45}, {1, 0.2}, {2, 0.12}}}}},
			Spans: []Span{{"by chance", 0.15, 0.35}, {"place, by chance", 0.3, 0.5}}},
		{Title: "layer 2", Percent: true, Whole: true, Curves: []Curve{{Name: "3 × 3",
			Runs: [][]Point{{{0, 0.2}, {2, 0.3}}}}}},
	}
}

// The first span is gray, the second hatched, and the axis has all of 0 to 1.
func TestSpansLookAsBefore(t *testing.T) {
	f, err := Curves(sharePanels(), CurvesOptions{})
	if err != nil {
		t.Fatal(err)
	}
	looksAsBefore(t, "spans", f)
	csv := string(f.Data.CSV())
	for _, want := range []string{"layer 1,by chance,from,,,0.15\n", "layer 1,\"place, by chance\",to,,,0.5\n"} {
		if !strings.Contains(csv, want) {
			t.Errorf("no %q in\n%s", want, csv)
		}
	}
	if want := "layer 1, by chance: 0.15 to 0.35"; !strings.Contains(f.Alt, want) {
		t.Errorf("no %q in %q", want, f.Alt)
	}
	svg, err := f.Encode("x.svg", Output{})
	if err != nil || !strings.Contains(string(svg), "gray: by chance") ||
		!strings.Contains(string(svg), "hatched: place, by chance") {
		t.Errorf("%v: the legend does not name the spans", err)
	}
}

// With a value for the deepest shade, layers are on one scale, and the words are of that value.
func TestLeverageIsOnOneScale(t *testing.T) {
	f, err := Kernels([]LayerKernel{{1, [][]float64{{0, 0.2, 0}, {0.2, 1, 0.2}, {0, 0.2, 0}}}, {2, [][]float64{{0.5}}}},
		KernelsOptions{Most: 1, What: "leverage"})
	if err != nil {
		t.Fatal(err)
	}
	looksAsBefore(t, "leverage", f)
	if f.Alt != "Leverage by shift. layer 1: largest leverage 1 at shift (0, 0); layer 2: largest leverage 0.5 at "+
		"shift (0, 0)." {
		t.Error(f.Alt)
	}
	if got := string(f.Data.CSV()); !strings.HasPrefix(got, "layer,row_shift,column_shift,leverage\n") {
		t.Error(got)
	}
}
