package weights

import (
	"context"
	"math"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/attnconv/attnconv/configs"
	"github.com/attnconv/attnconv/data"
	"github.com/attnconv/attnconv/data/sets"
	"github.com/attnconv/attnconv/model/convert"
	"github.com/attnconv/attnconv/session"
	"github.com/attnconv/attnconv/session/trained"
)

// photographs is CIFAR-10 in the folder that ATTNCONV_CIFAR10 names, or shapes32, with 100 test images.
func photographs(t *testing.T) *data.Set {
	t.Helper()
	set := *sets.Shapes()
	if dir := os.Getenv("ATTNCONV_CIFAR10"); dir != "" {
		photos, err := sets.Open(data.Options{Name: "cifar10"}, dir)
		if err != nil {
			t.Fatal(err)
		}
		set = *photos
	}
	set.Test = set.Test.Sample(100)
	return &set
}

// trainFor returns what a run makes of settings, or of a model.
func trainFor(t *testing.T, set *data.Set, r configs.Run, from *trained.Model) *trained.Model {
	t.Helper()
	o := session.Options{Settings: r, Set: set, From: from, Out: filepath.Join(t.TempDir(), "run"),
		NoBoard: true}
	if _, err := session.Train(context.Background(), o); err != nil {
		t.Fatal(err)
	}
	m, err := trained.Open(o.Out)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// convertTo returns m by other layers.
func convertTo(t *testing.T, m *trained.Model, to string, alpha float64) *trained.Model {
	t.Helper()
	kind, err := wayTo(m, to)
	if err != nil {
		t.Fatal(err)
	}
	converted, _, err := convertLayers(context.Background(), m, kind,
		layerOptions{Options: convert.Options{Alpha: alpha}})
	if err != nil {
		t.Fatal(err)
	}
	return converted
}

// A trained network and its attention have equal logits on 1,000 training images, with batch norm in evaluation. They
// also do after another epoch of each, on the same batches: with hard heads, gradients of the two forms are equal. Soft
// heads learn something else, and what they learn comes back to a convolution.
func TestConvertedEqualsOriginal(t *testing.T) {
	set := photographs(t)
	images := set.Train.Sample(1000)
	for kind, own := range map[string][]string{
		"resnet18":  {"model.width=4"},
		"convnet":   {"model.width=4"},
		"conv-twin": {"model.layers=2", "model.heads=9", "model.dim=16", "model.ffn=32", "model.border=zero"},
	} {
		t.Run(kind, func(t *testing.T) {
			r, err := session.Settings(append([]string{"preset=tiny", "data.name=" + set.Name, "model.kind=" + kind,
				"model.dropout=0", "data.train_size=500", "train.epochs=1", "train.batch=50",
				"train.limit_val_batches=1"}, own...)...)
			if err != nil {
				t.Fatal(err)
			}
			logits := func(m *trained.Model) []float32 {
				t.Helper()
				out, err := m.Classify(context.Background(), images)
				if err != nil || out.Len() != 1000 {
					t.Fatalf("logits of %d images, %v", out.Len(), err)
				}
				return out.Logits
			}
			equal := func(what string, a, b []float32, most float64) {
				t.Helper()
				var square, norm float64
				for i := range a {
					square += math.Pow(float64(a[i])-float64(b[i]), 2)
					norm += math.Pow(float64(a[i]), 2)
				}
				if e := math.Sqrt(square / norm); !(e < most) {
					t.Errorf("%s: logits differ by %.1e, want at most %.0e", what, e, most)
				}
			}
			first := trainFor(t, set, r, nil)
			hard, soft := convertTo(t, first, "attention", convert.Hard), convertTo(t, first, "attention", 0.5)
			was := logits(first)
			equal("hard heads", was, logits(hard), 1e-5)
			equal("soft heads", was, logits(soft), 1e-4)

			further, learned := trainFor(t, set, first.Config, first), trainFor(t, set, soft.Config, soft)
			equal("hard heads after an epoch", logits(further), logits(trainFor(t, set, hard.Config, hard)), 1e-4)
			back := convertTo(t, learned, "convolution", math.NaN())
			equal("soft heads after an epoch, and back", logits(learned), logits(back), 1e-4)
			if slices.Equal(back.Net.Params[0].Data, first.Net.Params[0].Data) {
				t.Error("nothing was learned")
			}
		})
	}
}
