package session

import (
	"context"
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/attnconv/attnconv/configs"
	"github.com/attnconv/attnconv/data"
	"github.com/attnconv/attnconv/data/sets"
	"github.com/attnconv/attnconv/session/trained"
)

// With --overfit-batches a run trains and evaluates on the same images in every epoch, not augmented, and as many of
// each class.
func TestOverfittingStaysWithItsImages(t *testing.T) {
	set, err := sets.Open(data.Options{Name: "shapes32"}, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	config := configs.Default()
	config.Data.Name = "shapes32"
	config.Train.Batch, config.Train.EvalBatch, config.Train.OverfitBatches = 20, 20, 2
	s := &Session{config: configs.ResolvedRun{Run: config}, set: set}
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

// A run on a set of sets.New records its name, whether its settings name it or not, and goes on when it is given the
// set again. Without the set the error names it.
func TestRunOnASetOfOnesOwn(t *testing.T) {
	some := func(from data.Split, n int) data.Split {
		all := make([]int, n)
		for i := range all {
			all[i] = i
		}
		return from.Subset(all)
	}
	set, err := sets.New("flowers", shapes().Classes, some(shapes().Train, 64), data.Split{}, some(shapes().Test, 16))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"data.name=flowers", "data.name=shapes32"} {
		o := tiny(t, name, "train.epochs=1")
		o.Set = set
		if _, err := Train(t.Context(), o); err != nil {
			t.Fatal(err)
		}
		s, err := New(Options{Resume: filepath.Join(o.Root, "latest"), Extend: 1, Set: set})
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		if err := s.Begin(); err != nil {
			t.Fatal(err)
		}
		r, err := configs.Of(s.Dir())
		if status := s.Dir().Status(); err != nil || r.Data.Name != "flowers" || status.Data != "flowers" {
			t.Errorf("%s: the run says %q and %q, want flowers (%v)", name, r.Data.Name, status.Data, err)
		}
		_, err = New(Options{Resume: filepath.Join(o.Root, "latest"), Extend: 1})
		moved := (*trained.MovedDataError)(nil)
		if !errors.As(err, &moved) || strings.Contains(err.Error(), "attnconv ") {
			t.Errorf("%s: resumed without the set: %v", name, err)
		}
	}
	if _, err := New(tinyWithout(t, "data.name=flowers")); err == nil ||
		!strings.Contains(err.Error(), `"flowers" is not in`) {
		t.Errorf("without the set: %v", err)
	}
	if _, err := Settings("data.name=no name"); err == nil {
		t.Error("a name that no set can have is accepted")
	}
}

// tinyWithout is tiny without its images.
func tinyWithout(t *testing.T, set ...string) Options {
	o := tiny(t, set...)
	o.Set = nil
	return o
}
