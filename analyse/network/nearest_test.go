package network

import (
	"context"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/attnconv/attnconv/model"
	"github.com/attnconv/attnconv/model/convert"
	"github.com/attnconv/attnconv/posenc"
	"github.com/attnconv/attnconv/posenc/geometry"
)

// distance is ‖a - b‖ / ‖b‖.
func distance(a, b []float32) float64 {
	var d, n float64
	for i := range a {
		d += math.Pow(float64(a[i])-float64(b[i]), 2)
		n += math.Pow(float64(b[i]), 2)
	}
	return math.Sqrt(d / n)
}

func subjectOf(net *model.Network) Subject {
	return Subject{Net: net, Train: noise(100), Split: "val", Held: otherNoise(60)}
}

// hard puts the heads of a network on the taps of a 3 × 3 kernel.
func hard(net *model.Network) *model.Network {
	for _, a := range net.Attention() {
		for h := range 9 {
			a.Encoding.(posenc.Gaussian).Put(h, geometry.Isotropic([2]float64{float64(h/3 - 1), float64(h%3 - 1)},
				convert.Hard))
		}
	}
	return net
}

// Attention that is a convolution comes back as that convolution, with the border that it has, for any encoding.
func TestNearestOfConvolutions(t *testing.T) {
	twin := func(border string) *model.Network {
		return small(t, func(s *model.Spec) { s.Kind, s.Heads, s.Border = "conv-twin", model.Ints{9}, border })
	}
	attention := func(net *model.Network, alpha float64) *model.Network {
		to, _, err := convert.ToAttention(net, convert.Options{Alpha: alpha})
		if err != nil {
			t.Fatal(err)
		}
		return to
	}
	ownValues := func(s *model.Spec) { s.Heads, s.Value, s.HeadDim = model.Ints{9}, "factored", 5 }
	windows := func(s *model.Spec) { s.Heads, s.Window.Size = model.Ints{9}, 3 }
	grid := func(s *model.Spec) { windows(s); s.HeadsInit = "grid" }
	for name, tt := range map[string]struct {
		net    *model.Network
		border string
		back   *model.Network // whose weights return
	}{
		"theorem, all keys":     {attention(twin("replicate"), convert.Hard), "replicate", twin("replicate")},
		"theorem, windows":      {attention(twin("zero"), convert.Hard), "zero", twin("zero")},
		"soft heads in windows": {attention(twin("zero"), 2), "zero", nil},
		"random heads, windows": {small(t, windows), "zero", nil},
		"a table in windows":    {small(t, func(s *model.Spec) { windows(s); s.Encoding = "table" }), "zero", nil},
		"learned temperature":   {small(t, func(s *model.Spec) { windows(s); s.Temperature = "learned" }), "zero", nil},
		"pre-norm":              {small(t, func(s *model.Spec) { windows(s); s.Norm = "pre" }), "zero", nil},
		"own values, all keys":  {hard(small(t, ownValues)), "replicate", nil},
		"theorem's heads":       {hard(small(t, func(s *model.Spec) { s.Heads = model.Ints{9} })), "replicate", nil},
		"heads from a grid":     {small(t, grid), "zero", nil},
	} {
		t.Run(name, func(t *testing.T) {
			before := slices.Clone(tt.net.Params[len(tt.net.Params)-1].Data)
			net, layers, err := Nearest(context.Background(), subjectOf(tt.net), 3)
			if err != nil {
				t.Fatal(err)
			}
			for i, l := range layers {
				if !l.Exact || l.Border != tt.border || *l.R2 != 1 || l.Layer != i+1 || l.Heads != 9 || l.Size != 3 {
					t.Errorf("layer %+v, want an exact convolution with border %s", l, tt.border)
				}
			}
			s := subjectOf(tt.net)
			if d := distance(logitsOf(t, net, s), logitsOf(t, tt.net, s)); !(d < 1e-5) || net.Attends() {
				t.Errorf("relative error %.1e of the logits", d)
			}
			if tt.back != nil {
				for i, p := range tt.back.Params {
					if q := net.Params[i]; q.Name != p.Name || distance(q.Data, p.Data) > 1e-6 {
						t.Errorf("%s is not what it was", p.Name)
					}
				}
			}
			if !slices.Equal(before, tt.net.Params[len(tt.net.Params)-1].Data) {
				t.Error("the network itself has changed")
			}
		})
	}
}

