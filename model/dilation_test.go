package model

import (
	"fmt"
	"math"
	"strings"
	"testing"
)

// A convolution with a dilation d is the one of (k-1)·d+1 taps a side of which the others are zero: the networks have
// the same logits. It costs and learns what k × k taps do, and sees as far as the larger one.
func TestDilation(t *testing.T) {
	for _, border := range Borders.Names() {
		for d := 1; d <= 3; d++ {
			t.Run(fmt.Sprintf("%s, %d", border, d), func(t *testing.T) {
				s := smallTwin(Ints{9})
				s.Dropout, s.Border, s.Dilation = 0, border, d
				net, err := New(s, 1)
				if err != nil {
					t.Fatal(err)
				}
				wide := s
				wide.Dilation, wide.Size = 1, 2*d+1
				sparse, err := New(wide, 2)
				if err != nil {
					t.Fatal(err)
				}
				for i, p := range net.Params {
					to := sparse.Params[i]
					clear(to.Data)
					if !strings.HasSuffix(p.Name, "conv.weight") {
						copy(to.Data, p.Data)
						continue
					}
					for j, v := range p.Data {
						to.Data[(j/9*wide.Size+j%9/3*d)*wide.Size+j%3*d] = v
					}
				}
				x := images(3, s)
				got, want := imageLogits(t, net, false, x, make([]int32, 3)), imageLogits(t, sparse, false, x,
					make([]int32, 3))
				for i := range want {
					if math.Abs(float64(got[i]-want[i])) > 2e-6 {
						t.Errorf("logit %d: %v, want %v", i, got[i], want[i])
					}
				}
				checkAlongGradient(t, net, 3, 2e-2)
				parts, wider := s.Parts(), wide.Parts()
				for i := range parts {
					if parts[i].Field != wider[i].Field {
						t.Errorf("%s sees %v pixels, want %v", parts[i].Path, parts[i].Field, wider[i].Field)
					}
				}
				near := s
				near.Dilation = 1
				if s.MACs().Definition != near.MACs().Definition || s.Params() != near.Params() {
					t.Errorf("%d multiply-adds and %d parameters, without dilation %d and %d", s.MACs().Definition,
						s.Params(), near.MACs().Definition, near.Params())
				}
			})
		}
	}
}

// Each entry of the list of layers has a dilation of its own.
func TestDilationOfLayers(t *testing.T) {
	s := smallTwin(Ints{9})
	s.Layers = Layers{{Repeat: 2}, {Repeat: 2, Own: map[string]any{"dilation": 2}},
		{Own: map[string]any{"dilation": 3}}}
	if got, want := s.String(), ": 2 × convolution 3 × 3, 2 × convolution 3 × 3 of dilation 2, "+
		"1 × convolution 3 × 3 of dilation 3, dim"; !strings.Contains(got, want) {
		t.Errorf("%s, want %s", got, want)
	}
	for _, bad := range []int{0, -1, 1 << 20} {
		s.Layers = Layers{{Own: map[string]any{"dilation": bad}}}
		if err := s.Validate(); err == nil || !strings.Contains(err.Error(), "model.layers[0].dilation") {
			t.Errorf("dilation %d: %v", bad, err)
		}
	}
	s = small()
	s.Layers = Layers{{Own: map[string]any{"dilation": 2}}}
	if err := s.Validate(); err == nil || !strings.Contains(err.Error(), "a block of kind attention has none") {
		t.Errorf("attention with a dilation: %v", err)
	}
}
