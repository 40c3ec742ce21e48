package vec

import (
	"math"
	"testing"

	"github.com/attnconv/attnconv/internal/kernel"
	"github.com/attnconv/attnconv/internal/kernel/kerneltest"
)

func TestSGD(t *testing.T) {
	for _, s := range kernel.Names() {
		t.Run(s, func(t *testing.T) {
			kerneltest.Use(t, s)
			// f(w) = ½w², so g = w; lr 0.1, momentum 0.9, decay 0.5, by hand:
			// v = 1 + 0.5 = 1.5, w = 0.85;  v = 1.35 + 0.85 + 0.425 = 2.625, w = 0.5875
			w, v := []float32{1}, []float32{0}
			for _, want := range []float32{0.85, 0.5875} {
				SGD(w, v, []float32{w[0]}, 0.1, 0.9, 0.5)
				if !kerneltest.Near(float64(w[0]), float64(want), 1e-6) {
					t.Errorf("w = %v, want %v", w[0], want)
				}
			}
		})
	}
}

func TestAdamW(t *testing.T) {
	for _, s := range kernel.Names() {
		t.Run(s, func(t *testing.T) {
			kerneltest.Use(t, s)
			const n = 50
			w, m, v := kerneltest.Sample(n, 1), make([]float32, n), make([]float32, n)
			w64, m64, v64 := make([]float64, n), make([]float64, n), make([]float64, n)
			for i := range w {
				w64[i] = float64(w[i])
			}
			for step := 1; step <= 20; step++ {
				g := kerneltest.Sample(n, uint64(step+5))
				AdamW(w, m, v, g, 1e-2, 0.9, 0.999, 1e-8, 0.1, step)
				for i := range w64 { // the paper's Algorithm 2 as PyTorch orders it
					gi := float64(g[i])
					w64[i] *= 1 - 1e-2*0.1
					m64[i] = 0.9*m64[i] + 0.1*gi
					v64[i] = 0.999*v64[i] + 0.001*gi*gi
					w64[i] -= 1e-2 * (m64[i] / (1 - math.Pow(0.9, float64(step)))) /
						(math.Sqrt(v64[i]/(1-math.Pow(0.999, float64(step)))) + 1e-8)
				}
			}
			for i := range w {
				if !kerneltest.Near(float64(w[i]), w64[i], 2e-6) {
					t.Fatalf("w[%d] = %v after 20 steps, want %v", i, w[i], w64[i])
				}
			}
		})
	}
}

func TestAdamWOfZeroGradientsStays(t *testing.T) {
	for _, s := range kernel.Names() {
		t.Run(s, func(t *testing.T) {
			kerneltest.Use(t, s)
			w, zero := kerneltest.Sample(9, 1), make([]float32, 9)
			want := kerneltest.Sample(9, 1)
			AdamW(w, zero, zero, make([]float32, 9), 0.1, 0.9, 0.999, 1e-8, 0, 1)
			for i := range w {
				if w[i] != want[i] {
					t.Fatalf("w[%d] = %v, want %v", i, w[i], want[i])
				}
			}
		})
	}
}

func TestFinite(t *testing.T) {
	for _, s := range kernel.Names() {
		t.Run(s, func(t *testing.T) {
			kerneltest.Use(t, s)
			for _, n := range append([]int{3*blockFloats + 5}, lengths...) {
				x := kerneltest.NewFence(n, 1)
				if !Finite(x.In) {
					t.Fatalf("n=%d: finite numbers are not", n)
				}
				for _, i := range []int{0, n / 2, n - 1} {
					for _, bad := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
						if n == 0 {
							continue
						}
						old := x.In[i]
						if x.In[i] = float32(bad); Finite(x.In) {
							t.Fatalf("n=%d: %v at %d is missed", n, bad, i)
						}
						if x.In[i] = math.MaxFloat32; !Finite(x.In) {
							t.Fatalf("n=%d: the largest number is not finite", n)
						}
						x.In[i] = old
					}
				}
			}
		})
	}
}

func TestSumSquares(t *testing.T) {
	for _, s := range kernel.Names() {
		t.Run(s, func(t *testing.T) {
			kerneltest.Use(t, s)
			x := kerneltest.Sample(5*blockFloats+3, 1)
			x[7] = 1e30 // whose square float32 cannot hold
			var want float64
			for _, v := range x {
				want += float64(v) * float64(v)
			}
			if got := SumSquares(x); math.Abs(got-want) > 1e-12*want {
				t.Errorf("Σ x² = %v, want %v", got, want)
			}
		})
	}
}
