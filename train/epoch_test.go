package train

import (
	"context"
	"iter"
	"math"
	"slices"
	"testing"

	"github.com/attnconv/attnconv/data"
	"github.com/attnconv/attnconv/model/ckpt"
	"github.com/attnconv/attnconv/nn"
	"github.com/attnconv/attnconv/nn/op"
	"github.com/attnconv/attnconv/run/event"
)

// pixels is a Batches of images of one pixel of three channels, the same in each epoch.
type pixels []*data.Batch

func (p pixels) Batches() int  { return len(p) }
func (p pixels) Len() int      { return len(p) * p[0].N }
func (p pixels) Labels() int   { return 1 }
func (p pixels) Shape() [4]int { return [4]int{p[0].N, 1, 1, 3} }
func (p pixels) Epoch(_ context.Context, _, first int) iter.Seq[*data.Batch] {
	return slices.Values(p[first:])
}

// three is an epoch of three batches of four images.
func three() pixels {
	return pixels{
		{X: []float32{1, 0, 0, 0, 1, 0, 0, 0, 1, 1, 1, 0}, Labels: []int32{0, 0, 1, 0}, N: 4},
		{X: []float32{2, 0, 0, 0, 2, 0, 0, 0, 2, 1, 0, 1}, Labels: []int32{1, 0, 1, 1}, N: 4},
		{X: []float32{3, 0, 0, 0, 3, 0, 0, 0, 3, 1, 2, 3}, Labels: []int32{0, 1, 0, 1}, N: 4},
	}
}

// classifier is the network of three: logits z = x·Wᵀ + b, W (2, 3).
func classifier() (linear, []*nn.Param) {
	w := &nn.Param{Name: "model.w", Shape: []int{2, 3}, Data: []float32{0.5, 1, -1, 1, 0.25, 1}}
	b := &nn.Param{Name: "model.b", Shape: []int{2}, Data: []float32{0.125, 0}, Group: nn.Vector}
	return linear{w, b}, []*nn.Param{w, b}
}

// epochsOf trains the classifier and returns the epochs.
func epochsOf(t *testing.T, o Options, val Batches) (epochs []event.Epoch) {
	t.Helper()
	net, params := classifier()
	tr := &Trainer{Options: o, Net: net, Params: params, Train: three(), Val: val}
	tr.Observe = func(e event.Event) error {
		if e, ok := e.(event.Epoch); ok {
			epochs = append(epochs, e)
		}
		return nil
	}
	if err := tr.Prepare(); err != nil {
		t.Fatal(err)
	}
	defer tr.Close()
	if err := tr.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	return epochs
}

func ofThree() Options {
	o := Default()
	o.Epochs, o.Batch, o.EvalBatch, o.PerEpoch, o.Warmup, o.WeightDecay = 2, 4, 4, false, 0, 0
	return o
}

// With a learning rate of 0 the network stays as it is. The training loss of each epoch is then the mean cross-entropy
// of its images, and the training accuracy the fraction that it classifies correctly.
func TestEpochIsTheMeanOverItsImages(t *testing.T) {
	o := ofThree()
	o.LR = 0
	loss, right, n := 0., 0., 0.
	_, params := classifier()
	w, b := params[0].Data, params[1].Data
	for _, batch := range three() {
		for i, label := range batch.Labels {
			var z [2]float64
			for c := range z {
				z[c] = float64(b[c])
				for j, x := range batch.X[3*i : 3*i+3] {
					z[c] += float64(w[3*c+j] * x)
				}
			}
			loss += math.Log(math.Exp(z[0])+math.Exp(z[1])) - z[label]
			if z[label] > z[1-label] {
				right++
			}
			n++
		}
	}
	for _, e := range epochsOf(t, o, nil) {
		if math.Abs(e.TrainLoss-loss/n) > 1e-6 || math.Abs(e.TrainAcc-right/n) > 1e-12 {
			t.Errorf("epoch %d: loss %v, accuracy %v; want %v, %v", e.Epoch, e.TrainLoss, e.TrainAcc, loss/n, right/n)
		}
	}
}

