package model

import (
	"errors"
	"testing"

	"github.com/attnconv/attnconv/option"
)

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
				if p := head.Precision; p[0][0] < precision-1e-4 || p[0][0] > precision+1e-4 || p[1][1] != p[0][0] ||
					p[0][1] != 0 {
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
		var bad *option.Error
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
