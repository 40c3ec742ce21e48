package viz

import (
	"image"
	"math"
	"strings"
	"testing"

	"github.com/attnconv/attnconv/posenc/geometry"
)

// A size that no page has is an error, before anything is drawn.
func TestFiguresThatDoNotFit(t *testing.T) {
	head := []Layer{{Number: 1, Heads: []geometry.Head{geometry.Isotropic([2]float64{}, 1)}}}
	for _, width := range []float64{-4, 1e9, math.Inf(1), math.NaN()} {
		f, err := Heads(head, HeadsOptions{Width: width})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := f.Encode("a.svg", Output{}); err == nil || !strings.Contains(err.Error(), "want more than 0") {
			t.Errorf("width %v: %v", width, err)
		}
	}
	f, err := Heads(head, HeadsOptions{Width: 100})
	if err != nil {
		t.Fatal(err)
	}
	for _, dpi := range []int{20000, -1} {
		if _, err := f.Encode("a.png", Output{DPI: dpi}); err == nil || !strings.Contains(err.Error(), "pixels") {
			t.Errorf("%d dots per inch: %v", dpi, err)
		}
		if _, err := f.Encode("a.svg", Output{DPI: dpi}); err != nil {
			t.Error(err)
		}
	}
	if _, err := Images([]Shown{{Image: image.NewGray(image.Rect(0, 0, 1, 1))}, {}}, ImagesOptions{}); err == nil {
		t.Error("an image that is nil was taken")
	}
}
