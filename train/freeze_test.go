package train_test

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/attnconv/attnconv/data"
	"github.com/attnconv/attnconv/internal/kernel/threads"
	"github.com/attnconv/attnconv/model"
	"github.com/attnconv/attnconv/model/ckpt"
	"github.com/attnconv/attnconv/model/heads"
	"github.com/attnconv/attnconv/nn"
	"github.com/attnconv/attnconv/run/event"
	"github.com/attnconv/attnconv/train"
)

// frozen is a network of which a layer's heads, one of another's, and norms stay as they are.
func frozen(t *testing.T, change func(*train.Options)) (*train.Trainer, *model.Network) {
	t.Helper()
	spec := model.Default()
	spec.Layers, spec.Heads, spec.Dim, spec.FFN, spec.Pool = model.Equal(2), model.Ints{4}, 12, 16, 4
	net, err := model.New(spec, 1)
	if err == nil {
		err = heads.Freeze(net, []string{"heads:2", "heads:1.3", "centers:1.1", "widths:1.2", "encoder.layer.0.*.LayerNorm.*", "classifier.weight"})
	}
	if err != nil {
		t.Fatal(err)
	}
	return trainerWith(t, net, change)
}

// parts splits the numbers of the parameters, or of the tensors of a solver, into those that move and those that do
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

// What is frozen keeps its bits and has no moments, and everything else learns; stopped and restored on another number
// of threads, a run ends with the same bytes.
func TestFrozenStays(t *testing.T) {
	defer threads.SetLimit(0)
	values := func(p *nn.Param) []float32 { return p.Data }
	for _, optimizer := range []string{"sgd", "adamw"} {
		set := func(o *train.Options) { o.Optimizer, o.WeightDecay = optimizer, 0.1 }
		whole, net := frozen(t, set)
		moving, still := parts(net.Params, values)
		moving, still = slices.Clone(moving), slices.Clone(still)
		if err := whole.Run(t.Context()); err != nil {
			t.Fatal(err)
		}
		movedTo, stillAt := parts(net.Params, values)
		if !slices.Equal(still, stillAt) || len(still) != 4*3+6+4*12+10*12 {
			t.Errorf("%s: what is frozen has moved, or is not %d numbers", optimizer, len(still))
		}
		for i, v := range movedTo {
			if v == moving[i] && v != 0 && math.Abs(float64(v)) < 1e30 {
				t.Errorf("%s: element %d has not moved from %v", optimizer, i, v)
				break
			}
		}
		for _, s := range whole.State() {
			for _, p := range net.Params {
				if !strings.HasSuffix(s.Name, "."+strings.TrimPrefix(p.Name, "model.")) {
					continue
				}
				_, idle := parts([]*nn.Param{p}, func(*nn.Param) []float32 { return s.Data })
				if slices.ContainsFunc(idle, func(v float32) bool { return v != 0 }) {
					t.Errorf("%s has moments of what is frozen", s.Name)
				}
			}
		}
		threads.SetLimit(3)
		first, net1 := frozen(t, set)
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
		f := &ckpt.File{Tensors: append(net1.Tensors(), first.State()...)}
		threads.SetLimit(2)
		second, net2 := frozen(t, set)
		if err := errors.Join(net2.SetWeights(f), second.Restore(f, first.CursorText()),
			second.Run(t.Context())); err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(weights(net2.Params), weights(net.Params)) {
			t.Errorf("%s: other weights after a stop", optimizer)
		}
	}
}

// The norm that is clipped is that of the gradients of what moves; measured parameters do not move either.
func TestFrozenIsNotClipped(t *testing.T) {
	step := func(freeze bool, clip float64) []float32 {
		net, err := model.New(small(func(s *model.Spec) { s.Dropout, s.AttentionDropout = 0, 0 }), 1)
		if err != nil {
			t.Fatal(err)
		}
		first := net.Params[0] // all but the first
		for _, p := range net.Params[1:] {
			if !freeze {
				continue
			}
			if len(p.Name)%2 == 0 {
				p.Group = nn.Statistic
			} else {
				p.Freeze()
			}
		}
		o := train.Default()
		o.LR, o.Momentum, o.WeightDecay, o.Clip = 1, 0, 0, clip
		s, err := train.NewStepper(net, train.Shape{8, 8, 8, 3}, o)
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		was := slices.Clone(first.Data)
		rest, _ := parts(net.Params[1:], func(p *nn.Param) []float32 { return p.Data })
		if freeze && len(rest) > 0 {
			t.Errorf("%d elements move", len(rest))
		}
		before := slices.Clone(weights(net.Params[1:]))
		if _, _, err := s.Train(noise(1, 8), 0, 1); err != nil {
			t.Fatal(err)
		}
		if after := weights(net.Params[1:]); freeze && !slices.Equal(before, after) {
			t.Error("what is frozen or measured has moved")
		}
		for i, v := range first.Data {
			was[i] -= v
		}
		return was
	}
	const clip = 1e-3
	norm := 0.0
	for _, v := range step(true, clip) {
		norm += float64(v) * float64(v)
	}
	if norm = math.Sqrt(norm); math.Abs(norm-clip) > 1e-3*clip {
		t.Errorf("the step of what moves is %v long, want the %v that it is clipped to", norm, clip)
	}
	var all float64
	for _, v := range step(false, clip) {
		all += float64(v) * float64(v)
	}
	if math.Sqrt(all) > 0.9*clip {
		t.Errorf("without anything frozen the same parameter moves by %v of %v", math.Sqrt(all), clip)
	}
}

// small is a network of images of 8 × 8 pixels.
func small(change func(*model.Spec)) model.Spec {
	s := model.Default()
	s.Layers, s.Heads, s.Dim, s.FFN, s.Image, s.Width, s.MaxPosition = model.Equal(2), model.Ints{4}, 16, 24,
		[3]int{8, 8, 3}, 4, 4
	change(&s)
	return s
}

// noise is a batch of n images for such a network.
func noise(seed uint64, n int) *data.Batch {
	rng := rand.New(rand.NewPCG(seed, 0))
	b := &data.Batch{X: make([]float32, n*8*8*3), Labels: make([]int32, n), N: n}
	for i := range b.X {
		b.X[i] = float32(rng.NormFloat64())
	}
	for i := range b.Labels {
		b.Labels[i] = int32(rng.IntN(10))
	}
	return b
}
