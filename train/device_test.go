package train_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/gomlx/compute/gobackend"

	"github.com/attnconv/attnconv/data"
	"github.com/attnconv/attnconv/model"
	"github.com/attnconv/attnconv/train"
)

// device is a backend in plain Go.
func device(t *testing.T) train.Device {
	t.Helper()
	b, err := gobackend.New("")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(b.Finalize)
	return train.Device{Backend: b}
}

// small is a network of pictures of 8 × 8 pixels.
func small(change func(*model.Spec)) model.Spec {
	s := model.Default()
	s.Layers, s.Heads, s.Dim, s.FFN, s.Image, s.Width, s.MaxPosition = 2, model.Ints{4}, 16, 24, [3]int{8, 8, 3}, 4, 4
	change(&s)
	return s
}

// networks has one of each kind, by name.
var networks = map[string]model.Spec{
	"quadratic":         small(func(*model.Spec) {}),
	"without dropout":   small(func(s *model.Spec) { s.Dropout, s.AttentionDropout = 0, 0 }),
	"masks of pictures": small(func(s *model.Spec) { s.AttentionMasks = "picture" }),
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

// noise is a batch of n pictures for such a network.
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

// apart is the length of a - b relative to that of b.
func apart(a, b []float32) float64 {
	var d, size float64
	for i, v := range b {
		d += float64(a[i]-v) * float64(a[i]-v)
		size += float64(v) * float64(v)
	}
	return math.Sqrt(d / size)
}

// Loss and gradients of every network on a device must be those of the CPU, dropout included.
func TestDeviceGradients(t *testing.T) {
	on := device(t)
	for name, spec := range networks {
		t.Run(name, func(t *testing.T) {
			o := train.Default()
			o.Momentum, o.WeightDecay = 0, 0 // so that the solver's slots are the gradients
			b := noise(1, 8)
			var loss [2]float64
			var gradient [2][]float32
			for i := range 2 {
				net, err := model.New(spec, 1)
				if err != nil {
					t.Fatal(err)
				}
				if o.Device = (train.Device{}); i == 1 {
					o.Device = on
				}
				s, err := train.NewStepper(net, train.Shape{8, 8, 8, 3}, o)
				if err != nil {
					t.Fatal(err)
				}
				defer s.Close()
				if loss[i], _, err = s.Train(b, 7, 0.1); err != nil {
					t.Fatal(err)
				}
				if err := s.Sync(); err != nil {
					t.Fatal(err)
				}
				gradient[i] = slotsOf(s)
			}
			far := apart(gradient[1], gradient[0])
			t.Logf("loss %.1e apart, gradient %.1e", math.Abs(loss[1]/loss[0]-1), far)
			if !(math.Abs(loss[1]/loss[0]-1) <= 1e-6) || !(far <= 1e-5) {
				t.Errorf("loss %v, want %v; the gradient is off by %.2g of its length", loss[1], loss[0], far)
			}
		})
	}
}

// slotsOf is all that the solver knows.
func slotsOf(s train.Stepper) (all []float32) {
	var solver train.Solver
	switch s := s.(type) {
	case *train.Step:
		solver = s.Solver
	case *train.DeviceStep:
		solver = s.Solver
	}
	for _, slot := range solver.Slots()["momentum"] {
		all = append(all, slot...)
	}
	return all
}
