package train_test

import (
	"context"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/attnconv/attnconv/data"
	"github.com/attnconv/attnconv/internal/kernel/threads"
	"github.com/attnconv/attnconv/model"
	"github.com/attnconv/attnconv/model/ckpt"
	"github.com/attnconv/attnconv/run/event"
	"github.com/attnconv/attnconv/train"
)

func resNetTrainer(t *testing.T) (*train.Trainer, *model.Network) {
	t.Helper()
	spec := model.Default()
	spec.Kind, spec.Width = "resnet10", 4
	return trainerOf(t, spec, func(o *train.Options) { o.Epochs, o.Optimizer, o.LR = 2, "sgd", 0.05 })
}

// Running statistics are part of the state: stopped, saved and restored on another number of threads, a run of a
// residual network ends with the same bytes, statistics and scores included.
func TestResNetResumeIsExact(t *testing.T) {
	defer threads.SetLimit(0)
	whole, net := resNetTrainer(t)
	if err := whole.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	want := weights(net.Params)
	for _, stop := range []int{1, 6, 8} {
		threads.SetLimit(1 + stop%4)
		first, net := resNetTrainer(t)
		ctx, cancel := context.WithCancel(t.Context())
		first.Observe = func(e event.Event) error {
			if s, ok := e.(event.Step); ok && s.Step == stop {
				cancel()
			}
			return nil
		}
		if err := first.Run(ctx); !errors.Is(err, train.ErrStopped) {
			t.Fatalf("Run: %v, want ErrStopped", err)
		}
		f := &ckpt.File{Tensors: append(net.Tensors(), first.State()...)}
		threads.SetLimit(1 + (stop+1)%4)
		second, net := resNetTrainer(t)
		if err := net.SetWeights(f); err != nil {
			t.Fatal(err)
		}
		if err := second.Restore(f, first.CursorText()); err != nil {
			t.Fatal(err)
		}
		if err := second.Run(t.Context()); err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(weights(net.Params), want) {
			t.Errorf("stopped after step %d: other weights or statistics than without a stop", stop)
		}
		if second.Cursor.Last != whole.Cursor.Last {
			t.Errorf("stopped after step %d: last epoch %+v, without a stop %+v", stop, second.Cursor.Last,
				whole.Cursor.Last)
		}
	}
}

// In evaluation the norms use their running statistics, so that no image's score depends on the others in its batch.
func TestResNetScoreForAnyBatch(t *testing.T) {
	tr, net := resNetTrainer(t)
	if err := tr.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	var first *train.Score
	for _, batch := range []int{1, 7, 60} {
		l, err := data.NewLoader(shapes.val, data.LoaderOptions{Batch: batch, Pad: true})
		if err != nil {
			t.Fatal(err)
		}
		e, err := train.NewEvaluator(net, train.Shape{batch, 32, 32, 3}, train.Options{})
		if err != nil {
			t.Fatal(err)
		}
		defer e.Close()
		s, err := e.Score(t.Context(), l, 0)
		if err != nil {
			t.Fatal(err)
		}
		if first == nil {
			first = &s
		}
		if s.Loss != first.Loss || s.Acc != first.Acc {
			t.Errorf("batch %d: %+v, batch 1: %+v", batch, s, *first)
		}
	}
}

// A step whose gradient is not finite leaves the running statistics as they are, and the weights.
func TestDivergenceLeavesStatistics(t *testing.T) {
	tr, net := resNetTrainer(t)
	for _, p := range net.Params {
		if strings.HasSuffix(p.Name, "layer4.0.conv2.weight") {
			p.Data[0] = float32(math.Inf(1))
		}
	}
	before := weights(net.Params)
	var diverged *train.DivergenceError
	if err := tr.Run(t.Context()); !errors.As(err, &diverged) {
		t.Fatalf("Run: %v, want *Diverged", err)
	}
	if !strings.HasPrefix(diverged.Where, "conv") || !strings.Contains(diverged.Where, "layer4.0.conv2") {
		t.Errorf("diverged in %q, want the convolution that was poisoned", diverged.Where)
	}
	if !slices.Equal(weights(net.Params), before) {
		t.Error("weights or statistics were moved")
	}
}
