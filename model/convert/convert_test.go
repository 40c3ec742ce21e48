package convert_test

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/attnconv/attnconv/model"
	"github.com/attnconv/attnconv/model/convert"
	"github.com/attnconv/attnconv/nn"
)

// twin is a trained-looking network of convolutions on 6 × 5 tokens.
func twin(t *testing.T, change func(*model.Spec)) *model.Network {
	t.Helper()
	s := model.Default()
	s.Kind, s.Layers, s.Heads = "conv-twin", model.Equal(2), model.Ints{9, 4}
	s.Dim, s.FFN, s.Image, s.Classes = 8, 12, [3]int{12, 10, 3}, 5
	if change != nil {
		change(&s)
	}
	net, err := model.New(s, 1)
	if err != nil {
		t.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(1, 2))
	for _, p := range net.Params {
		for i := range p.Data {
			p.Data[i] += float32(rng.NormFloat64()) / 10
		}
	}
	return net
}

// small makes a network of convolutions.
func small(kind string) func(*model.Spec) {
	return func(s *model.Spec) { s.Kind, s.Width = kind, 4 }
}

// logits returns those of four random images.
func logits(t *testing.T, net *model.Network) []float32 {
	t.Helper()
	rng := rand.New(rand.NewPCG(3, 4))
	image := net.Spec.Image
	x := make([]float32, 4*image[0]*image[1]*image[2])
	for i := range x {
		x[i] = float32(rng.NormFloat64())
	}
	var y *nn.Node
	g, err := nn.Build(false, func(g *nn.Graph) {
		y = net.Forward(g, g.Input("x", x, 4, image[0], image[1], image[2]))
	})
	if err != nil {
		t.Fatal(err)
	}
	f, err := nn.Compile(g, nil, y)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := f.Run(0); err != nil {
		t.Fatal(err)
	}
	return slices.Clone(nn.Value(y))
}

// distance is ‖a - b‖ / ‖b‖.
func distance(a, b []float32) float64 {
	var d, n float64
	for i := range a {
		d += math.Pow(float64(a[i])-float64(b[i]), 2)
		n += math.Pow(float64(b[i]), 2)
	}
	return math.Sqrt(d / n)
}

