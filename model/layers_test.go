package model

import (
	"errors"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"github.com/attnconv/attnconv/nn"
	"github.com/attnconv/attnconv/option"
)

// mixed is a network of blocks of two kinds, with options of their own.
func mixed() Spec {
	s := small()
	s.Layers = Layers{
		{Kind: "conv", Repeat: 2, Own: map[string]any{"size": 3, "ffn": 7}},
		{Own: map[string]any{"encoding": "learned", "heads": Ints{2}, "max_position": 6}},
		{Own: map[string]any{"encoding": "relative", "value": "factored", "head_dim": 4,
			"terms": []string{"qk", "vr"}}},
		{Kind: "conv"},
	}
	s.Heads = Ints{3, 3, 3, 3, 4}
	return s
}

// The short form and the long one are read, and written as they are read.
func TestLayersInYAML(t *testing.T) {
	for _, tt := range []struct {
		text, written string
		want          Layers
	}{
		{"6", "", Equal(6)},
		{"[{repeat: 6}]", "6", Equal(6)},
		{"[{kind: conv, repeat: 2}, {}]", "", Layers{{Kind: "conv", Repeat: 2}, {Repeat: 1}}},
		{"[{heads: 4, kind: attention, dropout: 0}, {terms: [qk, vr]}]",
			"[{kind: attention, heads: 4, dropout: 0}, {terms: [qk, vr]}]",
			Layers{{Kind: "attention", Repeat: 1, Own: map[string]any{"heads": Ints{4}, "dropout": 0.0}},
				{Repeat: 1, Own: map[string]any{"terms": []string{"qk", "vr"}}}}},
	} {
		var got Layers
		if err := yaml.Unmarshal([]byte(tt.text), &got); err != nil || !reflect.DeepEqual(got, tt.want) {
			t.Errorf("%s is read as %+v, %v; want %+v", tt.text, got, err, tt.want)
		}
		if tt.written == "" {
			tt.written = tt.text
		}
		if got := got.String(); got != tt.written {
			t.Errorf("%s is written as %s, want %s", tt.text, got, tt.written)
		}
	}
	for text, want := range map[string]string{
		"six":                        `"six": want a whole number or a list of blocks`,
		"[conv]":                     "model.layers[0] \"conv\": want keys and values",
		"[{}, {head: 9}]":            "unknown key \"model.layers[1].head\"\n  did you mean \"model.layers[1].heads\"?",
		"[{heads: nine}]":            "model.layers[0].heads \"nine\": want a whole number",
		"[{repeat: 0}]":              "model.layers[0].repeat 0: want 1 to 1000",
		"[{kind: conv, kind: conv}]": "model.layers[0].kind is given twice",
	} {
		var n yaml.Node
		if err := yaml.Unmarshal([]byte(text), &n); err != nil {
			t.Fatal(err)
		}
		var got Layers
		if err := got.UnmarshalYAML(n.Content[0]); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", text, err, want)
		}
	}
}

// What an entry does not say is the network's own, and each block has the heads of its place.
func TestBlocks(t *testing.T) {
	s := mixed()
	if err := s.Validate(); err != nil {
		t.Fatal(err)
	}
	var kinds, encodings []string
	var heads, ffn []int
	for _, b := range s.Blocks() {
		kinds, encodings = append(kinds, b.Kind.Name), append(encodings, b.Encoding)
		heads, ffn = append(heads, b.Heads), append(ffn, b.FFN)
	}
	if want := []string{"conv", "conv", "attention", "attention", "conv"}; !slices.Equal(kinds, want) {
		t.Errorf("kinds %v, want %v", kinds, want)
	}
	if want := []string{"quadratic", "quadratic", "learned", "relative", "quadratic"}; !slices.Equal(encodings, want) {
		t.Errorf("encodings %v, want %v", encodings, want)
	}
	if want := []int{3, 3, 2, 3, 4}; !slices.Equal(heads, want) {
		t.Errorf("heads %v, want %v", heads, want)
	}
	if want := []int{7, 7, 12, 12, 12}; !slices.Equal(ffn, want) {
		t.Errorf("ffn %v, want %v", ffn, want)
	}
	if got, want := s.EncodingName(), "conv+learned+relative"; got != want {
		t.Errorf("called %s, want %s", got, want)
	}
	for key, want := range map[string]bool{"border": true, "size": true, "encoding": true, "width": false} {
		if s.Uses(key) != want {
			t.Errorf("uses %s: %t, want %t", key, !want, want)
		}
	}
}

