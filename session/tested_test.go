package session

import (
	"math"
	"path/filepath"
	"testing"

	"github.com/attnconv/attnconv/data"
	"github.com/attnconv/attnconv/run/event"
	"github.com/attnconv/attnconv/session/trained"
)

// The test accuracy of a run whose last epoch is worse than the first is that of the first epoch's weights on the test
// images. In the second epoch the weights become those of a classifier that always says 9, and there is no 9 among the
// validation images.
func TestTestedWithTheBestWeights(t *testing.T) {
	set := *shapes()
	some := func(from data.Split, n int, without int32) data.Split {
		var chosen []int
		for i, label := range from.Labels {
			if label != without && len(chosen) < n {
				chosen = append(chosen, i)
			}
		}
		return from.Subset(chosen)
	}
	set.Val, set.Test = some(set.Train, 60, 9), some(set.Test, 70, -1)
	o := tiny(t, "train.limit_val_batches=0", "train.lr=1e-6")
	o.Set = &set
	var s *Session
	var tested event.Eval
	o.Observe = func(e event.Event) error {
		switch e := e.(type) {
		case event.Step:
			if e.Step == 5 { // the first step of the second epoch
				for _, p := range s.Net().Params {
					clear(p.Data)
					if len(p.Data) == 10 && len(p.Shape) == 1 {
						p.Data[9] = 10
					}
				}
			}
		case event.Eval:
			tested = e
		}
		return nil
	}
	s, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	summary, err := s.Train(t.Context())
	if err != nil || summary.BestEpoch != 1 {
		t.Fatalf("the best epoch is %d, want 1: %v", summary.BestEpoch, err)
	}
	first, err := trained.Open(filepath.Join(s.Dir().Path, "checkpoints", "epoch-001.ckpt"))
	if err != nil {
		t.Fatal(err)
	}
	out, err := first.Evaluate(t.Context(), set.Test, trained.EvaluateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	want := out.Score()
	if tested.N != 70 || math.Abs(tested.Loss-want.Loss) > 1e-9 || tested.Acc != want.Acc ||
		summary.TestAcc != want.Acc {
		t.Errorf("tested on %d images: loss %v, accuracy %v, in the summary %v; the best weights have %v, %v on 70",
			tested.N, tested.Loss,
			tested.Acc, summary.TestAcc, want.Loss, want.Acc)
	}
	// A multiply-add is two operations, and the backward pass takes two products of the size of each in the forward
	// pass.
	if want := float64(3*2*s.Plan().MACs*8) * 1e-9; math.Abs(summary.GFLOPStep-want) > 1e-9*want {
		t.Errorf("a step of 8 images takes %v GFLOP, want %v", summary.GFLOPStep, want)
	}
}
