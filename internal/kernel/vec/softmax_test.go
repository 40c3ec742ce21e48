package vec

import (
	"math"
	"testing"

	"github.com/attnconv/attnconv/internal/kernel"
	"github.com/attnconv/attnconv/internal/kernel/kerneltest"
)

func TestSoftmaxRows(t *testing.T) {
	inf := float32(math.Inf(1))
	for _, s := range kernel.Names() {
		t.Run(s, func(t *testing.T) {
			kerneltest.Use(t, s)
			for _, tt := range []struct {
				name    string
				a, want []float32
			}{
				{"one number", []float32{-5}, []float32{1}},
				{"by hand", []float32{0, float32(math.Log(2)), float32(math.Log(5))}, []float32{0.125, 0.25, 0.625}},
				{"large", []float32{3e38, 3e38, -3e38}, []float32{0.5, 0.5, 0}},
				{"masked", []float32{-inf, 7, -inf, 7}, []float32{0, 0.5, 0, 0.5}},
				{"far below", []float32{0, -88, -1000, -87.5, 0, 0, 0, -1e30, -200},
					[]float32{0.25, 0, 0, 0, 0.25, 0.25, 0.25, 0, 0}},
			} {
				p := append([]float32(nil), tt.a...)
				SoftmaxRows(p, p, len(p))
				for i := range p {
					if !kerneltest.Near(float64(p[i]), float64(tt.want[i]), 2e-7) {
						t.Errorf("%s: %v, want %v", tt.name, p, tt.want)
						break
					}
				}
			}
			p := make([]float32, 12)
			p[5] = float32(math.NaN())
			if SoftmaxRows(p, p, 12); Finite(p) {
				t.Errorf("a NaN among the scores is lost: %v", p)
			}
		})
	}
}

func TestExpErrors(t *testing.T) {
	for _, s := range kernel.Names() {
		t.Run(s, func(t *testing.T) {
			kerneltest.Use(t, s)
			const n = 1 << 17
			a, p := make([]float32, n), make([]float32, n)
			for i := range a {
				a[i] = -87.3 / n * float32(i)
			}
			best.ExpSum(p, a, 0)
			worst := 0.0
			for i, v := range a {
				want := math.Exp(float64(v))
				worst = max(worst, math.Abs(float64(p[i])-want)/want)
			}
			t.Logf("largest relative error %.2g", worst)
			if worst > 1e-7 {
				t.Errorf("largest relative error %.2g", worst)
			}
		})
	}
}

func TestSoftmaxRowsGrad(t *testing.T) {
	for _, s := range kernel.Names() {
		t.Run(s, func(t *testing.T) {
			kerneltest.Use(t, s)
			const n, cols = 4, 13
			a, dp, p, da := kerneltest.Sample(n*cols, 1), kerneltest.Sample(n*cols, 2), make([]float32, n*cols),
				make([]float32, n*cols)
			loss := func() float64 { SoftmaxRows(p, a, cols); return weighted(p, dp) }
			loss()
			SoftmaxRowsGrad(da, dp, p, cols)
			slope(t, "a", a, da, 1e-2, 1e-4, loss)
		})
	}
}
