package vec

import (
	"math"
	"testing"

	"github.com/attnconv/attnconv/internal/kernel"
	"github.com/attnconv/attnconv/internal/kernel/kerneltest"
)

func TestResidualNormIsTheEquation(t *testing.T) {
	for _, s := range kernel.Names() {
		t.Run(s, func(t *testing.T) {
			kerneltest.Use(t, s)
			const n, d = 37, 45
			x, y, gamma, beta := kerneltest.Sample(n*d, 1), kerneltest.Sample(n*d, 2), kerneltest.Sample(d, 3),
				kerneltest.Sample(d, 4)
			out, mean, rstd := kerneltest.NewFence(n*d, 5), kerneltest.NewFence(n, 6), kerneltest.NewFence(n, 7)
			drop := Dropout{Key: 77, Step: 5, Rate: 0.25}
			ResidualNorm(out.In, mean.In, rstd.In, x, y, gamma, beta, drop)
			for r := range n {
				z := make([]float64, d)
				var mu, variance float64
				for c := range z {
					z[c] = float64(x[r*d+c])
					if drop.Kept(uint32(r), uint32(c)) {
						z[c] += float64(y[r*d+c]) / 0.75
					}
					mu += z[c] / d
				}
				for _, v := range z {
					variance += (v - mu) * (v - mu) / d
				}
				for c, v := range z {
					want := float64(gamma[c])*(v-mu)/math.Sqrt(variance+1e-12) + float64(beta[c])
					if got := float64(out.In[r*d+c]); !kerneltest.Near(got, want, 3e-6) {
						t.Fatalf("row %d, column %d: %v, want %v", r, c, got, want)
					}
				}
				if !kerneltest.Near(float64(mean.In[r]), mu, 1e-6) ||
					!kerneltest.Near(float64(rstd.In[r]), 1/math.Sqrt(variance), 1e-5) {
					t.Fatalf("row %d: mean %v, rstd %v; want %v, %v", r, mean.In[r], rstd.In[r], mu,
						1/math.Sqrt(variance))
				}
			}
			if out.Broken() || mean.Broken() || rstd.Broken() {
				t.Error("wrote outside its slices")
			}
		})
	}
}

func TestResidualNormOfEqualNumbersIsFinite(t *testing.T) {
	for _, s := range kernel.Names() {
		t.Run(s, func(t *testing.T) {
			kerneltest.Use(t, s)
			for _, v := range []float32{0, 1, 0.1, -1234.567, 3e18} {
				const d = 100
				x, one, zero := make([]float32, d), make([]float32, d), make([]float32, d)
				for i := range x {
					x[i], one[i] = v, 1
				}
				out, dx, dg, db := make([]float32, d), make([]float32, d), make([]float32, d), make([]float32, d)
				mean, rstd := make([]float32, 1), make([]float32, 1)
				ResidualNorm(out, mean, rstd, x, nil, one, zero, Dropout{})
				ResidualNormGrad(dx, nil, dg, db, x, x, nil, mean, rstd, one, Dropout{})
				if !Finite(out) || !Finite(dx) || !Finite(rstd) {
					t.Errorf("%v: out %v, dx %v, rstd %v", v, out[0], dx[0], rstd[0])
				}
			}
		})
	}
}

func TestResidualNormGrad(t *testing.T) {
	for _, s := range kernel.Names() {
		for name, drop := range map[string]Dropout{"dropout": {Key: 3, Step: 1 << 40, Rate: 0.3}, "no dropout": {}} {
			t.Run(s+"/"+name, func(t *testing.T) {
				kerneltest.Use(t, s)
				const n, d = 5, 19
				x, y, gamma, beta, dout := kerneltest.Sample(n*d, 1), kerneltest.Sample(n*d, 2),
					kerneltest.Sample(d, 3), kerneltest.Sample(d, 4), kerneltest.Sample(n*d, 5)
				out, mean, rstd := make([]float32, n*d), make([]float32, n), make([]float32, n)
				loss := func() float64 {
					ResidualNorm(out, mean, rstd, x, y, gamma, beta, drop)
					return weighted(out, dout)
				}
				loss()
				dx, dy, dg, db := kerneltest.NewFence(n*d, 6), kerneltest.NewFence(n*d, 7), kerneltest.NewFence(d, 8),
					kerneltest.NewFence(d, 9)
				ResidualNormGrad(dx.In, dy.In, dg.In, db.In, dout, x, y, mean, rstd, gamma, drop)
				slope(t, "x", x, dx.In, 1e-2, 2e-3, loss)
				slope(t, "y", y, dy.In, 1e-2, 2e-3, loss)
				slope(t, "gamma", gamma, dg.In, 1e-2, 1e-4, loss)
				slope(t, "beta", beta, db.In, 1e-2, 1e-4, loss)
				if dx.Broken() || dy.Broken() || dg.Broken() || db.Broken() {
					t.Error("wrote outside its slices")
				}
			})
		}
	}
}