// A network of both kinds computes what their definitions say one after the other, in training and in evaluation; its
// gradient is that of its loss; and it has the parameters that its spec counts.
func TestMixedNetwork(t *testing.T) {
	s := mixed()
	s.Dropout, s.AttentionDropout = 0, 0
	net, err := New(s, 1)
	if err != nil {
		t.Fatal(err)
	}
	if got := nn.CountLearned(net.Params); got != s.Params() {
		t.Errorf("Params() = %d, the network learns %d", s.Params(), got)
	}
	p := oracleOf(net)
	labels := []int32{0, 1, 4}
	x := images(len(labels), s)
	for _, train := range []bool{false, true} {
		logits, _ := runOf(t, net, train, x, labels)
		for i := range labels {
			size := len(x) / len(labels)
			for c, want := range p.logits(float64s(x[i*size:][:size])) {
				if got := float64(logits[i*s.Classes+c]); math.Abs(got-want) > 4e-6 {
					t.Errorf("train %t, image %d, class %d: logit %.8f, definition %.8f", train, i, c, got, want)
				}
			}
		}
	}
	if net, err = New(mixed(), 2); err != nil {
		t.Fatal(err)
	}
	checkAlongGradient(t, net, 4, 2e-2)
}

func TestLayersRefused(t *testing.T) {
	for _, tt := range []struct {
		key    string
		change func(*Spec)
	}{
		{"model.layers[0].kind", func(s *Spec) { s.Layers[0].Kind = "convolution" }},
		{"model.layers[1].kind", func(s *Spec) {
			s.Kind, s.Layers[1].Kind, s.Heads = "conv-twin", "attention",
				Ints{9}
		}},
		{"model.layers[0].encoding", func(s *Spec) { s.Layers[0].Own["encoding"] = "lerned" }},
		{"model.layers[1].encoding", func(s *Spec) { s.Layers[1].Own["encoding"] = "lerned" }},
		{"model.layers[1].heads", func(s *Spec) { s.Layers[1].Own["heads"] = Ints{0} }},
		{"model.layers[1].heads", func(s *Spec) { s.Layers[1].Own["heads"] = "two" }},
		{"model.layers[1].max_position", func(s *Spec) { s.Layers[1].Own["max_position"] = 5 }},
		{"model.layers[0].size", func(s *Spec) { s.Layers[0].Own["size"] = 1 << 30 }},
		{"model.layers[2].head_dim", func(s *Spec) { s.Layers[2].Own["head_dim"] = -1 }},
		{"model.layers[1].dim", func(s *Spec) { s.Layers[1].Own["dim"] = 8 }},
		{"model.layers[1].heads", func(s *Spec) { s.Layers[1].Own["heads"] = Ints{2, 2} }},
		{"model.layers[0].repeat", func(s *Spec) { s.Layers[0].Repeat = math.MaxInt }},
		{"model.layers", func(s *Spec) {
			s.Layers, s.Heads = Layers{{Kind: "conv", Repeat: 600}, {Repeat: 600}},
				Ints{9}
		}},
		{"model.layers", func(s *Spec) { s.Layers, s.Heads = nil, Ints{9} }},
		{"model.heads", func(s *Spec) { s.Heads = Ints{3, 3} }},
		{"model.heads", func(s *Spec) { s.Heads[4] = 3 }}, // of a convolution
		{"model.dim", func(s *Spec) { s.Dim, s.Layers[0].Own["size"] = 1<<16, 256 }},
	} {
		s := mixed()
		tt.change(&s)
		var bad *option.Error
		if err := s.Validate(); !errors.As(err, &bad) || bad.Key != tt.key {
			t.Errorf("Validate() = %v, want an error on %s", err, tt.key)
		}
	}
}
