package claims

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/attnconv/attnconv/model/convert"
	"github.com/attnconv/attnconv/nn"
	"github.com/attnconv/attnconv/theorem"
)

// The program's own attention layer equals the plain one, at any α.
func TestTrainableLayerIsThePlainOne(t *testing.T) {
	const rows, cols = 5, 7
	for _, alpha := range []float64{0.3, 2, 46, 104} {
		c := &theorem.Conv[float32]{In: 3, Out: 4, Geometry: theorem.Geometry{
			Kernel: []int{3, 3}, Before: []int{1, 1}, After: []int{1, 1}, Border: theorem.Replicate}}
		rng := rand.New(rand.NewPCG(3, 4))
		randomize(c, rng)
		l, err := theorem.FromConv(c, theorem.FromOptions{Alpha: alpha})
		if err != nil {
			t.Fatal(err)
		}
		fast, err := convert.Trainable(nn.NewScope(1), l, rows, cols)
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
	c := &theorem.Conv[float32]{In: 1, Out: 1, Geometry: theorem.Geometry{Kernel: []int{3, 3}},
		Weight: make([]float32, 9)}
	for _, tt := range []struct {
		name  string
		spoil func(l *theorem.Layer[float32])
	}{
		{"zeros", func(l *theorem.Layer[float32]) { l.Border = theorem.Zero }},
		{"stride", func(l *theorem.Layer[float32]) { l.Stride = []int{2, 1} }},
		{"unpadded", func(l *theorem.Layer[float32]) { l.Before = nil }},
		{"ellipse", func(l *theorem.Layer[float32]) { l.Heads[0] = theorem.Elliptic[float32]{} }},
	} {
		l, err := theorem.FromConv(c, theorem.FromOptions{})
		if err != nil {
			t.Fatal(err)
		}
		l.Border, l.Before, l.After = theorem.Replicate, []int{1, 1}, []int{1, 1}
		tt.spoil(l)
		if _, err := convert.Trainable(nn.NewScope(1), l, 4, 4); err == nil {
			t.Errorf("%s: want an error", tt.name)
		}
	}
}
