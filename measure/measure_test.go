package measure

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
	"github.com/attnconv/attnconv/report"
)

// noise returns images of random pixels.
func noise(n int) data.Split {
	s := data.Split{Format: data.Format{Rows: 16, Cols: 16, Channels: 3, Mean: []float32{0.5, 0.5, 0.5}, Std: []float32{0.3, 0.3, 0.3}}}
	rng := rand.New(rand.NewPCG(1, 2))
	for range n * s.Size() {
		s.Pixels = append(s.Pixels, uint8(rng.IntN(256)))
	}
	s.Labels = make([]int32, n)
	return s
}

func small(t *testing.T, change func(*model.Spec)) *model.Network {
	t.Helper()
	spec := model.Default()
	spec.Layers, spec.Heads, spec.Dim, spec.FFN, spec.Pool, spec.Image = model.Equal(2), model.Ints{4}, 8, 8, 4, [3]int{16, 16, 3}
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

// Without content, mean attention and maps are the layer: they predict its output on images. That needs the right attention,
// maps, biases, inputs and outputs, for every encoding and either kind of value.
func TestArraysAreTheLayer(t *testing.T) {
	for _, kind := range posenc.Kinds {
		for _, value := range []string{"combined", "factored"} {
			t.Run(kind.Name+"/"+value, func(t *testing.T) {
				net := small(t, func(s *model.Spec) { s.Encoding, s.Value = kind.Name, value })
				d, err := Network(context.Background(), Subject{Name: "x", Net: net, Held: noise(60)}, Options{Images: 30, Attention: 20, Kernel: 3})
				if err != nil {
					t.Fatal(err)
				}
				if len(d.Layers) != 2 {
					t.Fatalf("%d layers", len(d.Layers))
				}
				for _, l := range d.Layers {
					sum := 0.0
					for _, v := range []float64{l.Shares.K1, l.Shares.K3, l.Shares.K5, l.Shares.K7, l.Shares.Larger, l.Shares.Place} {
						sum += v
					}
					if math.Abs(sum-1) > 1e-12 {
						t.Errorf("layer %d: shares add up to %v", l.Layer, sum)
					}
					if r2 := *l.Spectrum.Mean; !kind.Queries && r2 < 1-1e-6 || r2 < 0.3 || r2 > 1 {
						t.Errorf("layer %d: mean attention explains %v of the output", l.Layer, r2)
					}
					content := *l.Heads[0].Content
					if kind.Queries != (content > 1e-6) || kind.Queries != l.ByImage {
						t.Errorf("layer %d: %v bits of content, by image %t", l.Layer, content, l.ByImage)
					}
				}
			})
		}
	}
}

// A convolution with zero borders is all convolution of its size, and regressions find it; one that repeats its edges is so
// inside.
func TestTwin(t *testing.T) {
	for _, border := range []string{"zero", "replicate"} {
		net := small(t, func(s *model.Spec) { s.Kind, s.Heads, s.Border = "conv-twin", model.Ints{9}, border })
		d, err := Network(context.Background(), Subject{Name: "x", Net: net, Held: noise(200)}, Options{Images: 100, Kernel: 3, Draws: 20})
		if err != nil {
			t.Fatal(err)
		}
		for _, l := range d.Layers {
			within, inside := l.Shares.K1+l.Shares.K3, *l.Interior.K3
			if border == "zero" && (within < 1-1e-12 || *l.Spectrum.K3 < 0.9999) || border == "replicate" && within > 0.95 || inside < 1-1e-12 {
				t.Errorf("%s: 3 × 3 has %v, inside %v, R² %v", border, within, inside, *l.Spectrum.K3)
			}
			if *l.Spectrum.Mean < 1-1e-6 {
				t.Errorf("%s: the layer on arrays explains %v", border, *l.Spectrum.Mean)
			}
			if len(l.Nulls) != 1 || *l.Nulls[0].Within.Mean > 0.9 || *l.Nulls[0].P > 0.05 {
				t.Errorf("%s: nulls %+v", border, l.Nulls)
			}
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
	first, err := Network(context.Background(), s, Options{Seeds: 20, Draws: 10})
	if err != nil {
		t.Fatal(err)
	}
	for _, l := range first.Layers {
		if *l.Null.Own != *l.Shares || l.Null.Draws != 20 || len(l.Nulls) != 3 {
			t.Errorf("layer %d: null %+v, %d others", l.Layer, l.Null, len(l.Nulls))
		}
		if !regexp.MustCompile(`\(null [0-9]+ ±`).MatchString(l.Sentence) || l.Spectrum != nil {
			t.Error(l.Sentence)
		}
	}
	again, err := Network(context.Background(), s, Options{Seeds: 20, Draws: 10})
	if err != nil || fmt.Sprint(again.Layers[1].Null.Each) != fmt.Sprint(first.Layers[1].Null.Each) ||
		*again.Layers[0].Nulls[2].Within.Mean != *first.Layers[0].Nulls[2].Within.Mean {
		t.Error("nulls differ from call to call")
	}
	if CSV([]report.Analysis{*first}) == "" || !strings.Contains(Text([]report.Analysis{*first}, nil, 80), "layer 2: ") {
		t.Error("no table")
	}
}

// What is not finite is an error that says where, and a context that is done ends the work.
func TestRefuses(t *testing.T) {
	net := small(t, func(*model.Spec) {})
	done, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := Network(done, Subject{Net: net, Held: noise(60)}, Options{Images: 30, Kernel: 3}); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	for _, p := range net.Params {
		if strings.Contains(p.Name, "layer.1.attention.self.value.weight") {
			p.Data[3] = float32(math.NaN())
		}
	}
	if _, err := Network(context.Background(), Subject{Net: net}, Options{}); err == nil || !strings.Contains(err.Error(), "layer 2") {
		t.Error(err)
	}
	if _, err := Network(context.Background(), Subject{}, Options{}); err == nil {
		t.Error("a nil network was measured")
	}
}
