package network

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"

	"github.com/attnconv/attnconv/data"
	"github.com/attnconv/attnconv/model"
	"github.com/attnconv/attnconv/posenc"
)

// noise returns images of random pixels.
func noise(n int) data.Split { return noiseOf(1, n) }

// otherNoise returns images none of which is one of noise.
func otherNoise(n int) data.Split { return noiseOf(5, n) }

func noiseOf(seed uint64, n int) data.Split { return noiseIn(seed, n, 16) }

// noiseOn returns images of so many random pixels a side.
func noiseOn(n, side int) data.Split { return noiseIn(uint64(n), n, side) }

func noiseIn(seed uint64, n, side int) data.Split {
	s := data.Split{Format: data.Format{Rows: side, Cols: side, Channels: 3, Mean: []float32{0.5, 0.5, 0.5},
		Std: []float32{0.3, 0.3, 0.3}}}
	rng := rand.New(rand.NewPCG(seed, 2))
	for range n * s.Size() {
		s.Pixels = append(s.Pixels, uint8(rng.IntN(256)))
	}
	s.Labels = make([]int32, n)
	return s
}

func small(t *testing.T, change func(*model.Spec)) *model.Network {
	t.Helper()
	spec := model.Default()
	spec.Layers, spec.Heads, spec.Dim, spec.FFN, spec.Pool, spec.Image = model.Equal(2), model.Ints{4}, 8, 8, 4,
		[3]int{16, 16, 3}
	change(&spec)
	net, err := model.New(spec, 3)
	if err != nil {
		t.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(3, 4))
	for _, p := range net.Params { // biases, scores and tables that start at zero, too
		for i := range p.Data {
			p.Data[i] += 0.1 * float32(rng.NormFloat64())
		}
	}
	return net
}

// Without content, mean attention and maps are the layer: they predict its output on images. That needs the right
// attention, maps, biases, inputs and outputs, for every encoding and either kind of value.
func TestArraysAreTheLayer(t *testing.T) {
	for _, kind := range posenc.Kinds {
		for _, value := range []string{"combined", "factored"} {
			t.Run(kind.Name+"/"+value, func(t *testing.T) {
				net := small(t, func(s *model.Spec) { s.Encoding, s.Value = kind.Name, value })
				d, err := Measure(context.Background(), Subject{Name: "x", Net: net, Held: noise(60)},
					Options{Images: 30, Attention: 20, Kernel: 3})
				if err != nil {
					t.Fatal(err)
				}
				if len(d.Layers) != 2 {
					t.Fatalf("%d layers", len(d.Layers))
				}
				for _, l := range d.Layers {
					sum := 0.0
					for _, v := range []float64{l.Shares.K1, l.Shares.K3, l.Shares.K5, l.Shares.K7, l.Shares.Larger,
						l.Shares.Place} {
						sum += v
					}
					if math.Abs(sum-1) > 1e-12 {
						t.Errorf("layer %d: shares add up to %v", l.Layer, sum)
					}
					if r2 := float64(l.Spectrum.Mean); !kind.Queries && r2 < 1-1e-6 || r2 < 0.3 || r2 > 1 {
						t.Errorf("layer %d: mean attention explains %v of the output", l.Layer, r2)
					}
					content := float64(l.Heads[0].Content)
					if kind.Queries != (content > 1e-6) || kind.Queries != l.ByImage {
						t.Errorf("layer %d: %v bits of content, by image %t", l.Layer, content, l.ByImage)
					}
				}
			})
		}
	}
}

// A convolution with zero borders is all convolution of its size, and regressions find it; one that repeats its edges
// is so inside.
func TestTwin(t *testing.T) {
	for _, border := range []string{"zero", "replicate"} {
		net := small(t, func(s *model.Spec) { s.Kind, s.Heads, s.Border = "conv-twin", model.Ints{9}, border })
		d, err := Measure(context.Background(), Subject{Name: "x", Net: net, Held: noise(200)},
			Options{Images: 100, Kernel: 3, Draws: 20})
		if err != nil {
			t.Fatal(err)
		}
		for _, l := range d.Layers {
			within, inside := l.Shares.K1+l.Shares.K3, float64(l.Interior.K3)
			if border == "zero" && (within < 1-1e-12 || float64(l.Spectrum.K3) < 0.9999) || border == "replicate" &&
				within > 0.95 || inside < 1-1e-12 {
				t.Errorf("%s: 3 × 3 has %v, inside %v, R² %v", border, within, inside, float64(l.Spectrum.K3))
			}
			if float64(l.Spectrum.Mean) < 1-1e-6 {
				t.Errorf("%s: the layer on arrays explains %v", border, float64(l.Spectrum.Mean))
			}
			if len(l.Nulls) != 1 || float64(l.Nulls[0].Within.Mean) > 0.9 || float64(l.Nulls[0].P) > 0.05 {
				t.Errorf("%s: nulls %+v", border, l.Nulls)
			}
		}
	}
}