// no y, no dy; many rows, so that γ's and β's gradients come from several blocks
func TestPlainLayerNorm(t *testing.T) {
	for _, s := range kernel.Names() {
		t.Run(s, func(t *testing.T) {
			kerneltest.Use(t, s)
			const n, d = 4000, 33
			x, gamma, beta, dout := kerneltest.Sample(n*d, 1), kerneltest.Sample(d, 3), kerneltest.Sample(d, 4),
				kerneltest.Sample(n*d, 5)
			out, mean, rstd := make([]float32, n*d), make([]float32, n), make([]float32, n)
			dx, dg, db := make([]float32, n*d), kerneltest.Sample(d, 6), kerneltest.Sample(d, 7)
			ResidualNorm(out, mean, rstd, x, nil, gamma, beta, Dropout{})
			ResidualNormGrad(dx, nil, dg, db, dout, x, nil, mean, rstd, gamma, Dropout{})
			for c := range d {
				var wantG, wantB float64
				for r := range n {
					i := r*d + c
					wantG += float64(dout[i]) * (float64(out[i]) - float64(beta[c])) / float64(gamma[c])
					wantB += float64(dout[i])
				}
				if !kerneltest.Near(float64(dg[c]), wantG, 1e-3) || !kerneltest.Near(float64(db[c]), wantB, 1e-3) {
					t.Fatalf("column %d: dγ = %v, dβ = %v; want %v, %v", c, dg[c], db[c], wantG, wantB)
				}
			}
		})
	}
}

// Rows whose spread is less than float32 can tell from their mean's own error are as float64 says.
func TestResidualNormFarFromZero(t *testing.T) {
	const ulp = 1.0 / 16384 // of 1000
	for _, s := range kernel.Names() {
		t.Run(s, func(t *testing.T) {
			kerneltest.Use(t, s)
			for _, d := range []int{8, 104, 400, 4096} {
				rows := []func(i int) float32{
					func(i int) float32 { return 1000.1 },
					func(i int) float32 { return 1000 + float32(i%8)*ulp },
					func(i int) float32 { return -1e6 + float32(i%2)/16 },
					func(i int) float32 { return 1000 + float32(math.Sin(float64(i))) },
					func(i int) float32 { return 3e18 },
				}
				n := len(rows)
				x, gamma, beta, dout := make([]float32, n*d), kerneltest.Sample(d, 3), kerneltest.Sample(d, 4),
					kerneltest.Sample(n*d, 5)
				for i := range x {
					x[i] = rows[i/d](i % d)
				}
				out, dx, dg, db := make([]float32, n*d), make([]float32, n*d), make([]float32, d), make([]float32, d)
				mean, rstd := make([]float32, n), make([]float32, n)
				ResidualNorm(out, mean, rstd, x, nil, gamma, beta, Dropout{})
				ResidualNormGrad(dx, nil, dg, db, dout, x, nil, mean, rstd, gamma, Dropout{})
				wantG := make([]float64, d)
				for r := range n {
					var m, v, g, gx float64
					z := make([]float64, d) // from the first number, which changes nothing and is exact
					for i := range z {
						z[i] = float64(x[r*d+i]) - float64(x[r*d])
						m += z[i] / float64(d)
					}
					for _, x := range z {
						v += (x - m) * (x - m) / float64(d)
					}
					s := 1 / math.Sqrt(v+1e-12)
					for i, x := range z {
						at, do := (x-m)*s, float64(dout[r*d+i])
						wantG[i] += do * at
						g += do * float64(gamma[i]) / float64(d)
						gx += do * float64(gamma[i]) * at / float64(d)
					}
					for i, x := range z {
						at := (x - m) * s
						want, got := at*float64(gamma[i])+float64(beta[i]), float64(out[r*d+i])
						wantX := s * (float64(dout[r*d+i])*float64(gamma[i]) - g - at*gx)
						if !kerneltest.Near(got, want, 5e-6) || math.Abs(float64(dx[r*d+i])-wantX) > 2e-5*s {
							t.Fatalf("d %d, row %d: %v, dx %v; want %v, %v", d, r, got, dx[r*d+i], want, wantX)
						}
					}
				}
				for i, want := range wantG {
					if !kerneltest.Near(float64(dg[i]), want, 2e-5) {
						t.Fatalf("d %d: dγ %v, want %v", d, dg[i], want)
					}
				}
				// By hand: 1000 + k ulp, k = 0 … 7, has mean 1000 + 3.5 ulp and variance 5.25 ulp²: -3.5/√(5.25 +
				// 1e-12/ulp²).
				if got := (out[d] - beta[0]) / gamma[0]; !kerneltest.Near(float64(got), -1.527486, 1e-5) {
					t.Errorf("d %d: normalized %v, want -1.527486", d, got)
				}
			}
		})
	}
}
