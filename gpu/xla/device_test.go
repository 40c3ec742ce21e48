package xla_test

import (
	"errors"
	"maps"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"github.com/gomlx/compute/gobackend"

	"github.com/attnconv/attnconv/data"
	"github.com/attnconv/attnconv/gpu/xla"
	"github.com/attnconv/attnconv/model"
	"github.com/attnconv/attnconv/nn"
	"github.com/attnconv/attnconv/train"
)

// device is a backend in plain Go.
func device(t *testing.T) xla.Device {
	t.Helper()
	b, err := gobackend.New("")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(b.Finalize)
	return xla.Device{Backend: b}
}

// small is a network of images of 8 × 8 pixels.
func small(change func(*model.Spec)) model.Spec {
	s := model.Default()
	s.Layers, s.Heads, s.Dim, s.FFN, s.Image, s.Width, s.MaxPosition = model.Equal(2), model.Ints{4}, 16, 24,
		[3]int{8, 8, 3}, 4, 4
	change(&s)
	return s
}

// networks has one of each kind, by name.
var networks = map[string]model.Spec{
	"quadratic":         small(func(*model.Spec) {}),
	"without dropout":   small(func(s *model.Spec) { s.Dropout, s.AttentionDropout = 0, 0 }),
	"masks of images":   small(func(s *model.Spec) { s.AttentionMasks = "image" }),
	"factored values":   small(func(s *model.Spec) { s.Value = "factored" }),
	"sines":             small(func(s *model.Spec) { s.Absolute = "sinusoid" }),
	"learned places":    small(func(s *model.Spec) { s.Absolute = "learned" }),
	"general":           small(func(s *model.Spec) { s.Encoding = "quadratic-general" }),
	"learned":           small(func(s *model.Spec) { s.Encoding = "learned" }),
	"content":           small(func(s *model.Spec) { s.Encoding = "content" }),
	"factored content":  small(func(s *model.Spec) { s.Encoding, s.Value, s.HeadDim = "content", "factored", 4 }),
	"content only":      small(func(s *model.Spec) { s.Encoding = "content-only" }),
	"relative":          small(func(s *model.Spec) { s.Encoding = "relative" }),
	"twin":              small(func(s *model.Spec) { s.Kind, s.Heads = "conv-twin", model.Ints{9} }),
	"twin of even size": small(func(s *model.Spec) { s.Kind = "conv-twin" }),
	"resnet10":          small(func(s *model.Spec) { s.Kind = "resnet10" }),
	"resnet18":          small(func(s *model.Spec) { s.Kind = "resnet18" }),
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

// apart returns ‖a - b‖/‖b‖, or ‖a - b‖ if b is 0.
func apart(a, b []float32) float64 {
	var d, size float64
	for i, v := range b {
		d += float64(a[i]-v) * float64(a[i]-v)
		size += float64(v) * float64(v)
	}
	if size == 0 {
		size = 1
	}
	return math.Sqrt(d / size)
}

// steps takes n steps of 8 images with a new network of spec, at a falling rate. Behind the losses is the number of
// images that were right.
func steps(t *testing.T, spec model.Spec, o train.Options, n int) (
	net *model.Network, s train.Stepper, loss []float64,
) {
	t.Helper()
	net, err := model.New(spec, 1)
	if err != nil {
		t.Fatal(err)
	}
	if s, err = train.NewStepper(net, train.Shape{8, 8, 8, 3}, o); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	right := 0
	for i := range n {
		l, correct, err := s.Train(noise(uint64(i), 8), i, o.LR/float64(1+i))
		if err != nil {
			t.Fatal(err)
		}
		loss, right = append(loss, l), right+correct
	}
	if err := s.Sync(); err != nil {
		t.Fatal(err)
	}
	return net, s, append(loss, float64(right))
}

// slotsOf is all that the solver knows.
func slotsOf(s train.Stepper) (all []float32) {
	// of the CPU's step, or of a device's
	solver := reflect.ValueOf(s).Elem().FieldByName("Solver").Interface().(train.Solver)
	slots := solver.Slots()
	for _, name := range slices.Sorted(maps.Keys(slots)) {
		all = append(all, slices.Concat(slots[name]...)...)
	}
	return all
}

// Loss and gradients of every network on a device must be those of the CPU, with the same masks.
func TestDeviceGradients(t *testing.T) {
	here := train.Default()
	here.Momentum, here.WeightDecay = 0, 0 // so that the solver's slots are the gradients
	there := here
	there.Device = device(t)
	for name, spec := range networks {
		t.Run(name, func(t *testing.T) {
			_, s, want := steps(t, spec, here, 1)
			_, d, got := steps(t, spec, there, 1)
			far := apart(slotsOf(d), slotsOf(s))
			t.Logf("loss %.1e apart, gradient %.1e", math.Abs(got[0]/want[0]-1), far)
			if !(math.Abs(got[0]/want[0]-1) <= 1e-6) || !(far <= 1e-5) || got[1] != want[1] {
				t.Errorf("loss and images right %v, want %v; the gradient is off by %.2g of its length", got, want, far)
			}
		})
	}
}

// Rounded factors change little, but something.
func TestDeviceHalf(t *testing.T) {
	here, there := train.Default(), train.Default()
	half := device(t)
	half.Half = true
	there.Device = half
	for _, name := range []string{"quadratic", "content", "twin"} {
		_, s, _ := steps(t, networks[name], here, 1)
		_, d, _ := steps(t, networks[name], there, 1)
		far := apart(slotsOf(d), slotsOf(s))
		if t.Logf("%s: gradient %.1e apart", name, far); !(far <= 0.03) || far < 1e-4 {
			t.Errorf("%s: the gradient is off by %.2g of its length", name, far)
		}
	}
}

// Ten steps on a device must go as those of the CPU: losses, weights, running statistics and slots.
func TestDeviceSteps(t *testing.T) {
	on := device(t)
	for name, tt := range map[string]struct {
		network string
		change  func(*train.Options)
	}{
		"sgd":             {"quadratic", func(o *train.Options) { o.LR = 0.05 }},
		"without dropout": {"without dropout", func(o *train.Options) { o.LR = 0.05 }},
		"adamw": {"content", func(o *train.Options) {
			o.Optimizer, o.LR, o.WeightDecay = "adamw", 1e-3,
				0.1
		}},
		"clipped":  {"general", func(o *train.Options) { o.Clip = 0.5 }},
		"smoothed": {"learned", func(o *train.Options) { o.LabelSmoothing = 0.1 }},
		"groups differ": {"quadratic", func(o *train.Options) {
			o.PositionLR, o.DecayAll, o.WeightDecay = 5, false,
				0.1
		}},
		"residual network": {"resnet10", func(o *train.Options) { o.LR = 0.02 }},
		"muon": {"quadratic", func(o *train.Options) {
			o.Optimizer, o.LR, o.WeightDecay = "muon", 1e-3, 0.1
		}},
		"muon, filters": {"resnet10", func(o *train.Options) { o.Optimizer, o.LR = "muon", 1e-3 }},
	} {
		t.Run(name, func(t *testing.T) {
			o := train.Default()
			tt.change(&o)
			net, s, want := steps(t, networks[tt.network], o, 10)
			o.Device = on
			other, d, got := steps(t, networks[tt.network], o, 10)
			for i, l := range want {
				if !(math.Abs(got[i]-l) <= 1e-4*l) {
					t.Errorf("step %d: loss %v, want %v", i, got[i], l)
				}
			}
			for _, of := range []struct {
				what      string
				got, want []float32
			}{
				{"weights", learned(other.Params), learned(net.Params)},
				{"running statistics", measured(other.Params), measured(net.Params)},
				{"slots", slotsOf(d), slotsOf(s)},
			} {
				far := apart(of.got, of.want)
				if t.Logf("%s %.1e apart", of.what, far); !(far <= 1e-5) {
					t.Errorf("%s are off by %.2g of their length", of.what, far)
				}
			}
		})
	}
}

func learned(params []*nn.Param) []float32 {
	return weights(slices.DeleteFunc(slices.Clone(params), func(p *nn.Param) bool { return p.Group == nn.Statistic }))
}

func measured(params []*nn.Param) []float32 {
	return weights(slices.DeleteFunc(slices.Clone(params), func(p *nn.Param) bool { return p.Group != nn.Statistic }))
}

// A try moves nothing.
func TestDeviceTry(t *testing.T) {
	o := train.Default()
	o.Device = device(t)
	net, s, _ := steps(t, networks["resnet10"], o, 1)
	was := weights(net.Params)
	if err := s.Try(noise(3, 8), 1); err != nil {
		t.Fatal(err)
	}
	if err := s.Sync(); err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(weights(net.Params), was) {
		t.Error("the weights have moved")
	}
}

// A loss that is not finite moves no weight, and the error names the operation that it names on the CPU.
func TestDeviceDivergence(t *testing.T) {
	o := train.Default()
	o.Device = device(t)
	net, err := model.New(networks["resnet10"], 1)
	if err != nil {
		t.Fatal(err)
	}
	s, err := train.NewStepper(net, train.Shape{8, 8, 8, 3}, o)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	was := weights(net.Params)
	bad := noise(1, 8)
	bad.X[0] = float32(math.Inf(1))
	diverged := (*train.DivergenceError)(nil)
	_, _, err = s.Train(bad, 4, 0.1)
	if !errors.As(err, &diverged) || diverged.Step != 5 || diverged.Where != "conv{stride=1} of conv1" {
		t.Errorf("Train: %v, want *Diverged at the first convolution in step 5", err)
	}
	if !slices.Equal(weights(net.Params), was) || slices.ContainsFunc(slotsOf(s),
		func(v float32) bool { return v != 0 }) {
		t.Error("weights, statistics or slots have moved")
	}
}
