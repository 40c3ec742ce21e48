package data

import (
	"errors"
	"strings"
	"testing"

	"github.com/attnconv/attnconv/configs"
	"github.com/attnconv/attnconv/data"
	"github.com/attnconv/attnconv/data/sets"
	"github.com/attnconv/attnconv/option"
)

// The figure shows one image of each class in turn, or the first training batch; the caption says which.
func TestSample(t *testing.T) {
	set, r := sets.Shapes(), configs.Default()
	r.Data.Name, r.Seed, r.Data.Augment = "shapes32", 3, []string{"flip"}
	for _, tt := range []struct {
		o       showOptions
		n       int
		caption string
	}{
		{showOptions{Split: "val", Images: 12}, 12, "shapes32 · 12 of 1,000 images to choose an epoch by"},
		{showOptions{Images: 7, Batch: true}, 7,
			"shapes32 · the first 7 images of epoch 1 of a run with seed 3, augmented by flip"},
	} {
		figure, n, err := tt.o.draw(t.Context(), set, r)
		if err != nil || n != tt.n || figure.Caption != tt.caption {
			t.Fatalf("%+v: %d images, %v, caption %q; want %q", tt.o, n, err, figure.Caption, tt.caption)
		}
		if first := strings.Join(set.Classes[:3], ", "); strings.Contains(figure.Alt, first) == tt.o.Batch {
			t.Errorf("%+v: %s", tt.o, figure.Alt)
		}
	}
	for key, o := range map[string]showOptions{"images": {Split: "val", Images: 401},
		"split": {Split: "all", Images: 1}} {
		wrong := (*option.Error)(nil)
		if _, _, err := o.draw(t.Context(), set, r); !errors.As(err, &wrong) || wrong.Key != key {
			t.Errorf("%+v: %v, want an error for %s", o, err, key)
		}
	}
	set.Train = data.Split{}
	if _, _, err := (showOptions{Split: "train", Images: 1}).draw(t.Context(), set, r); err == nil {
		t.Error("a set without training images was drawn")
	}
}
