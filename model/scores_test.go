package model_test

import (
	"math"
	"testing"

	"github.com/attnconv/attnconv/model"
	"github.com/attnconv/attnconv/model/heads"
	"github.com/attnconv/attnconv/posenc"
)

// What a Reader reads of the first layer is the softmax that the reference has there, and its parts add up to the
// reference's scores but for what is the same for all keys.
func TestReader(t *testing.T) {
	for name, s := range model.Variants() {
		t.Run(name, func(t *testing.T) {
			net, err := model.New(s, 1)
			if err != nil {
				t.Fatal(err)
			}
			l, err := heads.NewReader(net)
			if err != nil {
				t.Fatal(err)
			}
			defer l.Close()
			x := model.Images(1, s)
			layers, err := l.Of(x)
			if err != nil || len(layers) != s.Layers.Count() {
				t.Fatalf("%d layers, %v", len(layers), err)
			}
			tokens := l.Grid.Rows * l.Grid.Cols
			got := layers[0].Weights()
			for h, wants := range model.ReferenceWeights(net, layers[0].Heads, x) {
				for q, row := range wants {
					for k, want := range row {
						if got := float64(got[(h*tokens+q)*tokens+k]); math.Abs(got-want) > 2e-6 {
							t.Fatalf("head %d, P[%d,%d] = %.8f, reference %.8f", h, q, k, got, want)
						}
					}
				}
			}
		})
	}
}

// In a network for images of half the side heads look at the same part of the picture, which is half as many tokens
// away and half as wide: in tokens of the copy, the center is Δ/2 and the precision 4·Λ.
func TestHeadsOfSmallerImages(t *testing.T) {
	center, precision := [2]float64{2, -3}, [2][2]float64{{0.25, 0}, {0, 0.25}}
	for _, encoding := range []string{"quadratic", "quadratic-general"} {
		spec := model.Default()
		spec.Layers, spec.Heads, spec.Dim, spec.FFN, spec.Pool = model.Equal(1), model.Ints{1}, 8, 8, 4
		spec.Encoding = encoding
		net, err := model.New(spec, 1)
		if err != nil {
			t.Fatal(err)
		}
		if encoding == "quadratic-general" {
			precision = [2][2]float64{{0.5, 0.1}, {0.1, 0.2}}
		}
		net.Attention()[0].Encoding.(posenc.Gaussian).Put(0, posenc.Head{Center: center, Precision: precision})
		small, err := net.Resized(16, 16)
		if err != nil {
			t.Fatal(err)
		}
		r, err := heads.NewReader(small.(*model.Network))
		if err != nil {
			t.Fatal(err)
		}
		defer r.Close()
		layers, err := r.Of(make([]float32, 16*16*3))
		if err != nil {
			t.Fatal(err)
		}
		const side = 4 // tokens
		got := layers[0].Weights()
		for q := range side * side {
			var want [side * side]float64
			sum := 0.
			for k := range want {
				d := [2]float64{float64(k/side-q/side) - center[0]/2, float64(k%side-q%side) - center[1]/2}
				for i := range 2 {
					for j := range 2 {
						want[k] -= d[i] * 4 * precision[i][j] * d[j] / 2
					}
				}
				want[k] = math.Exp(want[k])
				sum += want[k]
			}
			for k, w := range want {
				if p := float64(got[q*side*side+k]); math.Abs(p-w/sum) > 1e-5 {
					t.Fatalf("%s: query %d looks at key %d by %v, want %v", encoding, q, k, p, w/sum)
				}
			}
		}
	}
}
