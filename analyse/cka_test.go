package analyse

import (
	"math"
	"math/rand/v2"
	"testing"
)

func features(rng *rand.Rand, n int) []float32 {
	x := make([]float32, n)
	for i := range x {
		x[i] = float32(rng.NormFloat64())
	}
	return x
}

// defined is HSIC as the mean of K_ij·(L_ij + L_qr - 2·L_iq) over all i, j, q, r that differ: its estimate without bias
// by definition.
func defined(x, y []float32, n int) float64 {
	k := func(x []float32, i, j int) (sum float64) {
		d := len(x) / n
		for c := range d {
			sum += float64(x[i*d+c]) * float64(x[j*d+c])
		}
		return sum
	}
	sum, count := 0.0, 0.0
	for i := range n {
		for j := range n {
			for q := range n {
				for r := range n {
					if i != j && i != q && i != r && j != q && j != r && q != r {
						sum += k(x, i, j) * (k(y, i, j) + k(y, q, r) - 2*k(y, i, q))
						count++
					}
				}
			}
		}
	}
	return sum / count
}

func TestCKAIsItsDefinition(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	c := must(NewCKA(1, 2))
	var xy, xx, yy float64
	for _, n := range []int{7, 5} {
		x, z := features(rng, n*3), features(rng, n*4)
		y := make([]float32, n*2)
		for i := range n {
			y[i*2], y[i*2+1] = x[i*3]+z[i*4]+5, x[i*3+1]*2
		}
		if err := c.Add(n, [][]float32{x}, [][]float32{y, z}); err != nil {
			t.Fatal(err)
		}
		xy, xx, yy = xy+defined(x, y, n), xx+defined(x, x, n), yy+defined(y, y, n)
	}
	near(t, "CKA", c.Of(0, 0), xy/math.Sqrt(xx*yy), 1e-6)
}

// Features that are rotated, scaled and moved are alike; independent ones are not; and of many images the estimate is
// that of Kornblith et al., ‖YᵀX‖²/(‖XᵀX‖·‖YᵀY‖) of centered features.
func TestCKAOfKnownFeatures(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 2))
	const n = 400
	c := must(NewCKA(1, 3))
	x, z := features(rng, n*2), features(rng, n*2)
	rotated, mixed := make([]float32, n*2), make([]float32, n*2)
	for i := range n {
		a, b := float64(x[i*2]), float64(x[i*2+1])
		rotated[i*2], rotated[i*2+1] = float32(7+3*(0.6*a-0.8*b)), float32(3*(0.8*a+0.6*b)-1)
		mixed[i*2], mixed[i*2+1] = x[i*2]+z[i*2], z[i*2+1]
	}
	if err := c.Add(n, [][]float32{x}, [][]float32{rotated, z, mixed}); err != nil {
		t.Fatal(err)
	}
	near(t, "rotated", c.Of(0, 0), 1, 1e-6)
	near(t, "independent", c.Of(0, 1), 0, 0.02)
	cross := func(x, y []float32) (sum float64) {
		var m [2][2]float64
		var sx, sy [2]float64
		for i := range n {
			for a := range 2 {
				sx[a], sy[a] = sx[a]+float64(x[i*2+a])/n, sy[a]+float64(y[i*2+a])/n
			}
		}
		for i := range n {
			for a := range 2 {
				for b := range 2 {
					m[a][b] += (float64(x[i*2+a]) - sx[a]) * (float64(y[i*2+b]) - sy[b])
				}
			}
		}
		return m[0][0]*m[0][0] + m[0][1]*m[0][1] + m[1][0]*m[1][0] + m[1][1]*m[1][1]
	}
	near(t, "mixed", c.Of(0, 2), cross(x, mixed)/math.Sqrt(cross(x, x)*cross(mixed, mixed)), 0.01)
	if constant := must(NewCKA(1, 1)); constant.Add(4, [][]float32{{1, 1, 1, 1}}, [][]float32{{1, 2, 3, 4}}) != nil ||
		!math.IsNaN(constant.Of(0, 0)) {
		t.Errorf("constant features: %g", constant.Of(0, 0))
	}
	nan := float32(math.NaN())
	for name, err := range map[string]error{
		"layers": second(NewCKA(0, 1)), "few images": c.Add(3, nil, nil), "layers of a batch": c.Add(4, nil, nil),
		"ragged": c.Add(4, [][]float32{{1, 2, 3}}, [][]float32{x, x, x}),
		"NaN":    c.Add(4, [][]float32{{1, 2, 3, nan}}, [][]float32{x, x, x}),
	} {
		if _, ok := err.(*Error); !ok {
			t.Errorf("%s: %v, want an *Error", name, err)
		}
	}
}
