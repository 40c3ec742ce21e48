package train_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/attnconv/attnconv/data"
	"github.com/attnconv/attnconv/internal/kernel/threads"
	"github.com/attnconv/attnconv/model"
	"github.com/attnconv/attnconv/model/ckpt"
	"github.com/attnconv/attnconv/option"
	"github.com/attnconv/attnconv/run/event"
	"github.com/attnconv/attnconv/train"
)

// Sides share the epochs equally; what does not divide goes to the sides that ⌊epoch·n/epochs⌋ says.
func TestSide(t *testing.T) {
	for _, tt := range []struct {
		epochs int
		sides  []int
		want   string
	}{
		{4, nil, "[0 0 0 0]"},
		{6, []int{16, 24, 32}, "[16 16 24 24 32 32]"},
		{5, []int{16, 24, 32}, "[16 16 24 24 32]"},
		{10, []int{16, 24, 32}, "[16 16 16 16 24 24 24 32 32 32]"},
		{3, []int{16, 24, 32}, "[16 24 32]"},
		{6, []int{16, 16, 32}, "[16 16 16 16 32 32]"},
	} {
		o := train.Default()
		o.Epochs, o.Resolutions = tt.epochs, tt.sides
		var got []int
		for e := range tt.epochs {
			got = append(got, o.Side(e))
		}
		if fmt.Sprint(got) != tt.want {
			t.Errorf("%v in %d epochs: %v, want %s", tt.sides, tt.epochs, got, tt.want)
		}
	}
}

func TestResolutionsRefused(t *testing.T) {
	for _, tt := range []struct {
		want   string
		change func(tr *train.Trainer)
	}{
		{"that never fall", func(tr *train.Trainer) { tr.Options.Resolutions = []int{8, 4, 8} }},
		{"1 or more", func(tr *train.Trainer) { tr.Options.Resolutions = []int{0, 8} }},
		{"3 sides cannot share 2 epochs", func(tr *train.Trainer) { tr.Options.Resolutions = []int{4, 4, 8} }},
		{"want 8 as the last side", func(tr *train.Trainer) { tr.Options.Resolutions = []int{4, 16} }},
		{"want 8 as the last side", func(tr *train.Trainer) { tr.Options.Resolutions = []int{4} }},
		{"side 6: 6 × 6 pixels are no whole number of tokens: want multiples of model.pool, 4",
			func(tr *train.Trainer) { tr.Options.Resolutions = []int{6, 8} }},
		{"not Resizable", func(tr *train.Trainer) { tr.Net = tr.Net.(*model.Network).Layer }},
		{"want square ones", func(tr *train.Trainer) {
			net, err := model.New(withImage(tr.Net.(*model.Network).Spec, 4, 8), 1)
			if err != nil {
				t.Fatal(err)
			}
			s := images(40, 4, 8, 1, 10)
			tr.Net, tr.Params, tr.Train, tr.Val = net, net.Params, loaderOf(t, s, 20), loaderOf(t, s, 10)
		}},
	} {
		tr := bare(t)
		tr.Options.Epochs, tr.Options.Resolutions = 2, []int{4, 8}
		tt.change(tr)
		err := tr.Prepare()
		if wrong := (*option.Error)(nil); !errors.As(err, &wrong) || wrong.Key != "train.resolutions" ||
			!strings.Contains(err.Error(), tt.want) {
			t.Errorf("Prepare: %v; want an error of train.resolutions with %q", err, tt.want)
		}
		tr.Close()
	}
}

func withImage(s model.Spec, rows, cols int) model.Spec {
	s.Image = [3]int{rows, cols, 1}
	return s
}

// Stopped after any step, in any resolution and where it changes, a run that is restored on another number of threads
// ends with the same bytes, the solver's among them.
func TestResumeOfResolutions(t *testing.T) {
	defer threads.SetLimit(0)
	for i, optimizer := range []string{"sgd", "adamw", "muon"} {
		set := func(o *train.Options) {
			o.Optimizer, o.Average, o.Resolutions = optimizer, 0.9*float64(i%2), []int{16, 24, 32}
		}
		whole, net := trainer(t, set)
		if err := whole.Run(t.Context()); err != nil {
			t.Fatal(err)
		}
		end := func(tr *train.Trainer, net *model.Network) (all []ckpt.Tensor) {
			return append(net.Tensors(), tr.State()...)
		}
		want := end(whole, net)
		for _, stop := range []int{3, 6, 8, 12, 16} {
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
			f := &ckpt.File{Tensors: end(first, net)}
			threads.SetLimit(1 + (stop+1)%4)
			second, net := trainer(t, set)
			if err := net.SetWeights(f); err != nil {
				t.Fatal(err)
			}
			if err := second.Restore(f, first.CursorText()); err != nil {
				t.Fatal(err)
			}
			if _, err := second.Measure(t.Context()); err != nil { // makes graphs of all sides, and moves nothing
				t.Fatal(err)
			}
			if err := second.Run(t.Context()); err != nil {
				t.Fatal(err)
			}
			same := func(a, b ckpt.Tensor) bool { return a.Name == b.Name && slices.Equal(a.Data, b.Data) }
			if !slices.EqualFunc(end(second, net), want, same) {
				t.Errorf("%s, stopped after step %d: other weights or another state than without a stop", optimizer,
					stop)
			}
			if second.Cursor.Last != whole.Cursor.Last || second.Cursor.BestEpoch != whole.Cursor.BestEpoch {
				t.Errorf("%s, stopped after step %d: cursor %+v, without a stop %+v", optimizer, stop, second.Cursor,
					whole.Cursor)
			}
		}
	}
}

