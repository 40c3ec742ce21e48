package xla_test

import (
	"context"
	"errors"
	"math"
	"slices"
	"testing"

	"github.com/attnconv/attnconv/data"
	"github.com/attnconv/attnconv/data/sets"
	"github.com/attnconv/attnconv/model"
	"github.com/attnconv/attnconv/model/ckpt"
	"github.com/attnconv/attnconv/model/heads"
	"github.com/attnconv/attnconv/nn"
	"github.com/attnconv/attnconv/run/event"
	"github.com/attnconv/attnconv/train"
)

// A run goes on elsewhere where it was stopped, from CPU to device and back, as it would have without a stop.
func TestDeviceResume(t *testing.T) {
	on := device(t)
	spec := small(func(s *model.Spec) { s.Image, s.Pool, s.MaxPosition = [3]int{32, 32, 3}, 8, 4 })
	start := func(d train.Device) (*train.Trainer, *model.Network) {
		return trainerOf(t, spec, func(o *train.Options) { o.Epochs, o.Device, o.Average = 2, d, 0.9 })
	}
	whole, net := start(nil)
	if err := whole.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	want := weights(net.Params)
	for name, where := range map[string][2]train.Device{
		"from the CPU": {1: on}, "to the CPU": {0: on}, "all along": {on, on},
	} {
		first, net := start(where[0])
		ctx, cancel := context.WithCancel(t.Context())
		first.Observe = func(e event.Event) error {
			if s, ok := e.(event.Step); ok && s.Step == 7 {
				cancel()
			}
			return nil
		}
		if err := first.Run(ctx); !errors.Is(err, train.ErrStopped) {
			t.Fatalf("Run: %v, want ErrStopped", err)
		}
		f := &ckpt.File{Tensors: append(net.Tensors(), first.State()...)}
		second, net := start(where[1])
		if err := net.SetWeights(f); err != nil {
			t.Fatal(err)
		}
		if err := second.Restore(f, first.CursorText()); err != nil {
			t.Fatal(err)
		}
		if err := second.Run(t.Context()); err != nil {
			t.Fatal(err)
		}
		if far := apart(weights(net.Params), want); !(far <= 1e-4) {
			t.Errorf("%s: the weights are off by %.2g of their length", name, far)
		}
		got, want := second.Cursor.Last, whole.Cursor.Last
		if math.Abs(got.TrainLoss-want.TrainLoss) > 1e-4 || math.Abs(got.ValLoss-want.ValLoss) > 1e-4 {
			t.Errorf("%s: last epoch %+v, without a stop %+v", name, got, want)
		}
	}
}

// Averages on a device, also of running statistics, are those of the CPU.
func TestDeviceAverage(t *testing.T) {
	spec := small(func(s *model.Spec) { s.Kind, s.Image = "resnet10", [3]int{32, 32, 3} })
	var nets [2][]float32
	for i, d := range []train.Device{nil, device(t)} {
		tr, net := trainerOf(t, spec, func(o *train.Options) {
			o.Epochs, o.TrainBatches, o.ValBatches, o.Average, o.Device = 1, 2, 1, 0.9, d
		})
		if err := tr.Run(t.Context()); err != nil {
			t.Fatal(err)
		}
		nets[i] = weights(net.Params)
	}
	if far := apart(nets[1], nets[0]); !(far <= 1e-4) {
		t.Errorf("the averages are off by %.2g of their length", far)
	}
}

// Every network must answer on a device as on the CPU, also after its weights have moved.
func TestDeviceEvaluator(t *testing.T) {
	on := device(t)
	for name, spec := range networks {
		t.Run(name, func(t *testing.T) {
			net, err := model.New(spec, 1)
			if err != nil {
				t.Fatal(err)
			}
			var logits [2][]float32
			for i, d := range []train.Device{nil, on} {
				e, err := train.NewEvaluator(net, train.Shape{8, 8, 8, 3}, train.Options{Device: d})
				if err != nil {
					t.Fatal(err)
				}
				defer e.Close()
				for range 2 {
					for _, p := range net.Params {
						p.Data[0] += 0.1
					}
					e.Refresh()
					out, err := e.Logits(noise(1, 8))
					if err != nil {
						t.Fatal(err)
					}
					logits[i] = append(logits[i], out...)
				}
				for _, p := range net.Params {
					p.Data[0] -= 0.2
				}
			}
			if far := apart(logits[1], logits[0]); !(far <= 1e-5) {
				t.Errorf("logits are off by %.2g of their length", far)
			}
		})
	}
}

