package attention_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/attnconv/attnconv/attention"
	"github.com/attnconv/attnconv/nn"
	"github.com/attnconv/attnconv/posenc"
)

// Theorem 1: nine hard heads, one for each shift of a 3 × 3 kernel, are that convolution. Without padding of the input
// they are the one that repeats the image's edge.
func TestExpressesConvolution(t *testing.T) {
	const rows, cols, in, out = 6, 7, 3, 4
	const alpha = 46 // hard, to float32 (Lemma 2)
	s := nn.NewScope(1)
	enc := posenc.NewQuadratic(s, 9).(*posenc.Quadratic)
	layer := attention.New(s, enc, posenc.Grid{Rows: rows, Cols: cols}, 9, in, out, 0)
	for h := range 9 {
		enc.Center.Data[2*h], enc.Center.Data[2*h+1] = float32(h/3-1), float32(h%3-1)
		enc.Spread.Data[h] = float32(math.Sqrt(2 * alpha))
	}
	rng := rand.New(rand.NewPCG(7, 7))
	x := make([]float32, rows*cols*in)
	for i := range x {
		x[i] = rng.Float32() - 0.5
	}
	y := valuesOf(t, layer, func(g *nn.Graph) *nn.Node { return g.Input("x", x, 1, rows*cols, in) })
	inside := func(v, n int) int { return max(0, min(n-1, v)) }
	for r := range rows {
		for c := range cols {
			for o := range out {
				want := float64(layer.Value.B.Data[o])
				for h := range 9 {
					k := inside(r+h/3-1, rows)*cols + inside(c+h%3-1, cols)
					for i := range in {
						want += float64(x[k*in+i]) * float64(layer.Value.W.Data[o*9*in+h*in+i])
					}
				}
				if got := float64(y[(r*cols+c)*out+o]); math.Abs(got-want) > 1e-6 {
					t.Errorf("y[%d,%d,%d] = %v, convolution %v", r, c, o, got, want)
				}
			}
		}
	}
}
