package network

import (
	"context"
	"errors"
	"math"
	"testing"

	"github.com/attnconv/attnconv/model"
)

func wholeOf(t *testing.T, images int, change func(*model.Spec)) *Analysis {
	t.Helper()
	net := small(t, change)
	fresh := func(seed uint64) (*model.Network, error) { return model.New(net.Spec, seed) }
	d, err := Measure(context.Background(), Subject{Name: "x", Net: net, Held: noise(images), Fresh: fresh},
		Options{Images: images / 2, Attention: 4, Kernel: 3, Seeds: 2, Fits: 2, Network: true})
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// Attention by content alone commutes with every permutation of the tokens, so layers have defect 0. Attention by
// position ends at borders.
func TestDefectOfContent(t *testing.T) {
	content := wholeOf(t, 200, func(s *model.Spec) { s.Encoding = "content-only" })
	position := wholeOf(t, 200, func(*model.Spec) {})
	for i := range content.Layers {
		if v := float64(content.Layers[i].Symmetry.Defect.Value); v > 1e-9 {
			t.Errorf("content: layer %d: %v", i+1, v)
		}
		s := position.Layers[i].Symmetry
		if v := float64(s.Defect.Value); v < 1e-3 || v > 1 || s.Defect.Untrained == nil || s.SideAll < 20 {
			t.Errorf("position: layer %d: %+v", i+1, s)
		}
	}
	if n := content.Network; n.Untrained != 2 || len(n.CKA.CKA) != 3 || n.CKA.Images != 100 || n.CKA.Untrained != 2 {
		t.Errorf("network %+v", n)
	}
}

// A 1 × 1 convolution commutes with all shifts. A 3 × 3 has a field of 3 × 3 tokens of 4
// pixels, then of 5 × 5, of which the image has 4: around pixel 10 of token 2, they reach from 4 to 15, and from 0 to
// 15.
func TestFieldOfTwin(t *testing.T) {
	one := wholeOf(t, 200, func(s *model.Spec) { s.Kind, s.Heads, s.Border = "conv-twin", model.Ints{1}, "zero" })
	nine := wholeOf(t, 200, func(s *model.Spec) { s.Kind, s.Heads, s.Border = "conv-twin", model.Ints{9}, "replicate" })
	for i := range one.Layers {
		if s := one.Layers[i].Symmetry; float64(s.Defect.Value) > 1e-9 || s.SideAll != 5 {
			t.Errorf("1 × 1: layer %d: defect %v, side %d", i+1, float64(s.Defect.Value), s.SideAll)
		}
		s := nine.Layers[i].Symmetry
		if s.SideAll != []int{13, 21}[i] || float64(s.Side90.Value) > float64(s.SideAll) ||
			float64(s.Radius50.Value) > float64(s.Radius90.Value) {
			t.Errorf("3 × 3: layer %d: %+v", i+1, s)
		}
		if float64(s.Interior.Value) < 1-1e-6 || float64(s.Border.Value) > 0.99 || s.Interior.Untrained == nil {
			t.Errorf("3 × 3: layer %d: R² inside %+v, at borders %+v", i+1, s.Interior, s.Border)
		}
	}
}

// Residual networks have all of it, and blocks that change the grid, too.
func TestResNetIsMeasured(t *testing.T) {
	d := wholeOf(t, 40, func(s *model.Spec) { s.Kind, s.Width = "resnet10", 4 })
	last := 0
	for i, l := range d.Layers {
		if s := l.Symmetry; s == nil || !s.Defect.Value.Known() || s.SideAll < last || s.Interior != nil &&
			l.Spectrum == nil {
			t.Errorf("layer %d: %+v", i+1, s)
		} else {
			last = s.SideAll
		}
	}
	if halves := d.Layers[1]; halves.Spectrum == nil || halves.Spectrum.Null == nil || float64(halves.Spectrum.K3) > 1 {
		t.Errorf("a block that halves the grid: %+v", halves.Spectrum)
	}
	if len(d.Network.CKA.CKA) != len(d.Layers)+1 {
		t.Errorf("CKA of %d layers, want %d and the logits", len(d.Network.CKA.CKA), len(d.Layers))
	}
}

// A network is like itself, and two networks are compared on the same images alone.
func TestSimilar(t *testing.T) {
	net, other := small(t, func(*model.Spec) {}), small(t, func(s *model.Spec) {
		s.Encoding, s.Layers = "learned",
			model.Equal(3)
	})
	a, b := Subject{Name: "a", Net: net, Held: noise(120)}, Subject{Name: "b", Net: other, Held: noise(120)}
	o := Options{Images: 60}
	s, err := Similar(context.Background(), a, b, o)
	if err != nil {
		t.Fatal(err)
	}
	if len(s.CKA) != 3 || len(s.CKA[0]) != 4 || s.Rows != "a" || s.Cols != "b" || s.Images != 60 {
		t.Errorf("%+v", s)
	}
	back, err := Similar(context.Background(), b, a, o)
	if err != nil || math.Abs(float64(back.CKA[3][1])-float64(s.CKA[1][3])) > 1e-6 {
		t.Errorf("%v and %v, %v", float64(back.CKA[3][1]), float64(s.CKA[1][3]), err)
	}
	self, err := a.similar(context.Background(), o, a)
	if err != nil {
		t.Fatal(err)
	}
	own := self.CKA
	for i := range own {
		if math.Abs(float64(own[i][i])-1) > 1e-12 || math.Abs(float64(own[0][i])-float64(own[i][0])) > 1e-12 {
			t.Errorf("layer %d is like itself by %v", i+1, float64(own[i][i]))
		}
	}
	fresh := func(seed uint64) (*model.Network, error) { return model.New(net.Spec, seed) }
	a.Fresh, o.Seeds = fresh, 2
	twin := Subject{Name: "twin", Net: small(t, func(*model.Spec) {}), Held: noise(120), Fresh: fresh}
	for _, other := range []Subject{a, twin} {
		s, err := Similar(context.Background(), a, other, o)
		if err != nil {
			t.Fatal(err)
		}
		if d := math.Abs(float64(s.Null[1][1]) - 1); s.Untrained != 2 || (d > 1e-9) != (other.Net != a.Net) {
			t.Errorf("%s: untrained layers 2 are alike by %v in %d pairs", other.Name, float64(s.Null[1][1]),
				s.Untrained)
		}
	}
	b.Held.Pixels[5]++
	if _, err := Similar(context.Background(), a, b, o); !errors.Is(err, ErrOtherImages) {
		t.Error(err)
	}
}
