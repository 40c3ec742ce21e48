package train_test

import (
	"context"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/attnconv/attnconv/data"
	"github.com/attnconv/attnconv/data/sets"
	"github.com/attnconv/attnconv/internal/kernel/threads"
	"github.com/attnconv/attnconv/model"
	"github.com/attnconv/attnconv/model/ckpt"
	"github.com/attnconv/attnconv/nn"
	"github.com/attnconv/attnconv/run/event"
	"github.com/attnconv/attnconv/train"
)

// shapes is the built-in data, small: 240 images to train on and 60 held out.
var shapes = func() (s struct{ train, val data.Split }) {
	set := sets.Shapes()
	s.train, s.val = set.Train.Subset(upTo(0, 240)), set.Train.Subset(upTo(240, 300))
	return s
}()

func upTo(lo, hi int) []int {
	list := make([]int, hi-lo)
	for i := range list {
		list[i] = lo + i
	}
	return list
}

// trainer returns a run of 3 epochs of 6 steps of a small network, dropout on.
func trainer(t *testing.T, change func(*train.Options)) (*train.Trainer, *model.Network) {
	t.Helper()
	spec := model.Default()
	spec.Layers, spec.Heads, spec.Dim, spec.FFN, spec.Pool = model.Equal(2), model.Ints{3}, 12, 16, 4
	return trainerOf(t, spec, change)
}

func trainerOf(t *testing.T, spec model.Spec, change func(*train.Options)) (*train.Trainer, *model.Network) {
	t.Helper()
	net, err := model.New(spec, 1)
	if err != nil {
		t.Fatal(err)
	}
	return trainerWith(t, net, change)
}

func trainerWith(t *testing.T, net *model.Network, change func(*train.Options)) (*train.Trainer, *model.Network) {
	t.Helper()
	o := train.Default()
	o.Epochs, o.Batch, o.EvalBatch, o.Optimizer, o.LR, o.PerEpoch, o.Clip = 3, 40, 25, "adamw", 1e-3, false, 1
	change(&o)
	batches, err := data.NewLoader(shapes.train, data.LoaderOptions{Batch: o.Batch, Shuffle: true,
		Augment: []string{"crop", "flip"}})
	if err != nil {
		t.Fatal(err)
	}
	held, err := data.NewLoader(shapes.val, data.LoaderOptions{Batch: o.EvalBatch, Pad: true})
	if err != nil {
		t.Fatal(err)
	}
	tr := &train.Trainer{Options: o, Net: net, Params: net.Params, Train: batches, Val: held, Shape: [3]int{32, 32, 3},
		Observe: func(event.Event) error { return nil }, Save: func(bool) error { return nil }}
	if err := tr.Prepare(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(tr.Close)
	return tr, net
}

func weights(params []*nn.Param) (all []float32) {
	for _, p := range params {
		all = append(all, p.Data...)
	}
	return all
}

// Stopped after any step, saved and restored on another number of threads, a run ends with the same bytes.
func TestResumeIsExact(t *testing.T) {
	defer threads.SetLimit(0)
	for i, optimizer := range []string{"sgd", "adamw", "muon"} {
		set := func(o *train.Options) { o.Optimizer, o.Average = optimizer, 0.9*float64(i%2) }
		whole, net := trainer(t, set)
		if err := whole.Run(t.Context()); err != nil {
			t.Fatal(err)
		}
		want := weights(net.Params)
		for _, stop := range []int{1, 5, 6, 11, 17} {
			threads.SetLimit(1 + stop%4)
			first, net := trainer(t, set)
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
			second, net := trainer(t, set)
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
				t.Errorf("%s, stopped after step %d: other weights than without a stop", optimizer, stop)
			}
			if second.Cursor.Last != whole.Cursor.Last {
				t.Errorf("%s, stopped after step %d: last epoch %+v, without a stop %+v", optimizer, stop,
					second.Cursor.Last, whole.Cursor.Last)
			}
		}
	}
}

func TestEvents(t *testing.T) {
	tr, _ := trainer(t, func(*train.Options) {})
	var kinds []string
	saves, best := 0, 0
	tr.Observe = func(e event.Event) error {
		if kind := event.Kind(e); kind != "step" {
			kinds = append(kinds, kind)
		}
		return nil
	}
	tr.Save = func(b bool) error {
		saves++
		if b {
			best++
		}
		return nil
	}
	if err := tr.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(kinds, " "); got != "start epoch epoch epoch" {
		t.Errorf("events %q", got)
	}
	if saves != 3 || best < 1 {
		t.Errorf("%d saves, %d of them best; want one an epoch, the first of them best", saves, best)
	}
	if tr.Cursor.Step != 18 || tr.Cursor.Epoch != 3 || tr.Cursor.BestEpoch < 1 {
		t.Errorf("cursor %+v after 3 epochs of 6 steps", tr.Cursor)
	}
}

