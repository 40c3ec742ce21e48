package session

import (
	"errors"
	"path/filepath"
	"slices"
	"testing"

	"github.com/attnconv/attnconv/session/trained"
)

// A run with a whitened stem that is fixed ends with the stem that only its training images determine: not the order
// in which they are learned, nor what augmentation makes of them. A checkpoint has it, and what the network was before
// is unknown.
func TestWhitenedStem(t *testing.T) {
	stem := func(set ...string) (*trained.Model, []float32) {
		t.Helper()
		o := tiny(t, append([]string{"train.epochs=1", "train.freeze=[features_upscale.weight]", "model.dim=128"},
			set...)...)
		if _, err := Train(t.Context(), o); err != nil {
			t.Fatal(err)
		}
		m, err := trained.Open(filepath.Join(o.Root, "latest"))
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range m.Net.Params {
			if p.Name == "model.features_upscale.weight" {
				return m, p.Data
			}
		}
		t.Fatal("no stem")
		return nil, nil
	}
	const whitened = 2 * 48 * 48 // of 128 · 48 weights
	m, first := stem("model.stem_init=whitening")
	_, other := stem("model.stem_init=whitening", "seed=7", "data.augment=[]", "train.eval_batch=3")
	if !slices.Equal(first[:whitened], other[:whitened]) || slices.Equal(first[whitened:], other[whitened:]) {
		t.Error("the whitening is not that of the training images")
	}
	_, fewer := stem("model.stem_init=whitening", "data.train_size=100")
	_, drawn := stem()
	if slices.Equal(first[:whitened], fewer[:whitened]) || slices.Equal(first[:whitened], drawn[:whitened]) {
		t.Error("other images, or none, make the same stem")
	}
	if !slices.Equal(first[whitened:], drawn[whitened:]) {
		t.Error("a weight that is not whitened is not as drawn")
	}
	unknown := (*trained.UnknownStartError)(nil)
	if _, err := m.Untrained(); !errors.As(err, &unknown) {
		t.Errorf("Untrained: %v", err)
	}
}
