package vec

import (
	"math/rand/v2"
	"testing"

	"github.com/attnconv/attnconv/internal/kernel/kerneltest"
)

// They must be what the softmax, the mask and their backwards make row by row.
func TestSoftmaxDrop(t *testing.T) {
	const rows, cols, first = 5, 37, 11
	rng := rand.New(rand.NewPCG(1, 1))
	for _, rate := range []float32{0, 0.4} {
		drop := Dropout{Key: 3, Step: 4, Rate: rate}
		a, d := make([]float32, rows*cols), make([]float32, rows*cols)
		for i := range a {
			a[i], d[i] = 3*rng.Float32(), rng.Float32()
		}
		p, masked, dp := make([]float32, rows*cols), make([]float32, rows*cols), make([]float32, rows*cols)
		SoftmaxRows(p, a, cols)
		for i := range p {
			keep := float32(1)
			if rate > 0 {
				keep = 0
				if drop.Kept(uint32(first+i/cols), uint32(i%cols)) {
					keep = 1 / (1 - rate)
				}
			}
			masked[i], dp[i] = p[i]*keep, d[i]*keep
		}
		SoftmaxRowsGrad(dp, dp, p, cols)
		got := append([]float32{}, a...)
		SoftmaxDrop(got, cols, drop, first)
		plain := make([]float32, len(p))
		MaskRows(plain, p, cols, drop, first)
		again := append([]float32{}, a...)
		SoftmaxDropGrad(d, again, cols, drop, first)
		for i := range got {
			if plain[i] != masked[i] {
				t.Fatalf("rate %v, number %d: %v under the mask is %v, want %v", rate, i, p[i], plain[i], masked[i])
			}
			if !kerneltest.Near(float64(got[i]), float64(masked[i]), 1e-6) || again[i] != got[i] ||
				!kerneltest.Near(float64(d[i]), float64(dp[i]), 1e-6) {
				t.Fatalf("rate %v, number %d: weight %v, again %v, want %v; gradient %v, want %v",
					rate, i, got[i], again[i], masked[i], d[i], dp[i])
			}
		}
	}
}
