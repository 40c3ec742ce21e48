package model

import (
	"errors"
	"fmt"
	"math"
	"testing"

	"github.com/attnconv/attnconv/nn"
	"github.com/attnconv/attnconv/option"
)

// The paper's network without what says where its heads look.
func TestTwinCounts(t *testing.T) {
	s := Default()
	s.Kind = "conv-twin"
	if got, want := s.Params(), 12_086_682; got != want {
		t.Errorf("Params() = %d, want %d", got, want)
	}
	net, err := New(s, 0)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := net.Spec.MACs().Definition, 3_087_978_400; got != want { // the linear maps of the paper's network
		t.Errorf("%d multiply-adds, want %d", got, want)
	}
	if got := nn.CountLearned(net.Params); got != s.Params() {
		t.Errorf("the network learns %d numbers, want %d", got, s.Params())
	}
	s.Heads = Ints{8}
	var bad *option.Error
	if err := s.Validate(); !errors.As(err, &bad) || bad.Key != "model.heads" {
		t.Errorf("Validate() = %v for 8 heads, want an error on model.heads", err)
	}
}

func smallTwin(heads Ints) Spec {
	s := small()
	s.Kind, s.Heads = "conv-twin", heads
	return s
}

// Convolutions of 9, 4 and 1 taps; with two images the dense map stays apart in training, with more it is folded.
func TestTwinEqualsDefinition(t *testing.T) {
	for _, tt := range []struct {
		heads  Ints
		train  bool
		images int
	}{{Ints{9}, false, 2}, {Ints{9}, true, 2}, {Ints{9}, true, 5}, {Ints{4, 1}, true, 5}, {Ints{16}, false, 1}} {
		t.Run(fmt.Sprintf("%d taps, train %t, %d images", tt.heads, tt.train, tt.images), func(t *testing.T) {
			s := smallTwin(tt.heads)
			s.Dropout = 0
			net, err := New(s, 1)
			if err != nil {
				t.Fatal(err)
			}
			p := oracleOf(net)
			x := images(tt.images, s)
			logits := imageLogits(t, net, tt.train, x, make([]int32, tt.images))
			for i := range tt.images {
				for c, want := range p.logits(float64s(x[i*len(x)/tt.images:][:len(x)/tt.images])) {
					if got := float64(logits[i*s.Classes+c]); math.Abs(got-want) > 2e-6 {
						t.Errorf("image %d, class %d: logit %.8f, definition %.8f", i, c, got, want)
					}
				}
			}
		})
	}
}

// The gradient of the whole network, dropout on.
func TestTwinGradient(t *testing.T) {
	for _, n := range []int{2, 5} {
		net, err := New(smallTwin(Ints{9, 4}), 2)
		if err != nil {
			t.Fatal(err)
		}
		checkAlongGradient(t, net, n, 2e-2)
	}
}
