package vec

import (
	"fmt"
	"math"
	"testing"

	"github.com/attnconv/attnconv/internal/kernel"
	"github.com/attnconv/attnconv/internal/kernel/kerneltest"
)

// Mean and variance must hold where the mean is large compared with the spread, in many blocks.
func TestMoments(t *testing.T) {
	for _, s := range kernel.Names() {
		for _, tt := range []struct{ n, d int }{{1, 3}, {7, 5}, {40, 64}, {3000, 24}, {1100, 600}} {
			t.Run(fmt.Sprintf("%s/%d x %d", s, tt.n, tt.d), func(t *testing.T) {
				kerneltest.Use(t, s)
				x := kerneltest.NewFence(tt.n*tt.d, 1)
				for i := range x.In {
					x.In[i] += float32(i % tt.d % 50)
				}
				mean, variance, rest := kerneltest.NewFence(tt.d, 2), kerneltest.NewFence(tt.d, 3),
					kerneltest.NewFence(tt.d, 4)
				Moments(mean.In, rest.In, variance.In, x.In)
				for c := range tt.d {
					var m, v float64
					for i := range tt.n {
						m += float64(x.In[i*tt.d+c]) / float64(tt.n)
					}
					for i := range tt.n {
						d := float64(x.In[i*tt.d+c]) - m
						v += d * d / float64(tt.n)
					}
					if !kerneltest.Near(float64(mean.In[c]), m, 1e-6) ||
						!kerneltest.Near(float64(variance.In[c]), v, 2e-5) {
						t.Fatalf("channel %d: mean %v, variance %v; want %v, %v", c, mean.In[c], variance.In[c], m, v)
					}
				}
				if x.Broken() || mean.Broken() || variance.Broken() || rest.Broken() {
					t.Error("wrote outside a slice")
				}
			})
		}
	}
}

// Forward against its formula, and the gradient against central differences, with and without what is added and ReLU.
func TestBatchNorm(t *testing.T) {
	const n, d = 23, 6
	for _, s := range kernel.Names() {
		for _, tt := range []struct{ adds, relu bool }{{false, false}, {false, true}, {true, false}, {true, true}} {
			t.Run(fmt.Sprintf("%s/add %t, relu %t", s, tt.adds, tt.relu), func(t *testing.T) {
				kerneltest.Use(t, s)
				x, gamma, beta, dy := kerneltest.Sample(n*d, 1), kerneltest.Sample(d, 2), kerneltest.Sample(d, 3),
					kerneltest.Sample(n*d, 4)
				var add, dadd []float32
				if tt.adds {
					add, dadd = kerneltest.Sample(n*d, 5), make([]float32, n*d)
				}
				mean, variance, rstd, y := make([]float32, d), make([]float32, d), make([]float32, d),
					make([]float32, n*d)
				rest := make([]float32, d)
				forward := func() float64 {
					Moments(mean, rest, variance, x)
					Rstd(rstd, variance, 1e-5)
					BatchNorm(y, x, add, mean, rest, rstd, gamma, beta, tt.relu)
					return weighted(y, dy)
				}
				forward()
				for i, got := range y {
					c := i % d
					want := (float64(x[i])-float64(mean[c]))/math.Sqrt(float64(variance[c])+1e-5)*float64(gamma[c]) +
						float64(beta[c])
					if tt.adds {
						want += float64(add[i])
					}
					if tt.relu {
						want = max(0, want)
					}
					if !kerneltest.Near(float64(got), want, 2e-6) {
						t.Fatalf("y[%d] = %v, want %v", i, got, want)
					}
				}
				dx, dgamma, dbeta := append([]float32{}, dy...), make([]float32, d), make([]float32, d)
				passed := y
				if !tt.adds {
					passed = nil
				}
				// dx is dy
				BatchNormGrad(dx, dadd, dgamma, dbeta, dx, passed, x, mean, rest, rstd, gamma, beta, tt.relu)
				const h, tol = 1e-3, 3e-2
				slope(t, "dx", x, dx, h, tol, forward)
				slope(t, "dγ", gamma, dgamma, h, tol, forward)
				slope(t, "dβ", beta, dbeta, h, tol, forward)
				if tt.adds {
					slope(t, "dadd", add, dadd, h, tol, forward)
				}
			})
		}
	}
}

