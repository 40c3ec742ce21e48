package measure

import (
	"context"
	"slices"
	"testing"

	"github.com/attnconv/attnconv/model"
)

// Regressions are scored on other images than those of the fit: the two halves have no image in common, and R² is that of the second.
func TestScoredOnOtherImages(t *testing.T) {
	net := small(t, func(s *model.Spec) { s.Encoding = "content" })
	held := noise(120)
	m := measuringOf(t, net, held, Options{Images: 60, Attention: 5, Kernel: 3})
	if !slices.Equal(slices.Concat(m.fit.Pixels, m.score.Pixels), held.Pixels) {
		t.Error("fit and score are not the two halves of the images")
	}
	others := *m.d.Layers[0].Spectrum.K3
	m.score = m.fit
	same, err := m.spectrum(context.Background(), m.sites[0], 3)
	if err != nil {
		t.Fatal(err)
	}
	if *same.K3 < others+1e-3 {
		t.Errorf("R² %v on the images of the fit, %v on others: want it lower", *same.K3, others)
	}
}