// The taps of a dilated convolution lie apart: the layer on arrays is the network's, and it is no 3 × 3 convolution.
func TestDilatedTwin(t *testing.T) {
	net := small(t, func(s *model.Spec) {
		s.Kind, s.Heads, s.Border, s.Dilation = "conv-twin", model.Ints{9}, "zero", 2
	})
	d, err := Measure(context.Background(), Subject{Name: "x", Net: net, Held: noise(200)},
		Options{Images: 100, Kernel: 3, Draws: 20})
	if err != nil {
		t.Fatal(err)
	}
	for _, l := range d.Layers {
		if float64(l.Spectrum.Mean) < 1-1e-6 || l.Shares.K1+l.Shares.K3 > 0.5 {
			t.Errorf("the layer on arrays explains %v, and 3 × 3 has %v", float64(l.Spectrum.Mean), l.Shares.K3)
		}
	}
}

// Learned taps are a convolution, of the size of their window.
func TestDCLS(t *testing.T) {
	net := small(t, func(s *model.Spec) {
		s.Layers, s.Heads, s.Border, s.Size = model.Layers{{Kind: "dcls"}}, model.Ints{5}, "zero", 3
	})
	d, err := Measure(context.Background(), Subject{Name: "x", Net: net, Held: noise(200)},
		Options{Images: 100, Kernel: 3, Draws: 20})
	if err != nil {
		t.Fatal(err)
	}
	l := d.Layers[0]
	if float64(l.Spectrum.Mean) < 1-1e-6 || l.Shares.K1+l.Shares.K3 < 1-1e-9 ||
		l.Kind != "convolution 3 × 3 of 5 learned taps" {
		t.Errorf("%s: the layer on arrays explains %v, and 3 × 3 has %v", l.Kind, float64(l.Spectrum.Mean), l.Shares.K3)
	}
}

// Depth-wise and 1 × 1 convolutions are convolutions of their sizes, and each block has its own number, also behind
// one that is no linear map.
func TestBlocksOfConvolutions(t *testing.T) {
	net := small(t, func(s *model.Spec) {
		s.Layers, s.Heads, s.Border = model.Layers{{Kind: "depthwise"}, {Kind: "pointwise"}, {Kind: "convmixer"},
			{Kind: "mixer"}, {}}, model.Ints{9}, "zero"
	})
	d, err := Measure(context.Background(), Subject{Name: "x", Net: net, Held: noise(200)},
		Options{Images: 100, Kernel: 3, Draws: 20})
	if err != nil {
		t.Fatal(err)
	}
	if len(d.Layers) != 5 {
		t.Fatalf("%d layers, want 5", len(d.Layers))
	}
	depth, point := d.Layers[0], d.Layers[1]
	if v := depth.Shares.K1 + depth.Shares.K3; v < 1-1e-12 || depth.Shares.K3 < 0.1 {
		t.Errorf("3 × 3 has %v of the depth-wise convolution, the larger taps %v", v, depth.Shares.K3)
	}
	if point.Shares.K1 < 1-1e-12 {
		t.Errorf("1 × 1 has %v of the 1 × 1 convolution", point.Shares.K1)
	}
	for _, l := range d.Layers[:2] {
		if float64(l.Spectrum.Mean) < 1-1e-6 {
			t.Errorf("layer %d: the layer on arrays explains %v", l.Layer, float64(l.Spectrum.Mean))
		}
	}
	for i, l := range d.Layers {
		if operator := l.Shares != nil; l.Layer != i+1 || operator != (i != 2 && i != 3) {
			t.Errorf("layer %d: number %d, an operator %t", i+1, l.Layer, operator)
		}
	}
}