// The learning rate of an epoch is that of its last step: of 6 steps along half a cosine the third and the sixth.
func TestEpochsLearningRate(t *testing.T) {
	o := ofThree()
	o.LR = 0.1
	for i, e := range epochsOf(t, o, nil) {
		step := float64(3*(i+1) - 1)
		if want := 0.1 / 2 * (1 + math.Cos(math.Pi*step/6)); math.Abs(e.LR-want) > 1e-12 {
			t.Errorf("epoch %d: learning rate %v, want %v", i+1, e.LR, want)
		}
	}
}

// Of epochs with the same accuracy the first is the best.
func TestBestIsTheFirstOfEquals(t *testing.T) {
	o := ofThree()
	o.LR, o.Epochs = 0, 3
	for _, e := range epochsOf(t, o, three()) {
		if e.Best != (e.Epoch == 1) {
			t.Errorf("epoch %d with accuracy %v: best %t", e.Epoch, e.ValAcc, e.Best)
		}
	}
}

// A loss reads the labels smoothed as torch.nn.CrossEntropyLoss does, over all classes: (1-s)·onehot + s/C.
func TestSmoothedLabels(t *testing.T) {
	const smoothing = 0.3
	var seen []float32
	loss := func(g *nn.Graph, logits *nn.Node, t *Targets) *nn.Node {
		return op.Definition{
			Name: "reads", Want: "z and q (batch, classes)",
			Shape:    func(in []op.Shape) (op.Shape, bool) { return op.Shape{}, len(in) == 2 },
			Forward:  func(y []float32, in [][]float32) { y[0], seen = 0, slices.Clone(in[1]) },
			Backward: func(d [][]float32, _, _ []float32, in [][]float32) { clear(d[0]) },
		}.Apply(logits, t.Smoothed(g))
	}
	o := ofThree()
	o.Epochs, o.TrainBatches, o.LabelSmoothing = 1, 1, smoothing
	net, params := classifier()
	tr := &Trainer{Options: o, Net: net, Params: params, Train: three(), Loss: loss}
	if err := tr.Prepare(); err != nil {
		t.Fatal(err)
	}
	defer tr.Close()
	if err := tr.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	if len(seen) != 8 {
		t.Fatalf("the loss read %v, want 4 × 2 labels", seen)
	}
	for i, label := range three()[0].Labels {
		for c := range int32(2) {
			want := smoothing / 2
			if c == label {
				want = 1 - smoothing/2
			}
			if got := seen[2*i+int(c)]; math.Abs(float64(got)-want) > 1e-6 {
				t.Errorf("image %d, class %d: %v, want %v", i, c, got, want)
			}
		}
	}
}

// A skipped step moves nothing, so Adam's moments and their bias know nothing of it, also after a resume: the run ends
// with the same weights as one that was not stopped.
func TestResumeAfterASkippedStep(t *testing.T) {
	trained := func(stop int) []float32 {
		batches := three()
		batches[1].X[0] = float32(math.NaN())
		o := ofThree()
		o.Optimizer, o.LR, o.OnNaN = "adamw", 0.05, "skip"
		net, params := classifier()
		newTrainer := func() *Trainer {
			tr := &Trainer{Options: o, Net: net, Params: params, Train: batches}
			if err := tr.Prepare(); err != nil {
				t.Fatal(err)
			}
			t.Cleanup(tr.Close)
			return tr
		}
		tr := newTrainer()
		ctx, cancel := context.WithCancel(t.Context())
		tr.Observe = func(e event.Event) error {
			if s, ok := e.(event.Step); ok && s.Step == stop {
				cancel()
			}
			return nil
		}
		if err := tr.Run(ctx); (err != nil) != (stop > 0) {
			t.Fatal(err)
		}
		if stop > 0 {
			f, cursor := &ckpt.File{Tensors: tr.State()}, tr.CursorText()
			tr = newTrainer()
			if err := tr.Restore(f, cursor); err != nil {
				t.Fatal(err)
			}
			if err := tr.Run(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		return params[0].Data
	}
	if whole, resumed := trained(0), trained(3); !slices.Equal(whole, resumed) {
		t.Errorf("resumed after a skipped step: weights %v, without a stop %v", resumed, whole)
	}
}
