package model

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/attnconv/attnconv/option"
)

// The convolutions of a network, but that of pixels, start as model.conv_init says. All else is as drawn.
func TestConvInit(t *testing.T) {
	twin, resNet, mixed, plain := smallTwin(Ints{9}), smallResNet("resnet10"), small(), smallConvNet()
	mixed.Heads = Ints{9}
	mixed.Layers = Layers{{Repeat: 1}, {Kind: "conv", Repeat: 1, Own: map[string]any{"conv_init": "dirac"}},
		{Kind: "conv", Repeat: 1}}
	for _, tt := range []struct {
		s       Spec
		changed func(name string) bool
	}{
		{twin, func(name string) bool { return strings.HasSuffix(name, ".conv.weight") }},
		{resNet, func(name string) bool {
			return strings.Contains(name, ".conv") && name != "model.conv1.weight" ||
				strings.HasSuffix(name, "downsample.0.weight")
		}},
		{plain, func(name string) bool { return strings.Contains(name, ".conv") }},
		{mixed, func(name string) bool { return strings.HasSuffix(name, "layer.1.attention.self.conv.weight") }},
	} {
		drawn, err := New(tt.s, 5)
		if err != nil {
			t.Fatal(err)
		}
		s := tt.s
		if len(s.Layers) == 1 {
			s.ConvInit = "dirac"
		} else {
			plain := tt.s
			plain.Layers = Layers{{Repeat: 1}, {Kind: "conv", Repeat: 2}}
			if drawn, err = New(plain, 5); err != nil {
				t.Fatal(err)
			}
		}
		net, err := New(s, 5)
		if err != nil {
			t.Fatal(err)
		}
		n := 0
		for i, p := range net.Params {
			same := slices.Equal(p.Data, drawn.Params[i].Data)
			if same == tt.changed(p.Name) {
				t.Errorf("%s: %s is as drawn: %t", s.Kind, p.Name, same)
			}
			if !same {
				n++
				if k := p.Shape[2]; p.Data[(k-1)/2*(k+1)] != 1 {
					t.Errorf("%s: %s does not start with the identity", s.Kind, p.Name)
				}
			}
		}
		if n == 0 {
			t.Errorf("%s: nothing is changed", s.Kind)
		}
	}
	twin.ConvInit = "dirak"
	if bad := (*option.Error)(nil); !errors.As(twin.Validate(), &bad) || bad.Key != "model.conv_init" {
		t.Errorf("Validate: %v, want an error on model.conv_init", twin.Validate())
	}
}