// The last epochs are on whole images: the same as those of a run that begins there. What an epoch is evaluated on has
// its side, and the best epoch is one of the last side, whatever came before.
func TestResolutions(t *testing.T) {
	tr, net := trainer(t, func(o *train.Options) { o.Resolutions, o.LR = []int{16, 16, 32}, 0.5 })
	var sides []int
	var best []bool
	tr.Observe = func(e event.Event) error {
		if e, ok := e.(event.Epoch); ok {
			sides, best = append(sides, e.Side), append(best, e.Best)
			if math.IsNaN(e.ValLoss) || e.ValN != 60 {
				t.Errorf("epoch %+v is not evaluated", e)
			}
		}
		return nil
	}
	if err := tr.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(sides, []int{16, 16, 0}) || !best[0] || !best[2] || tr.Cursor.BestEpoch != 3 {
		t.Errorf("sides %v, best %v, of them %d; want 16, 16 and whole images, and the last one best", sides, best,
			tr.Cursor.BestEpoch)
	}
	e, err := train.NewEvaluator(net, train.Shape{25, 32, 32, 3}, tr.Options)
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	score, err := e.Score(t.Context(), tr.Val, 0)
	if err != nil || score.Acc != tr.Cursor.Last.ValAcc {
		t.Errorf("the network has accuracy %v on whole images (%v), and the last epoch said %v", score.Acc, err,
			tr.Cursor.Last.ValAcc)
	}
}

// What a network of smaller images computes in training is what a network of such images computes, with the same data:
// one side from the first to the last epoch but one.
func TestSmallerImagesAreReduced(t *testing.T) {
	spec := model.Default()
	spec.Layers, spec.Heads, spec.Dim, spec.FFN, spec.Pool, spec.Encoding = model.Equal(1), model.Ints{3}, 12, 16, 4,
		"learned"
	first := func(tr *train.Trainer) (loss float64) {
		tr.Observe = func(e event.Event) error {
			if e, ok := e.(event.Epoch); ok && e.Epoch == 1 {
				loss = e.TrainLoss
				return errors.New("enough")
			}
			return nil
		}
		if err := tr.Run(t.Context()); err == nil {
			t.Fatal("Run went on")
		}
		return loss
	}
	resized, _ := trainerOf(t, spec, func(o *train.Options) { o.Resolutions = []int{16, 32} })
	small := data.Split{Format: data.FloatFormat(16, 16, 3), Labels: shapes.train.Labels, Floats: []float32{}}
	r, err := data.NewReduction(32, 32, 3, 16, 16)
	if err != nil {
		t.Fatal(err)
	}
	whole, err := data.NewLoader(shapes.train, data.LoaderOptions{Batch: 1})
	if err != nil {
		t.Fatal(err)
	}
	for b := range whole.Epoch(t.Context(), 0, 0) { // as planes
		y := make([]float32, 16*16*3)
		r.Images(y, b.X)
		for c := range 3 {
			for i := range 256 {
				small.Floats = append(small.Floats, y[3*i+c])
			}
		}
	}
	spec.Image = [3]int{16, 16, 3}
	net, err := model.New(spec, 1)
	if err != nil {
		t.Fatal(err)
	}
	o := resized.Options
	o.Resolutions = nil
	plain := func(s data.Split) train.Batches {
		l, err := data.NewLoader(s, data.LoaderOptions{Batch: o.Batch, Shuffle: true})
		if err != nil {
			t.Fatal(err)
		}
		return l
	}
	resized.Train = plain(shapes.train)
	made := &train.Trainer{Options: o, Net: net, Params: net.Params, Train: plain(small)}
	if err := made.Prepare(); err != nil {
		t.Fatal(err)
	}
	defer made.Close()
	if got, want := first(resized), first(made); got != want {
		t.Errorf("the first epoch has loss %v, and with images and a network made for 16 pixels %v", got, want)
	}
}

// A forecast counts every epoch at the pace of its side.
func TestPaceOfResolutions(t *testing.T) {
	tr, _ := trainer(t, func(o *train.Options) { o.Epochs, o.EvalEvery, o.Resolutions = 5, 2, []int{16, 32} })
	p, err := tr.Measure(t.Context())
	if err != nil || len(p.Sides) != 2 || p.Sides[0].Side != 16 || p.Sides[1].Side != 32 || p.Steps < 2 {
		t.Fatalf("pace %+v: %v", p, err)
	}
	p.Sides = []train.SidePace{{16, 1, 10}, {32, 4, 100}} // epochs 1 to 3, and 4 and 5; evaluated after 2, 4 and 5
	for _, tt := range []struct {
		from train.Cursor
		want float64
	}{
		{train.Cursor{}, 6*3 + 24*2 + 10 + 100 + 100},
		{train.Cursor{Epoch: 2, Step: 16, Batch: 4}, 2 + 24*2 + 100 + 100},
		{train.Cursor{Epoch: 5, Step: 30}, 0},
	} {
		if got := tr.Seconds(p, tt.from); got != tt.want {
			t.Errorf("from %+v: %v s, want %v", tt.from, got, tt.want)
		}
	}
}