// Whoever asks gets the state saved after the step under way, and the run goes on.
func TestSaveNow(t *testing.T) {
	tr, _ := trainer(t, func(*train.Options) {})
	var saved []int
	tr.Save = func(bool) error {
		saved = append(saved, tr.Cursor.Step)
		return nil
	}
	tr.SaveNow = func() bool { return tr.Cursor.Step == 2 || tr.Cursor.Step == 9 }
	if err := tr.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	if want := []int{2, 6, 9, 12, 18}; !slices.Equal(saved, want) { // an epoch has 6 steps
		t.Errorf("saved after the steps %v, want %v", saved, want)
	}
}

// A number that is not finite stops the run before it reaches the weights, and is named; or it costs one step.
func TestDivergence(t *testing.T) {
	poison := func(net *model.Network) *float32 {
		for _, p := range net.Params {
			if strings.HasSuffix(p.Name, "layer.1.output.dense.weight") {
				return &p.Data[0]
			}
		}
		t.Fatal("no such parameter")
		return nil
	}
	tr, net := trainer(t, func(*train.Options) {})
	*poison(net) = float32(math.Inf(1))
	before := weights(net.Params)
	var diverged *train.DivergenceError
	if err := tr.Run(t.Context()); !errors.As(err, &diverged) {
		t.Fatalf("Run: %v, want *Diverged", err)
	}
	where := "gelu-linear of encoder.layer.1.intermediate.dense and encoder.layer.1.output.dense"
	if diverged.Step != 1 || diverged.Where != where {
		t.Errorf("step %d in %q, want step 1 in the layer that was poisoned", diverged.Step, diverged.Where)
	}
	if !slices.Equal(weights(net.Params), before) {
		t.Error("the weights were moved")
	}

	tr, net = trainer(t, func(o *train.Options) { o.OnNaN = "skip" })
	at := poison(net)
	good := *at
	*at = float32(math.Inf(1))
	warnings := 0
	tr.Observe = func(e event.Event) error {
		switch e.(type) {
		case event.Warn:
			warnings++
			*at = good // the next step is fine
		}
		return nil
	}
	if err := tr.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	if warnings != 1 || tr.Cursor.Skipped != 1 || tr.Cursor.Step != 18 {
		t.Errorf("%d warnings, cursor %+v; want one step skipped", warnings, tr.Cursor)
	}
}

// A loss that falls says that batches, gradients and solver fit together.
func TestLearns(t *testing.T) {
	for _, tt := range []struct {
		optimizer string
		lr        float64
	}{{"sgd", 0.05}, {"adamw", 3e-3}} {
		tr, _ := trainer(t, func(o *train.Options) { o.Epochs, o.Optimizer, o.LR = 15, tt.optimizer, tt.lr })
		first := 0.0
		tr.Observe = func(e event.Event) error {
			if e, ok := e.(event.Epoch); ok && e.Epoch == 1 {
				first = e.TrainLoss
			}
			return nil
		}
		if err := tr.Run(t.Context()); err != nil {
			t.Fatal(err)
		}
		if last := tr.Cursor.Last.TrainLoss; !(last < 0.96*first) {
			t.Errorf("%s: loss %.3f in the first epoch, %.3f in the last", tt.optimizer, first, last)
		}
	}
}

// The score must not depend on how the images are cut into batches.
func TestScoreForAnyBatch(t *testing.T) {
	_, net := trainer(t, func(*train.Options) {})
	var first *train.Score
	for _, batch := range []int{1, 7, 60, 64} {
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
		if s.N != 60 || s.Loss != first.Loss || s.Acc != first.Acc || s.Top5 != first.Top5 {
			t.Errorf("batch %d: %+v, batch 1: %+v", batch, s, *first)
		}
	}
}

func TestRestoreRefuses(t *testing.T) {
	tr, net := trainer(t, func(*train.Options) {})
	f := &ckpt.File{Tensors: append(net.Tensors(), tr.State()...)}
	for name, tt := range map[string]struct {
		f      *ckpt.File
		cursor string
	}{
		"no cursor":        {f, ""},
		"half a cursor":    {f, `{"step": 3`},
		"steps do not add": {f, `{"step": 9, "epoch": 1, "batch": 2}`},
		"negative":         {f, `{"step": -6, "epoch": -1}`},
		"no solver state":  {&ckpt.File{Tensors: net.Tensors()}, `{"step": 8, "epoch": 1, "batch": 2}`},
		"beyond the epoch": {f, `{"step": 7, "epoch": 0, "batch": 7}`},
	} {
		if err := tr.Restore(tt.f, tt.cursor); err == nil {
			t.Errorf("%s: accepted", name)
		}
	}
}
