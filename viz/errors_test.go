package viz

import (
	"bytes"
	"fmt"
	"math"
	"strings"
	"testing"
)

// falling draws errors that fall exponentially in α, down to the rounding error.
func falling(t testing.TB) *Figure {
	t.Helper()
	panels := []ErrorPanel{
		{Title: "float32", Unit: "relative error", Tolerance: 1e-6, Thresholds: []Threshold{{17.33, "exact"}}},
		{Title: "float64", Unit: "relative error", Tolerance: 1e-12,
			Thresholds: []Threshold{{37.43, "exact"}, {1e9, "far"}}},
	}
	for i, least := range []float64{1e-7, 1e-16} {
		for k := 1; k <= 5; k += 2 {
			for _, border := range []string{"zero", "circular"} {
				c := ErrorCurve{Name: fmt.Sprintf("%d × %d", k, k), Border: border}
				for a := 1.0; a < 130; a *= 1.1 {
					c.Points = append(c.Points, Point{a, 4*math.Exp(-a) + float64(k)*least})
				}
				panels[i].Curves = append(panels[i].Curves, c)
			}
		}
	}
	f, err := Errors(panels, 0)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func TestErrorsLookAsBefore(t *testing.T) { looksAsBefore(t, "errors", falling(t)) }

func TestErrorsAreTheSameBytesEachTime(t *testing.T) {
	for _, name := range []string{"a.svg", "a.png"} {
		one, err := falling(t).Encode(name, Output{})
		two, err2 := falling(t).Encode(name, Output{})
		if err != nil || err2 != nil || !bytes.Equal(one, two) {
			t.Errorf("%s differs: %v, %v", name, err, err2)
		}
	}
}

func TestErrorsWithoutLogarithmsAreLeftOut(t *testing.T) {
	if f, err := Errors([]ErrorPanel{{Curves: []ErrorCurve{{Points: []Point{{1, 0}, {0, 1}}}}}}, 0); err == nil {
		t.Errorf("got %v, want an error", f)
	} else if !strings.Contains(err.Error(), "no errors above 0") {
		t.Error(err)
	}
}

func ExampleErrors() {
	f, err := Errors([]ErrorPanel{{Title: "float32", Unit: "relative error", Tolerance: 1e-6, Curves: []ErrorCurve{
		{Name: "3 × 3", Border: "zero", Points: []Point{{1, 0.8}, {16, 3e-7}, {46, 1e-7}}}}}}, 9)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(f.Alt)
	// Output: relative error in float32 of 3 × 3 zero: 1e-07 at α = 46.
}
