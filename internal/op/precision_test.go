package op

import (
	"math"
	"math/rand/v2"
	"testing"
)

// In bfloat16 every product of every operation rounds its factors, and nothing else changes: results and gradients are
// within a percent of those in float32, and not the same.
func TestBFloat16(t *testing.T) {
	for _, c := range Cases() {
		o, ok := c.Op.(Multiplying)
		if !ok || o.In(BFloat16) == c.Op { // no products of matrices
			continue
		}
		want, got := resultsOf(t, c), resultsOf(t, Case{o.In(BFloat16), c.In})
		differ := false
		for i := range want {
			e := relative(got[i], want[i])
			differ = differ || e > 0
			if e > 0.01 || math.IsNaN(e) {
				t.Errorf("%v, result %d (gradients from 1 on): relative error %.2g", o.In(BFloat16), i, e)
			}
		}
		winograd := false
		if conv, ok := c.Op.(ConvOp); ok {
			winograd = conv.Stride == 1 && c.In[1][2] == 3 && c.In[0][3] >= 16 && min(c.In[0][1], c.In[0][2]) >= 4
		}
		if differ == winograd {
			t.Errorf("%v on %v: rounded %t", o.In(BFloat16), c.In, differ)
		}
	}
}

// resultsOf returns the result of a case on random inputs, and its gradients.
func resultsOf(t *testing.T, c Case) [][]float32 {
	k, out := kernelOf(t, c)
	rng := rand.New(rand.NewPCG(1, 2))
	var in [][]float32
	for _, s := range c.In {
		in = append(in, random(rng, s.TotalSize()))
	}
	y := make([]float32, out.TotalSize())
	lay(k)
	k.Forward(y, in)
	return append([][]float32{y}, gradientsBut(t, c, nil)...)
}

func relative(got, want []float32) float64 {
	var e, n float64
	for i, w := range want {
		e += math.Pow(float64(got[i]-w), 2)
		n += math.Pow(float64(w), 2)
	}
	return math.Sqrt(e / n)
}
