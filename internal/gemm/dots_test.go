package gemm

import (
	"fmt"
	"math"
	"testing"

	"github.com/attnconv/attnconv/internal/kernel"
	"github.com/attnconv/attnconv/internal/kernel/kerneltest"
)

func TestDots(t *testing.T) {
	for _, s := range kernel.Names() {
		for _, d := range []struct{ m, k, n, apart, parts int }{
			{16, 16, 160, 176, 16}, {8, 8, 2048, 2048, 1}, {5, 7, 13, 16, 3}, {1, 1, 1, 1, 1}, {4, 4, 0, 1, 2},
			{3, 9, 31, 31, 2}, {16, 16, 13, 16, 16},
		} {
			for _, add := range []bool{false, true} {
				t.Run(fmt.Sprintf("%s/%d×%d of %d×%d/add=%t", s, d.m, d.k, d.parts, d.n, add), func(t *testing.T) {
					kerneltest.Use(t, s)
					step := max(d.m, d.k) * d.apart
					a := kerneltest.NewFence((d.parts-1)*step+(d.m-1)*d.apart+d.n, 1)
					b := kerneltest.NewFence((d.parts-1)*step+(d.k-1)*d.apart+d.n, 2)
					c := kerneltest.NewFence(d.m*d.k, 3)
					want := make([]float64, d.m*d.k)
					for i := range want {
						if add {
							want[i] = float64(c.In[i])
						}
						for p := range d.parts {
							x, y := a.In[p*step+i/d.k*d.apart:], b.In[p*step+i%d.k*d.apart:]
							for l, v := range x[:d.n] {
								want[i] += float64(v) * float64(y[l])
							}
						}
					}
					Dots(Matrix(c.In, d.m, d.k), a.In, b.In, d.apart, d.n, d.parts, step, add)
					for i := range want {
						if !kerneltest.Near(float64(c.In[i]), want[i], 1e-5*math.Sqrt(float64(d.n*d.parts+1))) {
							t.Fatalf("[%d,%d] = %v, want %v", i/d.k, i%d.k, c.In[i], want[i])
						}
					}
					if c.Broken() {
						t.Error("wrote outside c")
					}
				})
			}
		}
	}
}

func TestDotsOutOfRange(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("rows that are not there were read")
		}
	}()
	Dots(Matrix(make([]float32, 4), 2, 2), make([]float32, 19), make([]float32, 20), 10, 10, 1, 0, false)
}
