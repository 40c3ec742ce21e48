package viz

import (
	"bytes"
	"image/gif"
	"math"
	"testing"

	"github.com/attnconv/attnconv/posenc/geometry"
)

// sharpening returns an image of 2 × 2 pixels, a kernel, its convolution, and outputs at two α.
func sharpening() (image, kernel, convolution [][]float64, steps []Sharpening) {
	image = [][]float64{{0, 1}, {1, 0}}
	kernel = [][]float64{{0, 0, 0}, {0, 2, 0}, {0, 0, -1}}
	convolution = [][]float64{{0, 2}, {2, 0}}
	steps = []Sharpening{{Alpha: 1, Output: [][]float64{{0.5, 1.5}, {1.25, 0}}}, {Alpha: 104, Output: convolution}}
	return image, kernel, convolution, steps
}

func TestSharpen(t *testing.T) {
	image, kernel, convolution, steps := sharpening()
	a, err := Sharpen(image, kernel, convolution, steps, SharpenOptions{Title: "two steps"})
	if err != nil {
		t.Fatal(err)
	}
	if got := [2]any{a.Data.Rows[0][1], a.Data.Rows[1][1]}; got != [2]any{0.75, 0.0} {
		t.Errorf("differences %v, want 0.75 and 0", got)
	}
	looksAsBefore(t, "sharpen", a.frames[0])
	b, err := a.Encode(Output{})
	if err != nil {
		t.Fatal(err)
	}
	g, err := gif.DecodeAll(bytes.NewReader(b))
	if err != nil || len(g.Image) != 2 || g.Delay[0] <= g.Delay[1]/3 {
		t.Errorf("%d frames with pauses %v, %v", len(g.Image), g.Delay, err)
	}
}

func TestSharpenRefuses(t *testing.T) {
	image, kernel, convolution, steps := sharpening()
	back := []Sharpening{steps[1], steps[0]}
	if _, err := Sharpen(image, kernel, convolution, back, SharpenOptions{}); err == nil {
		t.Error("descending α: want an error")
	}
	if _, err := Sharpen(image, kernel[:2], convolution, steps, SharpenOptions{}); err == nil {
		t.Error("a kernel of two rows: want an error")
	}
}

// Colors say what changed: blue is narrower, orange wider, by more than a seventh.
func TestChangesHaveColors(t *testing.T) {
	head := func(r50 float64) geometry.Head { return geometry.Isotropic([2]float64{}, math.Ln2/r50/r50) }
	before := []geometry.Head{head(1), head(1), head(1), head(1)}
	got := lightTheme.changes(before, []geometry.Head{head(0.5), head(2), head(1.1), head(0.95)})
	want := []any{lightTheme.Heads[0], lightTheme.Heads[1], lightTheme.Quiet, lightTheme.Quiet}
	for i := range want {
		if got[i] != want[i] {
			t.Errorf("head %d is %v, want %v", i+1, got[i], want[i])
		}
	}
}
