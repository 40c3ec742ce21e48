package theorem

import (
	"math"
	"math/rand/v2"
	"testing"
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
			c.draw(rand.New(rand.NewPCG(1, 2)))
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
