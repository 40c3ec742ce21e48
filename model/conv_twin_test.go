package model

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/attnconv/attnconv/internal/invalid"
	"github.com/attnconv/attnconv/nn"
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
	if got, want := net.MACs().Definition, 3_087_978_400; got != want { // the linear maps of the paper's network
		t.Errorf("%d multiply-adds, want %d", got, want)
	}
	if got := nn.Learned(net.Params); got != s.Params() {
		t.Errorf("the network learns %d numbers, want %d", got, s.Params())
	}
	s.Heads = Ints{8}
	var bad *invalid.Error
	if err := s.Validate(); !errors.As(err, &bad) || bad.Key != "model.heads" {
		t.Errorf("Validate() = %v for 8 heads, want an error on model.heads", err)
	}
}

func smallTwin(heads Ints) Spec {
	s := small()
	s.Kind, s.Heads = "conv-twin", heads
	return s
}

// plainTwin is the network in float64, from its definition.
func plainTwin(p oracle, image [][][]float64) []float64 {
	s := p.spec
	var x maps
	for r := 0; r < s.Image[0]; r += s.Pool {
		var line [][]float64
		for q := 0; q < s.Image[1]; q += s.Pool {
			var token []float64
			for i := range s.Pool {
				for j := range s.Pool {
					token = append(token, image[r+i][q+j]...)
				}
			}
			line = append(line, p.linear("features_upscale", token))
		}
		if r == 0 {
			x = append(x, nil)
		}
		x[0] = append(x[0], line)
	}
	for l := range s.Layers.Depth() {
		at := fmt.Sprintf("encoder.layer.%d.", l)
		y := convolve(x, p.w[at+"attention.self.conv.weight"], s.Dim, 1)
		for r := range y[0] {
			for q, mixed := range y[0][r] {
				for o := range mixed {
					mixed[o] += float64(p.w[at+"attention.self.conv.bias"][o])
				}
				h := p.norm(at+"attention.output.LayerNorm", add(x[0][r][q], p.linear(at+"attention.output.dense", mixed)))
				f := p.linear(at+"intermediate.dense", h)
				for j, u := range f {
					f[j] = u / 2 * (1 + math.Erf(u/math.Sqrt2))
				}
				x[0][r][q] = p.norm(at+"output.LayerNorm", add(h, p.linear(at+"output.dense", f)))
			}
		}
	}
	mean := make([]float64, s.Dim)
	each(x, func(pixel []float64) {
		for c, v := range pixel {
			mean[c] += v / float64(len(x[0])*len(x[0][0]))
		}
	})
	return p.linear("classifier", mean)
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
			p := oracle{s, map[string][]float32{}}
			for _, q := range net.Params {
				p.w[q.Name[len("model."):]] = slices.Clone(q.Data)
			}
			x := images(tt.images, s)
			logits, _, g := build(t, net, tt.train, x, make([]int32, tt.images))
			f, err := nn.Compile(g, nil, logits)
			if err != nil {
				t.Fatal(err)
			}
			defer f.Close()
			if err := f.Run(0); err != nil {
				t.Fatal(err)
			}
			for i, image := range imagesOf(x, s) {
				for c, want := range plainTwin(p, image) {
					if got := float64(nn.Value(logits)[i*s.Classes+c]); math.Abs(got-want) > 2e-6 {
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
