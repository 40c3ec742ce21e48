package network

import (
	"math"
	"strings"
	"testing"

	"github.com/attnconv/attnconv/model"
	"github.com/attnconv/attnconv/null"
)

// A layer of 3 × 3 convolutions is one convolution with its own border, and less with the other.
func TestBordersOfConvolutionLayers(t *testing.T) {
	for border, own := range map[string]func(*Borders) (own, other BorderShares){
		"zero":      func(b *Borders) (own, other BorderShares) { return b.Zeros, b.Repeated },
		"replicate": func(b *Borders) (own, other BorderShares) { return b.Repeated, b.Zeros },
	} {
		net := small(t, func(s *model.Spec) { s.Kind, s.Heads, s.Border = "conv-twin", model.Ints{9}, border })
		d, err := Measure(t.Context(), Subject{Name: "x", Net: net}, Options{})
		if err != nil {
			t.Fatal(err)
		}
		for _, l := range d.Layers {
			is, other := own(l.Borders)
			if math.Abs(float64(is.Within3.Value)-1) > 1e-6 || math.Abs(float64(is.Any.Value)-1) > 1e-6 ||
				is.Within1.Value > 0.9 || other.Within3.Value > 0.99 || is.Chance != 49./256 {
				t.Errorf("%s, layer %d: %+v, with the other border %+v", border, l.Layer, is, other)
			}
		}
	}
}

// With zeros, the values are sums of the layer's shares. Each is next to its mean over untrained networks.
func TestBordersAreNextToUntrainedLayers(t *testing.T) {
	net := small(t, func(*model.Spec) {})
	var fresh []*model.Network
	d, err := Measure(t.Context(), Subject{Name: "x", Net: net, Fresh: func(seed uint64) (*model.Network, error) {
		f, err := model.New(net.Spec, seed)
		fresh = append(fresh, f)
		return f, err
	}}, Options{Seeds: 3})
	if err != nil {
		t.Fatal(err)
	}
	sums := make([][10]float64, len(d.Layers))
	for _, f := range fresh {
		u, err := Measure(t.Context(), Subject{Name: "untrained", Net: f}, Options{})
		if err != nil {
			t.Fatal(err)
		}
		for i, l := range u.Layers {
			z, r := l.Borders.Zeros, l.Borders.Repeated
			for j, v := range []NullTest{z.Within1, z.Within3, z.Within5, z.Within7, z.Any,
				r.Within1, r.Within3, r.Within5, r.Within7, r.Any} {
				sums[i][j] += float64(v.Value)
			}
		}
	}
	for i, l := range d.Layers {
		s, z := l.Shares, l.Borders.Zeros
		for j, want := range []float64{s.K1, s.K1 + s.K3, s.K1 + s.K3 + s.K5, 1 - s.Larger - s.Place, 1 - s.Place} {
			if got := float64(z.values()[j].Value); math.Abs(got-want) > 1e-12 {
				t.Errorf("layer %d: zeros, value %d: %v, want %v", l.Layer, j, got, want)
			}
		}
		if r := l.Borders.Repeated; r.Any.Value < r.Within7.Value || r.Within7.Value < r.Within5.Value ||
			r.Within5.Value < r.Within3.Value || r.Within3.Value <= r.Within1.Value || r.Any.Value == z.Any.Value {
			t.Errorf("layer %d: repeated edges %+v", l.Layer, r)
		}
		for j, v := range borderTests(l) {
			if u := v.Untrained; u == nil || u.Draws != len(fresh) ||
				math.Abs(float64(u.Mean)-sums[i][j]/float64(len(fresh))) > 1e-12 {
				t.Errorf("layer %d: value %d is next to %+v, want a mean of %v", l.Layer, j, u, sums[i][j]/3)
			}
		}
	}
	if len(fresh) != 3 {
		t.Errorf("%d untrained networks", len(fresh))
	}
	if s := d.Layers[1].Sentence; !strings.Contains(s, "one convolution of any size has ") ||
		!strings.Contains(s, "% with its edge repeated (untrained ") {
		t.Error(s)
	}
	text := Text([]Analysis{*d}, nil, 80)
	if !strings.Contains(text, "layer  border  1×1") || !strings.Contains(text, "    1  edges ") ||
		!strings.Contains(CSV([]Analysis{*d}), ",repeated_any,null_repeated_any") {
		t.Error(text)
	}
}

// Border shares of several runs have means and intervals over seeds, with each border its own; a run without them has
// none.
func TestBorderSharesOverSeeds(t *testing.T) {
	var runs []Analysis
	for seed := range 3 {
		of := func(v float64) BorderShares { return BorderShares{Any: NullTest{Value: null.Float(v)}} }
		runs = append(runs, Analysis{Model: "mhsa", Seed: uint64(seed),
			Layers: []Layer{{Layer: 1, Borders: &Borders{of(0.2 + 0.1*float64(seed)), of(0.9)}}}})
	}
	l := Seeds(runs)[0]
	if z := l.Zeros; z == nil || math.Abs(float64(z.Mean)-0.3) > 1e-12 || math.Abs(float64(z.Std)-0.1) > 1e-12 ||
		!z.CI.Known() {
		t.Errorf("with zeros: %+v, want 0.3 ± 0.1", z)
	}
	if r := l.Repeated; r == nil || math.Abs(float64(r.Mean)-0.9) > 1e-12 {
		t.Errorf("with repeated edges: %+v, want 0.9", r)
	}
	runs[1].Layers[0].Borders = nil
	if l := Seeds(runs)[0]; l.Zeros != nil || l.Repeated != nil {
		t.Errorf("one of three runs has no border shares: %+v, %+v", l.Zeros, l.Repeated)
	}
}
