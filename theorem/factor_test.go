package theorem

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/attnconv/attnconv/nn"
)

func TestFactorsAreExactUpToTheirDimension(t *testing.T) {
	for _, tt := range []struct {
		name         string
		in, out, dim int
		exact        bool
	}{
		{"D_h = D_out", 5, 3, 3, true}, {"D_h > D_out", 5, 3, 7, true}, {"D_h = D_in < D_out", 2, 6, 2, true},
		{"D_h < both", 5, 6, 4, false}, {"one", 3, 3, 1, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := &Conv[float64]{Geometry: Geometry{Kernel: []int{3}}, In: tt.in, Out: tt.out}
			c.random(rand.New(rand.NewPCG(1, 2)))
			l, err := FromConv(c, FromOptions{})
			if err != nil {
				t.Fatal(err)
			}
			f, err := l.Factor(tt.dim)
			if err != nil {
				t.Fatal(err)
			}
			var lost, all float64
			for h, w := range f.Layer(l).Weights {
				for i := range w {
					lost += (w[i] - l.Weights[h][i]) * (w[i] - l.Weights[h][i])
					all += l.Weights[h][i] * l.Weights[h][i]
				}
			}
			if got := math.Sqrt(lost / all); math.Abs(got-f.Lost) > 1e-12 || (f.Lost == 0) != tt.exact {
				t.Errorf("lost %g, Lost is %g; exact: want %t", got, f.Lost, tt.exact)
			}
		})
	}
	if _, err := new(Layer[float64]).Factor(0); err == nil {
		t.Error("heads of no dimension: want an error")
	}
}

// The program's own attention layer equals the plain one, at any α.
func TestTrainableLayerIsThePlainOne(t *testing.T) {
	const rows, cols = 5, 7
	for _, alpha := range []float64{0.3, 2, 46, 104} {
		c := &Conv[float32]{In: 3, Out: 4, Geometry: Geometry{
			Kernel: []int{3, 3}, Before: []int{1, 1}, After: []int{1, 1}, Border: Replicate}}
		rng := rand.New(rand.NewPCG(3, 4))
		c.random(rng)
		l, err := FromConv(c, FromOptions{Alpha: alpha})
		if err != nil {
			t.Fatal(err)
		}
		fast, err := Trainable(nn.NewScope(1), l, rows, cols)
		if err != nil {
			t.Fatal(err)
		}
		x := [][]float32{normal[float32](rng, rows*cols*3, 1), normal[float32](rng, rows*cols*3, 1)}
		got, err := run(fast, rows, cols, 3, x...)
		if err != nil {
			t.Fatal(err)
		}
		for n, want := range l.Forward([]int{rows, cols}, x...) {
			for i := range want {
				if d := math.Abs(float64(got[n][i] - want[i])); !(d < 2e-6) {
					t.Errorf("α %g, image %d, element %d: %v, want %v", alpha, n, i, got[n][i], want[i])
				}
			}
		}
	}
}

func TestOnlyIsotropicHeadsWithEveryPixelAsQueryTrain(t *testing.T) {
	c := &Conv[float32]{In: 1, Out: 1, Geometry: Geometry{Kernel: []int{3, 3}}, Weight: make([]float32, 9)}
	for _, tt := range []struct {
		name  string
		spoil func(l *Layer[float32])
	}{
		{"zeros", func(l *Layer[float32]) { l.Border = Zero }},
		{"stride", func(l *Layer[float32]) { l.Stride = []int{2, 1} }},
		{"unpadded", func(l *Layer[float32]) { l.Before = nil }},
		{"ellipse", func(l *Layer[float32]) { l.Heads[0] = Elliptic[float32]{} }},
	} {
		l, err := FromConv(c, FromOptions{})
		if err != nil {
			t.Fatal(err)
		}
		l.Border, l.Before, l.After = Replicate, []int{1, 1}, []int{1, 1}
		tt.spoil(l)
		if _, err := Trainable(nn.NewScope(1), l, 4, 4); err == nil {
			t.Errorf("%s: want an error", tt.name)
		}
	}
}
