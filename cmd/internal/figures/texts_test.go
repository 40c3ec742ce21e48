package figures

import (
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/attnconv/attnconv/configs"
	"github.com/attnconv/attnconv/null"
	"github.com/attnconv/attnconv/posenc/geometry"
	"github.com/attnconv/attnconv/viz"
)

// Layers are in range and ascending, whatever a user says.
func FuzzParseLayers(f *testing.F) {
	for _, s := range []string{"", "1-3", "1,4", "3-1", "6-6,1", "-1,0", "7", "1-", "1e3"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		numbers, err := ParseLayers(s, 6)
		if err == nil && s != "" && (len(numbers) == 0 || numbers[0] < 1 || numbers[len(numbers)-1] > 6 ||
			!slices.IsSorted(numbers)) {
			t.Errorf("layers %q: %v", s, numbers)
		}
	})
}

// A head that attends to all tokens alike has no nearest shift, and says what it is. No line is wider than a terminal.
func TestHeadText(t *testing.T) {
	layers := []viz.Layer{{Number: 2, Heads: []geometry.Head{
		{Center: [2]float64{-0.2, 1}, Precision: [2][2]float64{{2, 0}, {0, 2}}}, {Center: [2]float64{0, 0}},
		{Center: [2]float64{-10.123, -11.123}, Precision: [2][2]float64{{1.234e-7, 0}, {0, 2.345e-6}}},
	}}}
	spec := configs.Default().Model
	spec.Pool = 2
	text := HeadText(layers, true, spec, 80)
	for _, want := range []string{
		"rows count down, columns to the right; nearest: the nearest whole shift;\nuniform: ",
		"layer  head     row  column     alpha ",
		"\n    2     1   -0.20    1.00         1 ",
		"  > grid  > grid   uniform       -\n",
		"\ncenters and radii are in tokens, from the query; a token is 2 × 2 pixels\n",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	general := HeadText(layers, false, spec, 80)
	if !strings.Contains(general, "axes 50 %") {
		t.Error(general)
	}
	for line := range strings.Lines(text + general) {
		if n := utf8.RuneCountInString(line) - 1; n > 80 {
			t.Errorf("%d columns: %s", n, line)
		}
	}
	if d := HeadDocuments(layers, true); len(d) != 3 || d[1].Head != 2 || d[1].Layer != 2 || !d[1].Degenerate {
		t.Errorf("%+v", d)
	}
}

// A value that no epoch has is a dash.
func TestCurveText(t *testing.T) {
	text := CurveText([]CurveSummary{{Name: "learned", Runs: []string{"a", "b"}, Epochs: 3, Best: 0.5,
		Loss: null.Unknown, Bests: []int{2, 3}},
		{Name: "b", Runs: []string{"c"}, Bests: []int{0}, Best: null.Unknown, Loss: null.Unknown}})
	want := "curve    runs  epochs  mean of best val acc  at epoch  last val loss\n" +
		"learned  2     3       50.00 %               2, 3      -\n" +
		"b        1     0       -                     0         -\n"
	if text != want {
		t.Errorf("got\n%swant\n%s", text, want)
	}
}