func TestToAttentionAndBack(t *testing.T) {
	for name, tt := range map[string]struct {
		change func(*model.Spec)
		o      convert.Options
		most   float64
	}{
		"hard":        {nil, convert.Options{Alpha: convert.Hard}, 1e-6},
		"soft":        {nil, convert.Options{Alpha: 0.5}, 1e-4},
		"softer":      {nil, convert.Options{Alpha: 0.2}, 1e-3},
		"gate":        {nil, convert.Options{Alpha: 0.5, Gate: true, Seed: 3}, 1e-4},
		"size":        {func(s *model.Spec) { s.Heads, s.Size = model.Ints{7}, 5 }, convert.Options{Alpha: 1}, 1e-4},
		"pre-norm":    {func(s *model.Spec) { s.Norm = "pre" }, convert.Options{Alpha: 0.5}, 1e-4},
		"edge":        {func(s *model.Spec) { s.Border = "replicate" }, convert.Options{Alpha: convert.Hard}, 1e-6},
		"resnet":      {small("resnet10"), convert.Options{Alpha: convert.Hard}, 1e-6},
		"soft resnet": {small("resnet18"), convert.Options{Alpha: 0.5}, 1e-4},
		"convnet":     {small("convnet"), convert.Options{Alpha: 0.5}, 1e-4},
		"mixed": {func(s *model.Spec) {
			s.Kind, s.Heads, s.Value, s.HeadDim = "mhsa", model.Ints{9}, "factored", 4
			s.HeadsInit, s.Init = "grid-soft", "mimetic"
			s.Layers = model.Layers{{Kind: "conv", Own: map[string]any{"border": "replicate", "size": 3, "ffn": 6}},
				{Repeat: 1}, {Kind: "conv"}}
		}, convert.Options{Alpha: convert.Hard}, 1e-6},
	} {
		t.Run(name, func(t *testing.T) {
			net := twin(t, tt.change)
			attends, layers, err := convert.ToAttention(net, tt.o)
			if err != nil {
				t.Fatal(err)
			}
			want := logits(t, net)
			if d := distance(logits(t, attends), want); !(d < tt.most) {
				t.Errorf("relative error %.1e of the logits, want at most %.0e; %+v", d, tt.most, layers)
			}
			for _, b := range attends.Spec.Blocks() {
				if !b.Attends() {
					t.Errorf("a block is still a %s", b.Kind.Name)
				}
			}
			if tt.o.Alpha == convert.Hard && math.Abs(layers[0].Condition-1) > 1e-12 {
				t.Errorf("condition %v of hard heads", layers[0].Condition)
			}
			back, _, err := convert.ToConvolution(attends)
			if tt.o.Gate || name == "edge" || name == "mixed" {
				if bad := (*convert.LayerError)(nil); !errors.As(err, &bad) || bad.Layer != 1 {
					t.Errorf("the way back: %v", err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if d := distance(logits(t, back), want); !(d < tt.most) {
				t.Errorf("back: relative error %.1e of the logits", d)
			}
			for i, p := range net.Params {
				q := back.Params[i]
				if p.Name != q.Name || !slices.Equal(p.Shape, q.Shape) || distance(q.Data, p.Data) > tt.most {
					t.Errorf("back: %s %v, was %s %v", q.Name, q.Shape, p.Name, p.Shape)
				}
			}
		})
	}
}

// The convolution of heads of any shape and orientation is, by definition,
//
//	W_δ = Σ_h P[h,δ]·W_h,  P[h,·] = softmax over δ of -½·‖S_hᵀ(δ - Δ_h)‖²
//
// and the logits stay.
func TestConvolutionOfGeneralHeads(t *testing.T) {
	net := twin(t, func(s *model.Spec) {
		s.Kind, s.Encoding, s.Heads, s.Window = "mhsa", "quadratic-general", model.Ints{3}, model.Window{Size: 3}
	})
	rng := rand.New(rand.NewPCG(5, 6))
	weights := map[string][]float32{}
	for _, p := range net.Params {
		name := strings.TrimPrefix(p.Name, "model.encoder.layer.0.attention.self.")
		if weights[name] = p.Data; strings.HasPrefix(name, "attention_") {
			for i := range p.Data {
				p.Data[i] = float32(rng.NormFloat64())
			}
		}
	}
	to, _, err := convert.ToConvolution(net)
	if err != nil {
		t.Fatal(err)
	}
	if d := distance(logits(t, to), logits(t, net)); !(d < 1e-5) {
		t.Errorf("relative error %.1e of the logits", d)
	}
	centers, roots, value := weights["attention_centers"], weights["attention_spreads"], weights["value.weight"]
	const heads, dim, taps = 3, 8, 9
	var p [heads][taps]float64
	for h := range p {
		sum := 0.0
		for tap := range taps {
			d := [2]float64{float64(tap/3-1) - float64(centers[2*h]), float64(tap%3-1) - float64(centers[2*h+1])}
			for j := range 2 { // (Sᵀd)_j
				z := float64(roots[4*h+j])*d[0] + float64(roots[4*h+2+j])*d[1]
				p[h][tap] -= z * z / 2
			}
			p[h][tap] = math.Exp(p[h][tap])
			sum += p[h][tap]
		}
		for tap := range taps {
			p[h][tap] /= sum
		}
	}
	for _, q := range to.Params {
		if !strings.HasSuffix(q.Name, "layer.0.attention.self.conv.weight") {
			continue
		}
		for i, got := range q.Data { // (out, in, 3, 3)
			out, in, want := i/taps/dim, i/taps%dim, 0.0
			for h := range heads {
				want += p[h][i%taps] * float64(value[(out*heads+h)*dim+in])
			}
			if math.Abs(float64(got)-want) > 1e-6 {
				t.Fatalf("W[%d, %d] at tap %d is %v, want %v", out, in, i%taps, got, want)
			}
		}
		return
	}
	t.Error("no convolution in the first layer")
}

// With soft heads, gradients of centers and widths are not zero; with hard ones they are.
func TestSoftHeadsLearn(t *testing.T) {
	for alpha, learns := range map[float64]bool{0.5: true, convert.Hard: false} {
		net, _, err := convert.ToAttention(twin(t, nil), convert.Options{Alpha: alpha})
		if err != nil {
			t.Fatal(err)
		}
		before := logits(t, net)
		for _, p := range net.Params {
			if strings.HasSuffix(p.Name, "attention_centers") {
				for i := range p.Data {
					p.Data[i] += 0.01
				}
			}
		}
		if d := distance(logits(t, net), before); (d > 1e-4) != learns {
			t.Errorf("α %v: moving the centers by 0.01 changes the logits by %.1e", alpha, d)
		}
	}
}

func TestRefusals(t *testing.T) {
	attention := func(change func(*model.Spec)) func(*model.Spec) {
		return func(s *model.Spec) {
			s.Kind = "mhsa"
			change(s)
		}
	}
	absent, dilated := model.Window{Size: 3, Border: "absent"}, model.Window{Size: 3, Dilation: 2}
	own := func(w model.Window) map[string]any { return map[string]any{"window": w} }
	for name, tt := range map[string]struct {
		change func(*model.Spec)
		back   bool
		layer  int
		words  string
	}{
		"soft edge":                {func(s *model.Spec) { s.Border = "replicate" }, false, 1, "repeats the edge"},
		"gate to a resnet":         {small("resnet10"), false, 0, "resnet10"},
		"resnet without attention": {small("resnet10"), true, 0, "no attention"},
		"resnet of heads": {func(s *model.Spec) {
			small("resnet10")(s)
			s.Convolution = "heads"
		}, false, 0, "already"},
		"attention": {attention(func(*model.Spec) {}), false, 0, "no convolution"},
		"depth-wise": {attention(func(s *model.Spec) {
			s.Layers = model.Layers{{}, {Kind: "depthwise"}}
		}), false, 2, "depth"},
		"convolutions": {nil, true, 0, "no attention"},
		"all keys":     {attention(func(*model.Spec) {}), true, 1, "border zero"},
		"absent keys":  {attention(func(s *model.Spec) { s.Window = absent }), true, 1, "border zero"},
		"dilation":     {attention(func(s *model.Spec) { s.Window = dilated }), true, 1, "dilation 1"},
		"learned":      {attention(func(s *model.Spec) { s.Encoding = "learned" }), true, 1, "Gaussian"},
		"content":      {attention(func(s *model.Spec) { s.Content = "add" }), true, 1, "Gaussian"},
		"temperature": {attention(func(s *model.Spec) {
			s.Window.Size, s.Temperature = 3, "learned"
		}), true, 1, "temperature"},
		"second layer": {attention(func(s *model.Spec) {
			s.Layers = model.Layers{{Own: own(model.Window{Size: 3})}, {}}
		}), true, 2, "border zero"},
		"factored": {attention(func(s *model.Spec) {
			s.Window.Size, s.Value, s.HeadDim = 3, "factored", 4
		}), true, 1, "combined"},
	} {
		t.Run(name, func(t *testing.T) {
			net := twin(t, func(s *model.Spec) {
				s.Heads = model.Ints{9}
				if tt.change != nil {
					tt.change(s)
				}
			})
			var err error
			if tt.back {
				_, _, err = convert.ToConvolution(net)
			} else {
				_, _, err = convert.ToAttention(net, convert.Options{Alpha: 1, Gate: name == "gate to a resnet"})
			}
			if err == nil || !strings.Contains(err.Error(), tt.words) {
				t.Fatalf("%v, want %q in it", err, tt.words)
			}
			if bad := (*convert.LayerError)(nil); errors.As(err, &bad) && bad.Layer != tt.layer {
				t.Errorf("%v: layer %d, want %d", err, bad.Layer, tt.layer)
			}
		})
	}
	if _, _, err := convert.ToAttention(twin(t, nil), convert.Options{}); err == nil {
		t.Error("heads without α are made")
	}
	if _, _, err := convert.ToAttention(nil, convert.Options{Alpha: 1}); err == nil {
		t.Error("no network is converted")
	}
	if _, _, err := convert.ToConvolution(&model.Network{}); err == nil {
		t.Error("an empty network is converted")
	}
}
