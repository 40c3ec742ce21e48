package network

import (
	"context"
	"slices"
	"testing"

	"github.com/attnconv/attnconv/data"
	"github.com/attnconv/attnconv/model"
)

// Regressions are fitted on training images and scored on validation images, where R² is lower.
func TestScoredOnOtherImages(t *testing.T) {
	net := small(t, func(s *model.Spec) { s.Encoding = "content" })
	train, held := noise(60), otherNoise(60)
	m := measurementOf(t, net, train, held, Options{Images: 60, Attention: 5, Kernel: 3})
	if !slices.Equal(m.fit.Pixels, train.Pixels) || !slices.Equal(m.score.Pixels, held.Pixels) {
		t.Error("want the fit on the training images and the score on the others")
	}
	if d := m.d.Images; d.Fit != 60 || d.Score != 60 || d.FitSplit != "train" || d.Split != "val" {
		t.Errorf("images %+v", d)
	}
	others := m.d.Layers[0].Spectrum.K3
	m.score = m.fit
	if err := m.spectrum(context.Background(), &m.d.Layers[0], m.sites[0], 3); err != nil {
		t.Fatal(err)
	}
	same := m.d.Layers[0].Spectrum
	if same.K3 < others+1e-3 {
		t.Errorf("R² %v on the images of the fit, %v on others: want it lower", same.K3, others)
	}
}

// Without training images, the two halves of the others have no image in common.
func TestHalvesOfHeldImages(t *testing.T) {
	held := noise(120)
	m := &measurement{Subject: Subject{Held: held, Split: "val"}, o: Options{Images: 60}, d: &Analysis{}}
	m.divide()
	if !slices.Equal(slices.Concat(m.fit.Pixels, m.score.Pixels), held.Pixels) || m.d.Images.FitSplit != "val" {
		t.Errorf("fit and score are not the two halves of the images: %+v", m.d.Images)
	}
}

// Of a set that lists its images by class, the images to fit on have every class.
func TestImagesOfEveryClass(t *testing.T) {
	train := noise(300)
	for i := range train.Labels {
		train.Labels[i] = int32(i / 30)
	}
	m := &measurement{Subject: Subject{Train: train, Held: train}, o: Options{Images: 100}, d: &Analysis{}}
	m.divide()
	for _, s := range []data.Split{m.fit, m.score} {
		if n := s.Counts(10); s.Len() != 100 || slices.Min(n) < 3 {
			t.Errorf("%d images, by class %v", s.Len(), n)
		}
	}
}
