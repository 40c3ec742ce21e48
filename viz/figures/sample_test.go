package figures

import (
	"errors"
	"strings"
	"testing"

	"github.com/attnconv/attnconv/configs"
	"github.com/attnconv/attnconv/data"
	"github.com/attnconv/attnconv/data/sets"
	"github.com/attnconv/attnconv/option"
)

// Sample shows one image of each class in turn, or the first training batch; the caption says which.
func TestSample(t *testing.T) {
	set, r := sets.Shapes(), configs.Default()
	r.Data.Name, r.Seed, r.Data.Augment = "shapes32", 3, []string{"flip"}
	for _, tt := range []struct {
		o       SampleOptions
		n       int
		caption string
	}{
		{SampleOptions{Split: "val", Images: 12}, 12, "shapes32 · 12 of 1,000 images to choose an epoch by"},
		{SampleOptions{Images: 7, Batch: true}, 7,
			"shapes32 · the first 7 images of epoch 1 of a run with seed 3, augmented by flip"},
	} {
		figure, n, err := Sample(t.Context(), set, r, tt.o)
		if err != nil || n != tt.n || figure.Caption != tt.caption {
			t.Fatalf("%+v: %d images, %v, caption %q; want %q", tt.o, n, err, figure.Caption, tt.caption)
		}
		if first := strings.Join(set.Classes[:3], ", "); strings.Contains(figure.Alt, first) == tt.o.Batch {
			t.Errorf("%+v: %s", tt.o, figure.Alt)
		}
	}
	for key, o := range map[string]SampleOptions{"images": {Split: "val", Images: 401},
		"split": {Split: "all", Images: 1}} {
		wrong := (*option.Error)(nil)
		if _, _, err := Sample(t.Context(), set, r, o); !errors.As(err, &wrong) || wrong.Key != key {
			t.Errorf("%+v: %v, want an error for %s", o, err, key)
		}
	}
	if _, _, err := Sample(t.Context(), nil, r, SampleOptions{Split: "val", Images: 1}); err == nil {
		t.Error("no set was drawn")
	}
	set.Train = data.Split{}
	if _, _, err := Sample(t.Context(), set, r, SampleOptions{Split: "train", Images: 1}); err == nil {
		t.Error("a set without training images was drawn")
	}
}
