package kernel

import (
	"fmt"
	"math"
	"testing"
)

func TestRowDots(t *testing.T) {
	for _, s := range sets {
		for _, d := range []struct{ m, k, n, apart, parts int }{
			{16, 16, 160, 176, 16}, {8, 8, 2048, 2048, 1}, {5, 7, 13, 16, 3}, {1, 1, 1, 1, 1}, {4, 4, 0, 1, 2},
			{3, 9, 31, 31, 2}, {16, 16, 13, 16, 16},
		} {
			for _, add := range []bool{false, true} {
				t.Run(fmt.Sprintf("%s/%d×%d of %d×%d/add=%t", s.Name, d.m, d.k, d.parts, d.n, add), func(t *testing.T) {
					use(t, s)
					step := max(d.m, d.k) * d.apart
					a := newFence((d.parts-1)*step+(d.m-1)*d.apart+d.n, 1)
					b := newFence((d.parts-1)*step+(d.k-1)*d.apart+d.n, 2)
					c := newFence(d.m*d.k, 3)
					want := make([]float64, d.m*d.k)
					for i := range want {
						if add {
							want[i] = float64(c.in[i])
						}
						for p := range d.parts {
							x, y := a.in[p*step+i/d.k*d.apart:], b.in[p*step+i%d.k*d.apart:]
							want[i] += weighted(x[:d.n], y[:d.n])
						}
					}
					RowDots(Matrix(c.in, d.m, d.k), a.in, b.in, d.apart, d.n, d.parts, step, add)
					for i := range want {
						if !near(float64(c.in[i]), want[i], 1e-5*math.Sqrt(float64(d.n*d.parts+1))) {
							t.Fatalf("[%d,%d] = %v, want %v", i/d.k, i%d.k, c.in[i], want[i])
						}
					}
					if c.broken() {
						t.Error("wrote outside c")
					}
				})
			}
		}
	}
}

func TestRowDotsOutOfRange(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("rows that are not there were read")
		}
	}()
	RowDots(Matrix(make([]float32, 4), 2, 2), make([]float32, 19), make([]float32, 20), 10, 10, 1, 0, false)
}
