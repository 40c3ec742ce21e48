package model

import (
	"errors"
	"strings"
	"testing"

	"github.com/attnconv/attnconv/internal/invalid"
	"github.com/attnconv/attnconv/nn"
)

// frozenIn lists the parameters of which not all moves, and how many of their elements do.
func frozenIn(net *Network) map[string]int {
	found := map[string]int{}
	for _, p := range net.Params {
		n := 0
		for _, r := range p.Moving() {
			n += r[1] - r[0]
		}
		if n < len(p.Data) && p.Group != nn.Measured {
			found[strings.TrimPrefix(p.Name, "model.")] = n
		}
	}
	return found
}

func TestFreeze(t *testing.T) {
	self := func(layer string) string { return "encoder.layer." + layer + ".attention.self.attention_" }
	for _, tt := range []struct {
		items []string
		want  map[string]int
	}{
		{nil, map[string]int{}},
		{[]string{"heads"}, map[string]int{self("0") + "centers": 0, self("0") + "spreads": 0, self("1") + "centers": 0, self("1") + "spreads": 0}},
		{[]string{"heads:2"}, map[string]int{self("1") + "centers": 0, self("1") + "spreads": 0}},
		{[]string{"heads:1.2", "heads:1.3"}, map[string]int{self("0") + "centers": 2, self("0") + "spreads": 1}},
		{[]string{"heads:1.1", "heads:1"}, map[string]int{self("0") + "centers": 0, self("0") + "spreads": 0}},
		{[]string{"classifier.*"}, map[string]int{"classifier.weight": 0, "classifier.bias": 0}},
	} {
		net, err := New(small(), 1)
		if err != nil {
			t.Fatal(err)
		}
		if err := net.Freeze(tt.items); err != nil {
			t.Errorf("%v: %v", tt.items, err)
		}
		got := frozenIn(net)
		if len(got) != len(tt.want) {
			t.Errorf("%v freezes %v, want %v", tt.items, got, tt.want)
		}
		for name, n := range tt.want {
			if moving, ok := got[name]; !ok || moving != n {
				t.Errorf("%v: %d elements of %s move, want %d", tt.items, moving, name, n)
			}
		}
	}
}

// The heads of an encoding that shares its tables freeze by layers, all that says where they look and no values.
func TestFreezeTables(t *testing.T) {
	for _, encoding := range []string{"learned", "content", "relative", "content-only"} {
		s := small()
		s.Encoding = encoding
		net, err := New(s, 1)
		if err == nil {
			err = net.Freeze([]string{"heads:1"})
		}
		if err != nil {
			t.Fatal(err)
		}
		got := frozenIn(net)
		if len(got) == 0 {
			t.Errorf("%s: nothing is frozen", encoding)
		}
		for name := range got {
			if !strings.HasPrefix(name, "encoder.layer.0.attention.self.") || strings.Contains(name, "value") {
				t.Errorf("%s: %s is frozen", encoding, name)
			}
		}
	}
}

func TestFreezeRefused(t *testing.T) {
	for _, tt := range []struct{ kind, encoding, item, want string }{
		{"mhsa", "quadratic", "heads:3", "with layers 1 to 2"},
		{"mhsa", "quadratic", "heads:0", "with layers 1 to 2"},
		{"mhsa", "quadratic", "heads:1.4", "layer 1 has heads 1 to 3"},
		{"mhsa", "quadratic", "heads:1.x", "layer 1 has heads 1 to 3"},
		{"mhsa", "learned", "heads:1.2", "share parameters"},
		{"mhsa", "quadratic", "head", "no parameter has such a name; one is features_upscale.weight"},
		{"mhsa", "quadratic", "", "want heads, heads:LAYER"},
		{"mhsa", "quadratic", "[", "want heads, heads:LAYER"},
		{"resnet18", "quadratic", "heads", "a resnet18 has no heads"},
		{"conv-twin", "quadratic", "heads", "a conv-twin has no heads; its convolutions are"},
	} {
		s := small()
		s.Kind, s.Encoding = tt.kind, tt.encoding
		if tt.kind == "conv-twin" {
			s.Heads = Ints{4}
		}
		net, err := New(s, 1)
		if err != nil {
			t.Fatal(err)
		}
		var bad *invalid.Error
		if err := net.Freeze([]string{tt.item}); !errors.As(err, &bad) || bad.Key != "train.freeze" || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s %s, %q: %v; want an error with %q", tt.kind, tt.encoding, tt.item, err, tt.want)
		}
	}
}

// Heads that start on the grid are a convolution's taps, in its order.
func TestHeadsInit(t *testing.T) {
	for _, encoding := range []string{"quadratic", "quadratic-general"} {
		for init, precision := range map[string]float64{"grid": 92, "grid-soft": 1} {
			s := small()
			s.Encoding, s.HeadsInit, s.Heads = encoding, init, Ints{9, 4}
			net, err := New(s, 1)
			if err != nil {
				t.Fatal(err)
			}
			heads, _ := net.Heads()
			for h, head := range heads[0] {
				if want := [2]float64{float64(h/3 - 1), float64(h%3 - 1)}; head.Center != want {
					t.Errorf("head %d at %v, want %v", h+1, head.Center, want)
				}
				if p := head.Precision; p[0][0] < precision-1e-4 || p[0][0] > precision+1e-4 || p[1][1] != p[0][0] || p[0][1] != 0 {
					t.Errorf("%s %s: precision %v, want %v", encoding, init, p, precision)
				}
			}
			if got, want := heads[1][3].Center, [2]float64{1, 1}; got != want {
				t.Errorf("the last tap of 2 × 2 at %v, want %v", got, want)
			}
		}
	}
	for _, change := range []func(s *Spec){
		func(s *Spec) { s.HeadsInit = "gird" },
		func(s *Spec) { s.HeadsInit, s.Heads = "grid", Ints{8} },
		func(s *Spec) { s.HeadsInit, s.Heads, s.Encoding = "grid", Ints{9}, "learned" },
		func(s *Spec) { s.HeadsInit, s.Heads, s.Kind = "grid", Ints{9}, "conv-twin" },
		func(s *Spec) { s.HeadsInit, s.Kind = "grid", "resnet18" },
	} {
		s := small()
		change(&s)
		var bad *invalid.Error
		if err := s.Validate(); !errors.As(err, &bad) || bad.Key != "model.heads_init" {
			t.Errorf("Validate: %v, want an error on model.heads_init", err)
		}
	}
}

// A network with hard heads that start on the grid is the twin, from the first step.
func TestGridIsTheTwin(t *testing.T) {
	s := small()
	s.Heads, s.HeadsInit, s.Dropout, s.AttentionDropout = Ints{9}, "grid", 0, 0
	net, err := New(s, 1)
	if err != nil {
		t.Fatal(err)
	}
	labels := []int32{0, 1}
	x := images(len(labels), s)
	s.HeadsInit = "random"
	net.Spec = s
	got, _ := runOf(t, net, false, x, labels)
	want, _ := runOf(t, twinOf(t, net, "replicate"), false, x, labels)
	if d := largest(got, want); d > 3e-6 {
		t.Errorf("logits differ by %.2g", d)
	}
	if len(got) == 0 {
		t.Error("no logits")
	}
}
