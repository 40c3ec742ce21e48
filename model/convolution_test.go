package model

import (
	"errors"
	"reflect"
	"testing"

	"github.com/attnconv/attnconv/option"
)

// A residual network and a convnet whose convolutions are attention: their heads, their weights by name, their words.
func TestConvolutionsOfHeads(t *testing.T) {
	for kind, convolutions := range map[string]int{"resnet10": 8, "resnet18": 16, "convnet": 6} {
		for _, start := range []string{"random", "grid-soft"} {
			s := small()
			s.Kind, s.Width, s.Convolution, s.HeadsInit = kind, 4, "heads", start
			net, err := New(s, 3)
			if err != nil {
				t.Fatal(err)
			}
			if got := s.ShortName(); got != kind+"-heads" {
				t.Errorf("ShortName() = %s", got)
			}
			layers, isotropic := net.Heads()
			if len(layers) != convolutions || len(layers[0]) != 9 || !isotropic {
				t.Errorf("%s: %d layers of heads, want %d", kind, len(layers), convolutions)
			}
			if grid := layers[1][8].Center == [2]float64{1, 1}; grid != (start == "grid-soft") {
				t.Errorf("%s, %s: the last head is at %v", kind, start, layers[1][8].Center)
			}
			initial, err := InitialHeads(s, 3)
			if err != nil || !reflect.DeepEqual(initial, layers) {
				t.Errorf("%s, %s: InitialHeads has other heads, %v", kind, start, err)
			}
			found, err := Infer(net.Tensors(), small())
			if err != nil || found.Convolution != "heads" || found.Kind != kind {
				t.Errorf("Infer: %s of %s, %v", found.Kind, found.Convolution, err)
			}
		}
	}
}

func TestConvolutionRules(t *testing.T) {
	for key, change := range map[string]func(*Spec){
		"model.conv_init":   func(s *Spec) { s.ConvInit = "dirac" },
		"model.convolution": func(s *Spec) { s.Convolution = "head" },
	} {
		s := small()
		s.Kind, s.Convolution = "resnet10", "heads"
		change(&s)
		if bad := (*option.Error)(nil); !errors.As(s.Validate(), &bad) || bad.Key != key {
			t.Errorf("Validate: %v, want an error on %s", s.Validate(), key)
		}
	}
	s := small()
	s.Kind, s.HeadsInit = "resnet10", "grid"
	if bad := (*option.Error)(nil); !errors.As(s.Validate(), &bad) || bad.Key != "model.heads_init" {
		t.Errorf("Validate: %v for heads of kernels", s.Validate())
	}
	if s := small(); s.Uses("convolution") || s.TokenSide() != s.Pool {
		t.Error("a network of tokens has no convolutions")
	}
}
