package vec

import (
	"math"
	"testing"

	"github.com/attnconv/attnconv/internal/kernel"
	"github.com/attnconv/attnconv/internal/kernel/kerneltest"
)

// A total is a sum in float64, with the root of the sum of its squared terms.
type total struct{ sum, squares float64 }

func (s *total) add(v float64) { s.sum, s.squares = s.sum+v, s.squares+v*v }

// near reports whether got is within 24 roundings of the root of the squared terms, which is about as large as a sum of
// terms of random sign. A sum of 20,000 such terms in sequence is off by about 100 of them.
func (s total) near(got float32) bool {
	return math.Abs(float64(got)-s.sum) <= 0x1p-24*(24*math.Sqrt(s.squares)+2*math.Abs(s.sum))
}

// The moments of a batch and the gradients of a batch norm are as accurate as sums in many parts are. Solvers that
// divide a gradient by its own size make small errors of a gradient large.
func TestBatchNormIsAccurate(t *testing.T) {
	const n, d = 20_000, 24
	x, dy := kerneltest.Sample(n*d, 1), kerneltest.Sample(n*d, 2)
	for i := range x {
		x[i] += float32(i % d % 4)
	}
	gamma, beta := kerneltest.Sample(d, 3), kerneltest.Sample(d, 4)
	for _, s := range kernel.Names() {
		t.Run(s, func(t *testing.T) {
			kerneltest.Use(t, s)
			buf := make([]float32, 6*d)
			mean, rest, variance, rstd := buf[:d], buf[d:2*d], buf[2*d:3*d], buf[3*d:4*d]
			dgamma, dbeta := buf[4*d:5*d], buf[5*d:]
			dx := make([]float32, n*d)
			Moments(mean, rest, variance, x)
			Rstd(rstd, variance, 1e-5)
			BatchNormGrad(dx, nil, dgamma, dbeta, dy, nil, x, mean, rest, rstd, gamma, beta, false)
			for c := range d {
				var m, v, g, b total
				for i := c; i < n*d; i += d {
					m.add(float64(x[i]) / n)
				}
				for i := c; i < n*d; i += d {
					v.add((float64(x[i]) - m.sum) * (float64(x[i]) - m.sum) / n)
				}
				r := 1 / math.Sqrt(v.sum+1e-5)
				for i := c; i < n*d; i += d {
					b.add(float64(dy[i]))
					g.add(float64(dy[i]) * (float64(x[i]) - m.sum) * r)
				}
				for _, tt := range []struct {
					what string
					got  float32
					want total
				}{{"mean", mean[c], m}, {"variance", variance[c], v}, {"dγ", dgamma[c], g}, {"dβ", dbeta[c], b}} {
					if !tt.want.near(tt.got) {
						t.Errorf("channel %d: %s is %v, want %v: off by %.3g", c, tt.what, tt.got, tt.want.sum,
							float64(tt.got)-tt.want.sum)
					}
				}
				for i := c; i < n*d; i += d {
					at, scale := (float64(x[i])-m.sum)*r, float64(gamma[c])*r
					want := scale * (float64(dy[i]) - b.sum/n - at*g.sum/n)
					if math.Abs(float64(dx[i])-want) > 0x1p-24*16*math.Abs(scale) {
						t.Fatalf("channel %d: dx is %v, want %v", c, dx[i], want)
					}
				}
			}
		})
	}
}