// Channels whose spread is less than float32 can tell from their mean's own error are as float64 says, and their
// neighbors as without them.
func TestBatchNormFarFromZero(t *testing.T) {
	const n, d = 5000, 5
	const ulp = 1.0 / 16384 // of 1000
	channels := [d]func(i int) float32{
		func(i int) float32 { return 1000.1 },
		func(i int) float32 { return 1000 + float32(i%8)*ulp },
		func(i int) float32 { return float32(math.Sin(float64(i))) },
		func(i int) float32 { return -1e6 + float32(i%2)/16 },
		func(i int) float32 { return 3e-3 },
	}
	for _, s := range kernel.Names() {
		t.Run(s, func(t *testing.T) {
			kerneltest.Use(t, s)
			x, dy := make([]float32, n*d), kerneltest.Sample(n*d, 4)
			for i := range x {
				x[i] = channels[i%d](i / d)
			}
			gamma, beta := kerneltest.Sample(d, 2), kerneltest.Sample(d, 3)
			buf := make([]float32, 8*d)
			mean, rest, variance, rstd := buf[:d], buf[d:2*d], buf[2*d:3*d], buf[3*d:4*d]
			y, dx, dg, db := make([]float32, n*d), make([]float32, n*d), buf[4*d:5*d], buf[5*d:6*d]
			Moments(mean, rest, variance, x)
			Rstd(rstd, variance, 1e-5)
			BatchNorm(y, x, nil, mean, rest, rstd, gamma, beta, false)
			BatchNormGrad(dx, nil, dg, db, dy, nil, x, mean, rest, rstd, gamma, beta, false)
			for c := range d {
				var m, v, wantB, wantG float64
				for i := c; i < n*d; i += d {
					m += float64(x[i]) / n
				}
				for i := c; i < n*d; i += d {
					v += (float64(x[i]) - m) * (float64(x[i]) - m) / n
				}
				r := 1 / math.Sqrt(v+1e-5)
				for i := c; i < n*d; i += d {
					wantB += float64(dy[i])
					wantG += float64(dy[i]) * (float64(x[i]) - m) * r
				}
				if !kerneltest.Near(float64(dg[c]), wantG, 1e-4) || !kerneltest.Near(float64(db[c]), wantB, 1e-4) {
					t.Errorf("channel %d: dγ %v, dβ %v; want %v, %v", c, dg[c], db[c], wantG, wantB)
				}
				for i := c; i < n*d; i += d {
					at := (float64(x[i]) - m) * r
					want := at*float64(gamma[c]) + float64(beta[c])
					wantX := float64(gamma[c]) * r * (float64(dy[i]) - wantB/n - at*wantG/n)
					if !kerneltest.Near(float64(y[i]), want, 3e-6) ||
						!kerneltest.Near(float64(dx[i]), wantX, 1e-5*max(1, r)) {
						t.Fatalf("channel %d: y %v, dx %v; want %v, %v", c, y[i], dx[i], want, wantX)
					}
				}
			}
			// By hand: 1000 + k ulp, k = 0 … 7, has mean 1000 + 3.5 ulp and variance 5.25 ulp²; (0 - 3.5)/√(5.25 +
			// 1e-5/ulp²).
			if got := (y[1] - beta[1]) / gamma[1]; !kerneltest.Near(float64(got), -0.0674878, 1e-5) {
				t.Errorf("normalized %v, want -0.0674878", got)
			}
			alone := make([]float32, 0, n)
			for i := 2; i < n*d; i += d {
				alone = append(alone, x[i])
			}
			one := make([]float32, 3)
			Moments(one[:1], one[1:2], one[2:], alone)
			if rest[2] != 0 || one[1] != 0 {
				t.Errorf("rest %v of a channel around zero", rest[2])
			}
		})
	}
}
