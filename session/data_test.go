package session

import (
	"context"
	"slices"
	"testing"

	"github.com/attnconv/attnconv/configs"
	"github.com/attnconv/attnconv/data"
)

// With --overfit-batches a run trains and evaluates on the same images in every epoch, not augmented, and as many of
// each class.
func TestOverfittingStaysWithItsImages(t *testing.T) {
	set, err := data.Open(data.Options{Name: "shapes32"}, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	config := configs.Default()
	config.Data.Name = "shapes32"
	config.Train.Batch, config.Train.EvalBatch, config.Train.OverfitBatches = 20, 20, 2
	s := &Session{config: configs.Resolved{Run: config}, set: set}
	trainOn, val, _, err := s.split()
	if err != nil {
		t.Fatal(err)
	}
	if counts := trainOn.Counts(10); slices.Min(counts) != 4 || slices.Max(counts) != 4 {
		t.Errorf("images by class: %v, want 4 of each", counts)
	}
	varied, err := s.trainLoader(trainOn)
	if err != nil {
		t.Fatal(err)
	}
	plain, err := s.evalLoader(val)
	if err != nil {
		t.Fatal(err)
	}
	want := pixels(plain, 0)
	if len(want) != 40*32*32*3 {
		t.Fatalf("%d values to evaluate, want those of 40 images", len(want))
	}
	for _, epoch := range []int{0, 7} {
		if !slices.Equal(pixels(varied, epoch), want) {
			t.Errorf("epoch %d has other images than the evaluation", epoch)
		}
	}
}

func pixels(l *data.Loader, epoch int) (all []float32) {
	for b := range l.Epoch(context.Background(), epoch, 0) {
		all = append(all, b.X...)
	}
	return all
}