// An untrained network is its own start, and no different from untrained ones.
func TestUntrained(t *testing.T) {
	spec := model.Default()
	spec.Layers, spec.Heads, spec.Dim, spec.FFN, spec.Pool = model.Equal(2), model.Ints{4}, 8, 8, 8
	fresh := func(seed uint64) (*model.Network, error) { return model.New(spec, seed) }
	net, err := fresh(5)
	if err != nil {
		t.Fatal(err)
	}
	s := Subject{Name: "x", Net: net, Start: net, Fresh: fresh}
	first, err := Measure(context.Background(), s, Options{Seeds: 20, Draws: 10})
	if err != nil {
		t.Fatal(err)
	}
	for _, l := range first.Layers {
		if *l.Null.Own != *l.Shares || l.Null.Draws != 20 || len(l.Nulls) != 3 {
			t.Errorf("layer %d: null %+v, %d others", l.Layer, l.Null, len(l.Nulls))
		}
		if !regexp.MustCompile(`\(untrained [0-9]+ ±`).MatchString(l.Sentence) || l.Spectrum != nil {
			t.Error(l.Sentence)
		}
	}
	again, err := Measure(context.Background(), s, Options{Seeds: 20, Draws: 10})
	if err != nil || fmt.Sprint(again.Layers[1].Null.Each) != fmt.Sprint(first.Layers[1].Null.Each) ||
		float64(again.Layers[0].Nulls[2].Within.Mean) != float64(first.Layers[0].Nulls[2].Within.Mean) {
		t.Error("nulls differ from call to call")
	}
	if CSV([]Analysis{*first}) == "" || !strings.Contains(Text([]Analysis{*first}, nil, 80), "layer 2: ") {
		t.Error("no table")
	}
}

// What is not finite is an error that says where, and a context that is done ends the work.
func TestRefuses(t *testing.T) {
	net := small(t, func(*model.Spec) {})
	done, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := Measure(done, Subject{Net: net, Held: noise(60)}, Options{Images: 30, Kernel: 3}); !errors.Is(err,
		context.Canceled) {
		t.Error(err)
	}
	for _, p := range net.Params {
		if strings.Contains(p.Name, "layer.1.attention.self.value.weight") {
			p.Data[3] = float32(math.NaN())
		}
	}
	if _, err := Measure(context.Background(), Subject{Net: net}, Options{}); err == nil ||
		!strings.Contains(err.Error(), "layer 2") {
		t.Error(err)
	}
	if _, err := Measure(context.Background(), Subject{}, Options{}); err == nil {
		t.Error("a nil network was measured")
	}
}

// A window of k × k with zeros around the grid is a k × k convolution with zeros around it, and is measured as one.
func TestAttentionWithZerosAround(t *testing.T) {
	net := small(t, func(s *model.Spec) { s.Window.Size, s.Encoding = 3, "learned" })
	d, err := Measure(t.Context(), Subject{Name: "x", Net: net, Held: noise(60)}, Options{Images: 30, Kernel: 3})
	if err != nil {
		t.Fatal(err)
	}
	for _, l := range d.Layers {
		if s := l.Shares; s == nil || math.Abs(s.K1+s.K3-1) > 1e-6 || l.Profiles == nil || len(l.Heads) > 0 {
			t.Errorf("layer %d: %+v, profiles %v", l.Layer, s, l.Profiles)
		}
		if r := l.Spectrum; r == nil || r.K3 < 1-1e-6 || r.Mean < 1-1e-6 || r.Shift < 1-1e-6 || r.K1 > 0.99 {
			t.Errorf("layer %d: %+v", l.Layer, r)
		}
	}
	notes := strings.Join(d.Notes, "\n")
	if !strings.Contains(notes, "zeros around the grid have part of the attention") {
		t.Errorf("notes %q", notes)
	}
}

// Attention of which a class token has a part is not measured, nor are values with a bias that zeros around the grid
// have not. A note says so.
func TestAttentionThatLosesWeight(t *testing.T) {
	for want, change := range map[string]func(s *model.Spec){
		"layers 1–2: no operator: its values have a bias": func(s *model.Spec) {
			s.Window.Size, s.Value = 3, "factored"
		},
		"layers from 1 on have a class token": func(s *model.Spec) {
			s.Encoding, s.Readout = "content-only", "token"
		},
	} {
		d, err := Measure(t.Context(), Subject{Name: "x", Net: small(t, change)}, Options{})
		if err != nil {
			t.Fatal(err)
		}
		if notes := strings.Join(d.Notes, "\n"); !strings.Contains(notes, want) {
			t.Errorf("notes %q, want %q", notes, want)
		}
		for _, l := range d.Layers {
			if l.Shares != nil {
				t.Errorf("layer %d has shares", l.Layer)
			}
		}
	}
}
