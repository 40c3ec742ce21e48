package trained_test

import (
	"errors"
	"math"
	"slices"
	"testing"

	"github.com/attnconv/attnconv/data"
	"github.com/attnconv/attnconv/option"
	"github.com/attnconv/attnconv/session/trained"
)

// moved returns the images of s, shifted down and right by one pixel or none, what comes in being next to the border,
// and then mirrored.
func moved(s data.Split, shift int, mirror bool) data.Split {
	out := s
	out.Pixels = make([]uint8, len(s.Pixels))
	for i := range out.Pixels {
		plane, row, col := i/(s.Rows*s.Cols), i/s.Cols%s.Rows, i%s.Cols
		if mirror {
			col = s.Cols - 1 - col
		}
		inside := func(j, n int) int { // -1 is 1, n is n-2
			if j == n {
				return n - 2
			}
			return max(j, -j)
		}
		out.Pixels[i] = s.Pixels[(plane*s.Rows+inside(row-shift, s.Rows))*s.Cols+inside(col-shift, s.Cols)]
	}
	return out
}

// The logits of views are the weighted means of those of images that are moved by hand.
func TestViews(t *testing.T) {
	m, set := shortRun(t)
	images := set.Test
	images.Pixels, images.Labels = images.Pixels[:7*images.Size()], images.Labels[:7]
	logits := func(s data.Split, views string) []float32 {
		t.Helper()
		out, err := m.Evaluate(t.Context(), s, trained.EvaluateOptions{Batch: 3, Views: views})
		if err != nil {
			t.Fatal(err)
		}
		return out.Logits
	}
	one := logits(images, "")
	if !slices.Equal(one, logits(images, "one")) {
		t.Error("one view is not the image as it is")
	}
	mean := func(shift int) (sum []float64) {
		a, b := logits(moved(images, shift, false), "one"), logits(moved(images, shift, true), "one")
		for i := range a {
			sum = append(sum, (float64(a[i])+float64(b[i]))/2)
		}
		return sum
	}
	still, up, down := mean(0), mean(-1), mean(1)
	mirror, shifts := logits(images, "mirror"), logits(images, "shifts")
	for i := range one {
		if want := still[i]; math.Abs(float64(mirror[i])-want) > 1e-6 {
			t.Fatalf("mirror, logit %d: %v, want %v", i, mirror[i], want)
		}
		if want := still[i]/2 + (up[i]+down[i])/4; math.Abs(float64(shifts[i])-want) > 1e-6 {
			t.Fatalf("shifts, logit %d: %v, want %v", i, shifts[i], want)
		}
	}
	if slices.Equal(one, mirror) || slices.Equal(mirror, shifts) {
		t.Error("the views are the same: the test measures nothing")
	}
	wrong := (*option.Error)(nil)
	if _, err := m.Evaluate(t.Context(), images, trained.EvaluateOptions{Views: "all"}); !errors.As(err, &wrong) ||
		wrong.Key != "views" {
		t.Errorf("an unknown name: %v", err)
	}
}
