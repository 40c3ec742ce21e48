package main

import (
	"bytes"
	"image/gif"
	"math"
	"strings"
	"testing"

	"github.com/attnconv/attnconv/viz"
)

// The legend explains pale bars where there are some, and the words say what the bars do.
func TestContrasts(t *testing.T) {
	for _, pale := range []bool{true, false} {
		f := contrasts([]contrast{{1, 0.94, [2]float64{0.83, 0.98}, 0.25, 0.08, pale}}, "% of the norm", "trained",
			"no difference", 8.4)
		if want := "Bars. layer 1: 94 % [83, 98], untrained 25 ± 8."; f.Alt != want {
			t.Errorf("%s, want %s", f.Alt, want)
		}
		svg, err := f.Encode("x.svg", viz.Output{})
		if err != nil || strings.Contains(string(svg), "no difference") != pale {
			t.Errorf("pale bars: %v; the legend is wrong (%v)", pale, err)
		}
	}
}

func TestEquation(t *testing.T) {
	f := equation("A·x = b", [][]term{{{matrix: [][]float64{{1, 0}, {0, 2}}, name: "A"}, sign("·"),
		{matrix: [][]float64{{3}, {-4}}, name: "x"}}}, 0)
	if want := "A·x = b: A (2 × 2) · x (2 × 1)."; f.Alt != want || len(f.Data.Rows) != 6 || f.Width != 9 {
		t.Errorf("%s, want %s; %d values, want 6; %v cm wide, want 9", f.Alt, want, len(f.Data.Rows), f.Width)
	}
}

// The animation has a frame for each output, and the largest difference of each.
func TestLimit(t *testing.T) {
	l := &limit{image: [][]float64{{0, 1}, {1, 0}}, convolution: [][]float64{{0, 2}, {2, 0}},
		kernel: [][]float64{{0, 0, 0}, {0, 2, 0}, {0, 0, -1}}}
	l.add(1, [][]float64{{0.5, 1.5}, {1.25, 0}})
	l.add(104, l.convolution)
	if math.Abs(l.errors[0]-0.75) > 1e-12 || l.errors[1] != 0 {
		t.Errorf("differences %v, want 0.75 and 0", l.errors)
	}
	b, err := l.animation().Encode(viz.Output{})
	if err != nil {
		t.Fatal(err)
	}
	g, err := gif.DecodeAll(bytes.NewReader(b))
	if err != nil || len(g.Image) != 2 || g.Delay[0] <= g.Delay[1]/3 {
		t.Errorf("%d frames with pauses %v, %v", len(g.Image), g.Delay, err)
	}
}
