package train_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/attnconv/attnconv/data"
	"github.com/attnconv/attnconv/model"
	"github.com/attnconv/attnconv/nn"
	"github.com/attnconv/attnconv/nn/op"
	"github.com/attnconv/attnconv/run/event"
	"github.com/attnconv/attnconv/train"
)

// images is a split of n images of one color each, labeled in turn.
func images(n, rows, cols, channels, classes int) data.Split {
	s := data.Split{Format: data.Format{Rows: rows, Cols: cols, Channels: channels, Mean: make([]float32, channels),
		Std: slices.Repeat([]float32{1}, channels)}}
	for i := range n {
		s.Labels = append(s.Labels, int32(i%classes))
		for range s.Size() {
			s.Pixels = append(s.Pixels, uint8(i))
		}
	}
	return s
}

func loaderOf(t *testing.T, s data.Split, batch int) *data.Loader {
	t.Helper()
	l, err := data.NewLoader(s, data.LoaderOptions{Batch: batch})
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// bare is a trainer of batches of 20 images of 8 × 8 × 1, and nothing that is optional.
func bare(t *testing.T) *train.Trainer {
	t.Helper()
	spec := model.Default()
	spec.Layers, spec.Heads, spec.Dim, spec.FFN, spec.Pool, spec.Image = model.Equal(1), model.Ints{2}, 8, 8, 4,
		[3]int{8, 8, 1}
	net, err := model.New(spec, 1)
	if err != nil {
		t.Fatal(err)
	}
	o := train.Default()
	o.Epochs, o.Batch, o.EvalBatch, o.PerEpoch = 1, 20, 10, false
	s := images(40, 8, 8, 1, 10)
	return &train.Trainer{Options: o, Net: net, Params: net.Params, Train: loaderOf(t, s, 20), Val: loaderOf(t, s, 10)}
}

// A trainer whose parts do not go together says so before it trains, and can be closed.
func TestPrepareRefuses(t *testing.T) {
	for _, tt := range []struct {
		name, want string
		change     func(tr *train.Trainer)
	}{
		{"another batch", "the loader Train makes batches of 10 images of 8 × 8 × 1, and Options.Batch and Shape say " +
			"20 images of 8 × 8 × 1",
			func(tr *train.Trainer) { tr.Train = loaderOf(t, images(40, 8, 8, 1, 10), 10) }},
		{"another batch held out", "the loader Val makes batches of 20 images",
			func(tr *train.Trainer) { tr.Val = loaderOf(t, images(40, 8, 8, 1, 10), 20) }},
		{"other channels", "makes batches of 20 images of 8 × 8 × 3",
			func(tr *train.Trainer) {
				tr.Shape, tr.Train = [3]int{8, 8, 1}, loaderOf(t, images(40, 8, 8, 3, 10), 20)
			}},
		{"another size", "makes batches of 20 images of 4 × 4 × 1",
			func(tr *train.Trainer) {
				tr.Shape, tr.Train = [3]int{8, 8, 1}, loaderOf(t, images(40, 4, 4, 1, 10), 20)
			}},
		{"other channels than the network's", "want (images, 8, 8, 1) for this network", func(tr *train.Trainer) {
			tr.Train, tr.Val = loaderOf(t, images(40, 8, 8, 3, 10), 20), nil
		}},
		{"as many tokens in another grid", "a batch of shape (20, 4, 16, 1): want (images, 8, 8, 1)",
			func(tr *train.Trainer) {
				tr.Train, tr.Val = loaderOf(t, images(40, 4, 16, 1, 10), 20), loaderOf(t, images(40, 4, 16, 1, 10), 10)
			}},
		{"parameters of another network", "the parameters lack model.features_upscale.weight, which Net uses",
			func(tr *train.Trainer) { tr.Params = bare(t).Params }},
		{"running statistics left out", "the parameters lack model.bn1.running_mean, which Net uses",
			func(tr *train.Trainer) {
				spec := model.Default()
				spec.Kind, spec.Width, spec.Image = "resnet10", 4, [3]int{8, 8, 1}
				net, err := model.New(spec, 1)
				if err != nil {
					t.Fatal(err)
				}
				tr.Net, tr.Params = net, slices.DeleteFunc(slices.Clone(net.Params),
					func(p *nn.Param) bool { return strings.Contains(p.Name, "running") })
			}},
		{"labels", "label 11 among the images, and the network has 10 classes: want 0 to 9",
			func(tr *train.Trainer) { tr.Train = loaderOf(t, images(40, 8, 8, 1, 12), 20) }},
		{"optimizer", `train.optimizer "adam": not one of sgd, adamw`,
			func(tr *train.Trainer) { tr.Options.Optimizer = "adam" }},
		{"schedule", `train.schedule "linear"`, func(tr *train.Trainer) { tr.Options.Schedule = "linear" }},
		{"no EvalEvery", "train.eval_every 0: want 1 to", func(tr *train.Trainer) { tr.Options.EvalEvery = 0 }},
		{"a negative rate", "train.lr -1", func(tr *train.Trainer) { tr.Options.LR = -1 }},
		{"no network", "needs a network", func(tr *train.Trainer) { tr.Net = nil }},
		{"no loader", "a loader to train with", func(tr *train.Trainer) { tr.Train = nil }},
	} {
		t.Run(tt.name, func(t *testing.T) {
			tr := bare(t)
			tt.change(tr)
			err := tr.Prepare()
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("Prepare: %v; want an error with %q", err, tt.want)
			}
			tr.Close()
		})
	}
}