// What is frozen stays as it is on a device, too.
func TestFrozenOnDevice(t *testing.T) {
	for _, optimizer := range []string{"sgd", "adamw", "muon"} {
		var nets []*model.Network
		var slots [][]float32
		for _, d := range []train.Device{nil, device(t)} {
			net, err := model.New(networks["without dropout"], 1)
			if err == nil {
				err = heads.Freeze(net, []string{"heads:2", "heads:1.3", "classifier.weight"})
			}
			if err != nil {
				t.Fatal(err)
			}
			o := train.Default()
			o.Optimizer, o.Clip, o.Device, o.LR = optimizer, 0.1, d, 0.01
			s, err := train.NewStepper(net, train.Shape{8, 8, 8, 3}, o)
			if err != nil {
				t.Fatal(err)
			}
			defer s.Close()
			for i := range 3 {
				if _, _, err := s.Train(noise(uint64(i), 8), i, 0.01); err != nil {
					t.Fatal(err)
				}
			}
			if err := s.Sync(); err != nil {
				t.Fatal(err)
			}
			nets, slots = append(nets, net), append(slots, slotsOf(s))
		}
		values := func(p *nn.Param) []float32 { return p.Data }
		here, stillHere := parts(nets[0].Params, values)
		there, stillThere := parts(nets[1].Params, values)
		if !slices.Equal(stillHere, stillThere) {
			t.Errorf("%s: what is frozen has moved", optimizer)
		}
		if d := apart(there, here); d > 1e-4 {
			t.Errorf("%s: what moves is %.2g apart", optimizer, d)
		}
		if d := apart(slots[1], slots[0]); d > 1e-3 {
			t.Errorf("%s: slots are %.2g apart", optimizer, d)
		}
	}
}

// parts splits the elements of the parameters, or of the tensors of a solver, into those that move and those that do
// not.
func parts(params []*nn.Param, of func(p *nn.Param) []float32) (moving, still []float32) {
	for _, p := range params {
		data, at := of(p), 0
		for _, r := range p.Moving() {
			still, moving = append(still, data[at:r[0]]...), append(moving, data[r[0]:r[1]]...)
			at = r[1]
		}
		still = append(still, data[at:]...)
	}
	return moving, still
}

// A short batch has the logits of its images.
func TestDeviceShortBatch(t *testing.T) {
	net, err := model.New(networks["quadratic"], 1)
	if err != nil {
		t.Fatal(err)
	}
	e, err := train.NewEvaluator(net, train.Shape{8, 8, 8, 3}, train.Options{Device: device(t)})
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	b := noise(1, 8)
	all, err := e.Logits(b)
	if err != nil {
		t.Fatal(err)
	}
	all = slices.Clone(all)
	for _, n := range []int{1, 3, 8} {
		got, err := e.Logits(&data.Batch{X: b.X[:n*8*8*3]})
		if err != nil || !slices.Equal(got, all[:n*10]) {
			t.Errorf("%d images: %v, %v; want %v", n, got, err, all[:n*10])
		}
	}
}

// trainerOf is a run of 6 steps an epoch.
func trainerOf(t *testing.T, spec model.Spec, change func(*train.Options)) (*train.Trainer, *model.Network) {
	t.Helper()
	net, err := model.New(spec, 1)
	if err != nil {
		t.Fatal(err)
	}
	o := train.Default()
	o.Batch, o.EvalBatch, o.Optimizer, o.LR, o.PerEpoch, o.Clip = 40, 25, "adamw", 1e-3, false, 1
	change(&o)
	set := sets.Shapes()
	loader := func(lo, hi int, options data.LoaderOptions) *data.Loader {
		var list []int
		for i := lo; i < hi; i++ {
			list = append(list, i)
		}
		l, err := data.NewLoader(set.Train.Subset(list), options)
		if err != nil {
			t.Fatal(err)
		}
		return l
	}
	tr := &train.Trainer{Options: o, Net: net, Params: net.Params, Shape: [3]int{32, 32, 3},
		Train: loader(0, 240, data.LoaderOptions{Batch: o.Batch, Shuffle: true, Augment: []string{"crop", "flip"}}),
		Val:   loader(240, 300, data.LoaderOptions{Batch: o.EvalBatch, Pad: true})}
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

// Every solver has its step in internal/xla.
func TestEverySolver(t *testing.T) {
	for _, name := range train.Solvers.Names() {
		o := train.Default()
		o.Optimizer, o.Device = name, device(t)
		steps(t, networks["without dropout"], o, 1)
	}
}
