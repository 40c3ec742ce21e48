package vec

import (
	"math"
	"slices"
	"testing"

	"github.com/attnconv/attnconv/internal/kernel"
	"github.com/attnconv/attnconv/internal/kernel/kerneltest"
)

func TestGELU(t *testing.T) {
	inf := float32(math.Inf(1))
	nan := float32(math.NaN())
	for _, s := range kernel.Names() {
		t.Run(s, func(t *testing.T) {
			kerneltest.Use(t, s)
			for _, tt := range []struct{ x, want float32 }{
				{-1, -0.158655254}, {0.5, 0.345731231}, {2, 1.954499736}, // torch's exact form
				{0, 0}, {100, 100}, {-100, 0}, {1e30, 1e30}, {-1e30, 0}, {inf, inf}, {nan, nan},
			} {
				y := []float32{0}
				GELU(y, []float32{tt.x - tt.x/4}, []float32{tt.x / 4})
				if !kerneltest.Near(float64(y[0]), float64(tt.want), 1e-6) && tt.x != inf {
					t.Errorf("g(%v) = %v, want %v", tt.x, y[0], tt.want)
				}
				if GELU(y, []float32{tt.x}, []float32{0}); !kerneltest.Near(float64(y[0]), float64(tt.want), 1e-6) {
					t.Errorf("g(%v) = %v, want %v", tt.x, y[0], tt.want)
				}
			}
		})
	}
}

// TestGELUErrors holds Φ and g′ against float64 over where float32 can tell them from their limits.
func TestGELUErrors(t *testing.T) {
	for _, s := range kernel.Names() {
		t.Run(s, func(t *testing.T) {
			kerneltest.Use(t, s)
			const n = 1 << 16
			x, y, dx := make([]float32, n), make([]float32, n), make([]float32, n)
			for i := range x {
				x[i], dx[i] = (float32(i)-n/2)*(14./n), 1
			}
			GELU(y, x, make([]float32, n))
			GELUGrad(dx, dx, x, make([]float32, n))
			var cdf, slope float64
			for i, v := range x {
				u := float64(v)
				phi := 0.5 + 0.5*math.Erf(u/math.Sqrt2)
				if u != 0 {
					cdf = max(cdf, math.Abs(float64(y[i])/u-phi))
				}
				slope = max(slope, math.Abs(float64(dx[i])-phi-u*math.Exp(-u*u/2)/math.Sqrt(2*math.Pi)))
			}
			t.Logf("largest error of Φ %.2g, of g′ %.2g", cdf, slope)
			if cdf > 1.5e-7 || slope > 2e-7 { // half of the 2e-7 that erf may be off, and the rounding of u·Φ
				t.Errorf("largest error of Φ %.2g, of g′ %.2g", cdf, slope)
			}
		})
	}
}

func TestGELUGrad(t *testing.T) {
	for _, s := range kernel.Names() {
		t.Run(s, func(t *testing.T) {
			kerneltest.Use(t, s)
			const n, d = 3, 11
			x, b, dy := kerneltest.Sample(n*d, 1), kerneltest.Sample(d, 2), kerneltest.Sample(n*d, 3)
			dx, y := slices.Clone(dy), make([]float32, n*d)
			GELUGrad(dx, dx, x, b)
			slope(t, "x", x, dx, 1e-2, 1e-3, func() float64 { GELU(y, x, b); return weighted(y, dy) })
		})
	}
}

// GELUBoth has the bytes of GELU and of GELUGrad, in place.
func TestGELUBoth(t *testing.T) {
	for _, s := range kernel.Names() {
		t.Run(s, func(t *testing.T) {
			kerneltest.Use(t, s)
			const n, d = 3, 37
			x, b := kerneltest.Sample(n*d, 1), kerneltest.Sample(d, 2)
			y, dx := make([]float32, n*d), kerneltest.Sample(n*d, 3)
			wantY, wantDX := make([]float32, n*d), kerneltest.Sample(n*d, 3)
			GELUBoth(y, dx, x, b)
			GELU(wantY, x, b)
			GELUGrad(wantDX, wantDX, x, b)
			if !slices.Equal(y, wantY) || !slices.Equal(dx, wantDX) {
				t.Error("other bytes than of the two")
			}
		})
	}
}