// Observe and Save are optional; Prepare is not.
func TestTrainerWithLittle(t *testing.T) {
	tr := bare(t)
	if err := errors.Join(tr.Run(t.Context())); err == nil || !strings.Contains(err.Error(), "Prepare comes first") {
		t.Errorf("Run: %v", err)
	}
	if _, err := tr.Measure(t.Context()); err == nil || tr.State() != nil || tr.Restore(nil, "") == nil {
		t.Error("Measure, State or Restore of a trainer that was not prepared")
	}
	if err := errors.Join(tr.Prepare(), tr.Run(t.Context())); err != nil {
		t.Fatal(err)
	}
	defer tr.Close()
	if tr.Cursor.Step != 2 || tr.Cursor.Epoch != 1 {
		t.Errorf("cursor %+v after an epoch of 2 steps", tr.Cursor)
	}
}

// Without Params a trainer averages, and counts, all parameters that its network uses.
func TestTrainerWithoutParams(t *testing.T) {
	var trained [2][]float32
	for i := range trained {
		tr := bare(t)
		params, learned := tr.Params, 0
		tr.Options.Average = 0.5
		if i == 1 {
			tr.Params = nil
		}
		tr.Observe = func(e event.Event) error {
			if e, ok := e.(event.Start); ok {
				learned = e.Params
			}
			return nil
		}
		if err := errors.Join(tr.Prepare(), tr.Run(t.Context())); err != nil {
			t.Fatal(err)
		}
		defer tr.Close()
		if want := nn.CountLearned(params); learned != want {
			t.Errorf("run %d: %d parameters, want %d", i, learned, want)
		}
		trained[i] = weights(params)
	}
	if !slices.Equal(trained[0], trained[1]) {
		t.Error("without Params the network is another one than with them")
	}
}

// A batch of somebody's own is taken as it is, or refused.
func TestBatchesRefused(t *testing.T) {
	tr := bare(t)
	s, err := train.NewStepper(tr.Net, train.Shape{20, 8, 8, 1}, tr.Options)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	for want, b := range map[string]*data.Batch{
		"a batch of 64 values and 20 labels": {X: make([]float32, 64), Labels: make([]int32, 20)},
		"and 3 labels":                       {X: make([]float32, 20*64), Labels: make([]int32, 3)},
		"label 10, where the network has 10 classes: want 0 to 9": {X: make([]float32, 20*64),
			Labels: slices.Repeat([]int32{10}, 20)},
		"label -2": {X: make([]float32, 20*64), Labels: slices.Repeat([]int32{-2}, 20)},
	} {
		if _, _, err := s.Train(b, 0, 0.1); err == nil || !strings.Contains(err.Error(), want) ||
			len(err.Error()) > 160 {
			t.Errorf("Train: %v; want a short error with %q", err, want)
		}
	}
	for _, shape := range []train.Shape{{0, 8, 8, 1}, {20, -8, 8, 1}} {
		if _, err := train.NewStepper(tr.Net, shape, tr.Options); err == nil {
			t.Errorf("NewStepper of %v", shape)
		}
		if _, err := train.NewEvaluator(tr.Net, shape, train.Options{}); err == nil {
			t.Errorf("NewEvaluator of %v", shape)
		}
	}
	tr.Options.Optimizer = "adam"
	if _, err := train.NewStepper(tr.Net, train.Shape{20, 8, 8, 1}, tr.Options); err == nil {
		t.Error("NewStepper with an optimizer that nobody knows")
	}
	if _, err := train.NewEvaluator(flat{}, train.Shape{20, 8, 8, 1}, train.Options{}); err == nil ||
		!strings.Contains(err.Error(), "want logits (images, classes)") {
		t.Errorf("NewEvaluator of a network without logits: %v", err)
	}
}

// flat is a network that makes no logits.
type flat struct{}

func (flat) Forward(_ *nn.Graph, x *nn.Node) *nn.Node { return op.SpaceToDepth(x, 2) }

// A short batch has the logits of its images, which do not depend on what was asked for before.
func TestShortBatch(t *testing.T) {
	tr := bare(t)
	e, err := train.NewEvaluator(tr.Net, train.Shape{10, 8, 8, 1}, train.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	x := make([]float32, 10*64)
	for i := range x {
		x[i] = float32(i%77) / 50
	}
	all, err := e.Logits(&data.Batch{X: x})
	if err != nil {
		t.Fatal(err)
	}
	all = slices.Clone(all)
	for _, n := range []int{1, 3, 10} {
		got, err := e.Logits(&data.Batch{X: x[:n*64]})
		if err != nil || !slices.Equal(got, all[:n*10]) {
			t.Errorf("%d images: %v, %v; want %v", n, got, err, all[:n*10])
		}
	}
	for _, n := range []int{0, 10, 65, 11 * 64} {
		if _, err := e.Logits(&data.Batch{X: make([]float32, n)}); err == nil ||
			!strings.Contains(err.Error(), fmt.Sprintf("a batch of %d values", n)) {
			t.Errorf("%d values: %v", n, err)
		}
	}
	if _, err := e.Outputs(t.Context(), loaderOf(t, images(40, 4, 4, 4-1, 10), 10), 0); err == nil {
		t.Error("Outputs of images of another size")
	}
}
