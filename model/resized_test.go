package model

import (
	"slices"
	"strings"
	"testing"

	"github.com/attnconv/attnconv/nn"
)

// logitsOf returns what net, in training, makes of an even image.
func logitsOf(t *testing.T, net nn.Layer, side int) []float32 {
	t.Helper()
	x := slices.Repeat([]float32{0.5, -1, 2}, 2*side*side)
	var y *nn.Node
	g, err := nn.Build(true, func(g *nn.Graph) { y = net.Forward(g, g.Input("x", x, 2, side, side, 3)) })
	if err != nil {
		t.Fatal(err)
	}
	return computed(t, g, y, 3)
}

// A network for smaller images reads the parameters of the one that it was made of, and making it changes none,
// whatever they start with. Of an even image it computes the same: attention averages what is the same everywhere.
func TestResized(t *testing.T) {
	for _, change := range []func(s *Spec){
		func(s *Spec) {},
		func(s *Spec) { s.Encoding, s.Heads = "quadratic-general", Ints{4} },
		func(s *Spec) { s.HeadsInit, s.Heads = "grid-soft", Ints{9} },
		func(s *Spec) { s.Encoding = "learned" },
		func(s *Spec) { s.Encoding = "content" },
		func(s *Spec) { s.Kind, s.Heads, s.ConvInit, s.Border = "conv-twin", Ints{9}, "dirac", "replicate" },
		func(s *Spec) { s.Kind, s.Width = "resnet10", 4 },
	} {
		spec := Default()
		spec.Layers, spec.Heads, spec.Dim, spec.FFN, spec.Pool, spec.Dropout, spec.AttentionDropout = Equal(2), Ints{3},
			8, 8, 4, 0, 0
		change(&spec)
		net, err := New(spec, 5)
		if err != nil {
			t.Fatal(err)
		}
		values := func() (all []float32) {
			for _, p := range net.Params {
				all = append(all, p.Data...)
			}
			return all
		}
		before := values()
		small, err := net.Resized(16, 16)
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(values(), before) {
			t.Errorf("%s: Resized changed the weights", spec)
		}
		if spec.Kind == "resnet10" { // zeros around the image have a part in it
			continue
		}
		for range 2 {
			whole, copied := logitsOf(t, net, 32), logitsOf(t, small, 16)
			for i, v := range whole {
				if d := v - copied[i]; d > 1e-4 || d < -1e-4 {
					t.Errorf("%s: logit %d is %v, and of the copy %v", spec, i, v, copied[i])
					break
				}
			}
			net.Params[0].Data[0]++ // the stem: both see it
		}
	}
}

// Masks of dropout are drawn by the seed of the network.
func TestResizedSeed(t *testing.T) {
	spec := Default()
	spec.Layers, spec.Heads, spec.Dim, spec.FFN, spec.Pool, spec.Dropout = Equal(1), Ints{1}, 16, 16, 4, 0.5
	logits := func(seed uint64) []float32 {
		net, err := New(spec, seed)
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range net.Params {
			for i := range p.Data {
				p.Data[i] = float32(i%7) / 7
			}
		}
		small, err := net.Resized(8, 8)
		if err != nil {
			t.Fatal(err)
		}
		return logitsOf(t, small, 8)
	}
	if slices.Equal(logits(1), logits(2)) || !slices.Equal(logits(1), logits(1)) {
		t.Error("dropout of a resized network does not follow its seed")
	}
}

func TestResizedRefused(t *testing.T) {
	for _, tt := range []struct {
		rows, cols int
		absolute   string
		want       string
	}{
		{16, 8, "none", "want the same shape"},
		{0, 0, "none", "want the same shape"},
		{18, 18, "none", "want multiples of model.pool, 4"},
		{16, 16, "learned", "position_embeddings.weight would have the shape [16 8], and has [64 8]"},
	} {
		spec := Default()
		spec.Layers, spec.Dim, spec.FFN, spec.Pool, spec.Absolute = Equal(1), 8, 8, 4, tt.absolute
		net, err := New(spec, 0)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := net.Resized(tt.rows, tt.cols); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%d × %d, absolute %s: %v, want an error with %q", tt.rows, tt.cols, tt.absolute, err, tt.want)
		}
	}
}