// The network has the accuracy that analyse predicts for all of its layers replaced, one after the other, which is
// computed layer by layer, and R² of the first layer is that of its spectrum.
func TestNearestIsWhatAnalyseMeasures(t *testing.T) {
	for _, encoding := range []string{"quadratic", "learned", "content"} {
		for k, at := range map[int]func(r *Replacements) *TestedAccuracy{
			1: func(r *Replacements) *TestedAccuracy { return r.K1 },
			3: func(r *Replacements) *TestedAccuracy { return r.K3 },
		} {
			net := small(t, func(s *model.Spec) { s.Encoding, s.Layers = encoding, model.Equal(3) })
			for _, p := range net.Params { // so that convolutions change the classes
				if strings.Contains(p.Name, "attention.self.") {
					for i := range p.Data {
						p.Data[i] *= 4
					}
				}
			}
			s := subjectOf(net)
			label(t, net, s.Held)
			d, err := Measure(context.Background(), s, Options{Images: 100, Attention: 20, Kernel: 3, Function: true})
			if err != nil {
				t.Fatal(err)
			}
			near, layers, err := Nearest(context.Background(), s, k)
			if err != nil {
				t.Fatal(err)
			}
			want, n := at(d.FunctionAll), 0
			if err := eachLogits(context.Background(), near, s.Held, func(y []float32, labels []int32) {
				for i, label := range labels {
					if rankedFirst(y[i*net.Spec.Classes:(i+1)*net.Spec.Classes], int(label)) {
						n++
					}
				}
			}); err != nil {
				t.Fatal(err)
			}
			if got := float64(n) / float64(s.Held.Len()); math.Abs(got-want.Acc) > 1e-12 || want.Acc == 1 {
				t.Errorf("%s, %d × %d: %v of the images are right, want %v", encoding, k, k, got, want.Acc)
			}
			r2 := map[int]float64{1: float64(d.Layers[0].Spectrum.K1), 3: float64(d.Layers[0].Spectrum.K3)}[k]
			if got := float64(*layers[0].R2); layers[0].Exact || math.Abs(got-r2) > 1e-6 {
				t.Errorf("%s, %d × %d: R² %v of layer 1, want %v", encoding, k, k, got, r2)
			}
		}
	}
}

// Every kind of attention has a nearest convolution, and what is no attention stays.
func TestNearestOfEverything(t *testing.T) {
	for name, change := range map[string]func(*model.Spec){
		"gate":      func(s *model.Spec) { s.Content = "gate" },
		"factored":  func(s *model.Spec) { s.Value, s.HeadDim = "factored", 3 },
		"absolute":  func(s *model.Spec) { s.Encoding, s.Absolute = "content-only", "learned" },
		"mimetic":   func(s *model.Spec) { s.Value, s.Init = "factored", "mimetic" },
		"pre-norm":  func(s *model.Spec) { s.Norm = "pre" },
		"sequence":  func(s *model.Spec) { s.Readout = "sequence" },
		"absent":    func(s *model.Spec) { s.Window = model.Window{Size: 3, Border: "absent"} },
		"grid":      func(s *model.Spec) { s.HeadsInit = "grid-soft" },
		"resizable": func(s *model.Spec) { s.Layers = model.Layers{{Kind: "depthwise"}, {}, {Kind: "mixer"}} },
	} {
		t.Run(name, func(t *testing.T) {
			net := small(t, change)
			near, layers, err := Nearest(context.Background(), subjectOf(net), 3)
			if err != nil {
				t.Fatal(err)
			}
			if near.Attends() {
				t.Errorf("%s still attends", near.Spec)
			}
			for _, l := range layers {
				if l.Exact || !(*l.R2 > 0 && *l.R2 < 1) {
					t.Errorf("R² %v of layer %d", *l.R2, l.Layer)
				}
			}
			if name == "resizable" && (len(layers) != 1 || layers[0].Layer != 2 || near.Spec.Kind != "mhsa") {
				t.Errorf("%v: layers %+v", near.Spec, layers)
			}
		})
	}
}

func TestNearestRefuses(t *testing.T) {
	quadratic := func(*model.Spec) {}
	for name, tt := range map[string]struct {
		change func(*model.Spec)
		images int
		k      int
		layer  int
		words  string
	}{
		"class token": {func(s *model.Spec) {
			s.Layers = model.Layers{{}, {Own: map[string]any{"encoding": "content-only"}}}
			s.Readout, s.Absolute = "token", "learned"
		}, 100, 3, 2, "class token"},
		"no attention": {func(s *model.Spec) {
			s.Kind, s.Heads = "conv-twin", model.Ints{9}
		}, 100, 3, 0, "no attention"},
		"few images":   {quadratic, 4, 3, 1, "want twice as many"},
		"large kernel": {quadratic, 100, 9, 1, "7 at most"},
		"even kernel":  {quadratic, 100, 2, 1, "odd"},
	} {
		t.Run(name, func(t *testing.T) {
			s := subjectOf(small(t, tt.change))
			s.Train = noise(tt.images)
			_, _, err := Nearest(context.Background(), s, tt.k)
			var bad *convert.LayerError
			if !errors.As(err, &bad) || bad.Layer != tt.layer || !strings.Contains(bad.Reason, tt.words) {
				t.Errorf("%v, want layer %d and %q", err, tt.layer, tt.words)
			}
		})
	}
	if _, _, err := Nearest(context.Background(), Subject{}, 3); err == nil {
		t.Error("no network is converted")
	}
}
