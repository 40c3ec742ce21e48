package viz

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"gonum.org/v1/plot/vg"
)

// No number overlaps another or leaves the frame, for 9 and 16 heads near the query, on panels of several sizes.
func TestNumbersDoNotCollide(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	for _, heads := range []int{9, 16} {
		for _, side := range []float64{5.5, 6.5, 8} {
			for trial := range 20 {
				f := around(vg.Rectangle{Max: vg.Point{X: cm(side), Y: cm(side)}}, 4.5)
				l := labels{}
				for i := range heads {
					h := round(0.3 + 3*rng.Float64())
					h.Center = [2]float64{0.8 * rng.NormFloat64(), 0.8 * rng.NormFloat64()}
					l.add(f, i, h.Center, contour(h, 0.5, 360))
				}
				placed := l.place()
				if len(placed) != heads {
					t.Errorf("%d numbers for %d heads", len(placed), heads)
				}
				for i, a := range placed {
					if !within(a.box().Min, f.box) || !within(a.box().Max, f.box) {
						t.Errorf("%d heads, %v cm, trial %d: number %s is not in the frame", heads, side, trial, a.text)
					}
					for _, b := range placed[:i] {
						if meet(a.box(), b.box()) {
							t.Errorf("%d heads, %v cm, trial %d: numbers %s and %s collide", heads, side, trial, a.text,
								b.text)
						}
					}
				}
			}
		}
	}
}

// A peak outside of a zoom is marked with its shift, unless an equal one is inside.
func TestPeakOutside(t *testing.T) {
	for _, tt := range []struct {
		name   string
		peaks  [][2]int // (row, column) of an image of 16 × 16 tokens, query (8, 8)
		zoom   int
		marked string
	}{
		{"outside", [][2]int{{5, 14}}, 5, "(−3, +6)"},
		{"straight left", [][2]int{{8, 1}}, 5, "(0, −7)"},
		{"inside", [][2]int{{7, 9}}, 5, ""},
		{"at the edge of the window", [][2]int{{10, 6}}, 5, ""},
		{"two equal", [][2]int{{0, 0}, {8, 8}}, 5, ""},
		{"no zoom", [][2]int{{0, 0}}, 0, ""},
	} {
		m := Map{Rows: 16, Cols: 16, Values: make([]float64, 256)}
		for _, p := range tt.peaks {
			m.Values[16*p[0]+p[1]] = 1 / float64(len(tt.peaks))
		}
		v := View{Query: [2]int{8, 8}, Layers: []MapLayer{{Number: 1, Heads: []Map{m}}}}
		b, err := drawn(t, []View{v}, MapsOptions{Zoom: tt.zoom}).Encode("a.svg", Output{})
		if err != nil {
			t.Fatal(err)
		}
		words := strings.Contains(string(b), "arrow: the peak is outside")
		if words != (tt.marked != "") || !strings.Contains(string(b), ">"+tt.marked) {
			t.Errorf("%s: the legend mentions arrows: %t; want the mark %q", tt.name, words, tt.marked)
		}
	}
}

// The number above a map is its peak, even if the peak does not have the deepest shade.
func TestNumberIsThePeak(t *testing.T) {
	o := MapsOptions{}
	even := Map{Rows: 10, Cols: 10, Values: make([]float64, 100)}
	for i := range even.Values {
		even.Values[i] = 0.01
	}
	if got := o.peakText(even); got != "1.0 %" {
		t.Errorf("an even map of 100 tokens: %s above it, want 1.0 %%", got)
	}
	f := drawn(t, []View{{Query: [2]int{5, 5}, Layers: []MapLayer{{Number: 1, Heads: []Map{even}}}}}, o)
	b, err := f.Encode("a.svg", Output{})
	if err != nil || !strings.Contains(string(b), ", or 4 % where") {
		t.Errorf("%v; want the legend to say that 4 %% has full color", err)
	}
}

func TestRuns(t *testing.T) {
	for want, numbers := range map[string][]int{"": nil, "3": {3}, "1, 2": {1, 2},
		"1–3, 5, 7–9": {1, 2, 3, 5, 7, 8, 9}} {
		if got := runs(numbers); got != want {
			t.Errorf("%v: %q, want %q", numbers, got, want)
		}
	}
}

// Each of the first 24 curves has another combination of dashes and glyph.
func TestCurvesAreDistinct(t *testing.T) {
	seen := map[string]int{}
	for i := range 24 {
		style := fmt.Sprintf("%v %T", Themes[0].curve(i).Dashes, glyphs[i%len(glyphs)])
		if first, ok := seen[style]; ok {
			t.Errorf("curves %d and %d are both %s", first+1, i+1, style)
		}
		seen[style] = i
	}
}

// The range of a panel includes its bands: here from 1 − √2 to 1 + √2 around the mean of 0 and 2.
func TestBandsAreNotCut(t *testing.T) {
	p := Panel{Curves: []Curve{{Runs: [][]Point{{{1, 0}, {2, 0}}, {{1, 2}, {2, 2}}}}}}
	if f, _, _ := p.frame(vg.Rectangle{}, true); f.rows[0] < 2.4142 || f.rows[1] > -0.4142 {
		t.Errorf("the panel reaches from %v to %v", f.rows[1], f.rows[0])
	}
}
