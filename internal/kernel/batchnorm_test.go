package kernel

import (
	"fmt"
	"math"
	"testing"
)

// Mean and variance must hold where the mean is large beside the spread, in many blocks.
func TestMoments(t *testing.T) {
	for _, s := range sets {
		for _, tt := range []struct{ n, d int }{{1, 3}, {7, 5}, {40, 64}, {3000, 24}, {1100, 600}} {
			t.Run(fmt.Sprintf("%s/%d x %d", s.Name, tt.n, tt.d), func(t *testing.T) {
				use(t, s)
				x := newFence(tt.n*tt.d, 1)
				for i := range x.in {
					x.in[i] += float32(i % tt.d % 50)
				}
				mean, variance := newFence(tt.d, 2), newFence(tt.d, 3)
				Moments(mean.in, variance.in, x.in)
				for c := range tt.d {
					var m, v float64
					for i := range tt.n {
						m += float64(x.in[i*tt.d+c]) / float64(tt.n)
					}
					for i := range tt.n {
						d := float64(x.in[i*tt.d+c]) - m
						v += d * d / float64(tt.n)
					}
					if !near(float64(mean.in[c]), m, 1e-6) || !near(float64(variance.in[c]), v, 2e-5) {
						t.Fatalf("channel %d: mean %v, variance %v; want %v, %v", c, mean.in[c], variance.in[c], m, v)
					}
				}
				if x.broken() || mean.broken() || variance.broken() {
					t.Error("wrote outside a slice")
				}
			})
		}
	}
}

// Forward against its formula, and the gradient against central differences, with and without what is added and ReLU.
func TestBatchNorm(t *testing.T) {
	const n, d = 23, 6
	for _, s := range sets {
		for _, tt := range []struct{ adds, relu bool }{{false, false}, {false, true}, {true, false}, {true, true}} {
			t.Run(fmt.Sprintf("%s/add %t, relu %t", s.Name, tt.adds, tt.relu), func(t *testing.T) {
				use(t, s)
				x, gamma, beta, dy := sample(n*d, 1), sample(d, 2), sample(d, 3), sample(n*d, 4)
				var add, dadd []float32
				if tt.adds {
					add, dadd = sample(n*d, 5), make([]float32, n*d)
				}
				mean, variance, rstd, y := make([]float32, d), make([]float32, d), make([]float32, d), make([]float32, n*d)
				forward := func() float64 {
					Moments(mean, variance, x)
					Rstd(rstd, variance, 1e-5)
					BatchNorm(y, x, add, mean, rstd, gamma, beta, tt.relu)
					return weighted(y, dy)
				}
				forward()
				for i, got := range y {
					c := i % d
					want := (float64(x[i])-float64(mean[c]))/math.Sqrt(float64(variance[c])+1e-5)*float64(gamma[c]) + float64(beta[c])
					if tt.adds {
						want += float64(add[i])
					}
					if tt.relu {
						want = max(0, want)
					}
					if !near(float64(got), want, 2e-6) {
						t.Fatalf("y[%d] = %v, want %v", i, got, want)
					}
				}
				dx, dgamma, dbeta := append([]float32{}, dy...), make([]float32, d), make([]float32, d)
				passed := y
				if !tt.adds {
					passed = nil
				}
				BatchNormGrad(dx, dadd, dgamma, dbeta, dx, passed, x, mean, rstd, gamma, beta, tt.relu) // dx is dy
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
