package op

import (
	"github.com/attnconv/attnconv/internal/gemm"
	"github.com/attnconv/attnconv/internal/kernel/vec"
)

// values is the part that every mixing operation shares. Head h averages the tokens of each image into Z_h = P_h·X,
// and the value map turns the heads side by side into the output:
//
//	y = [Z_1 … Z_H]·Wᵀ + b = Σ_h P_h·X·W_hᵀ + b
//
// Z is H times as large as X, so it lives for a few images at a time and is computed again in backward.
type values struct {
	tokens, heads, in, out int
	batch, chunk           int       // images, and images at a time; a function of the shapes alone
	z, dz                  []float32 // (chunk·tokens, heads·in)
}

func newValues(batch, tokens, heads, in, out int) *values {
	chunk := min(batch, max(1, chunkTokens/tokens))
	return &values{tokens: tokens, heads: heads, in: in, out: out, batch: batch, chunk: chunk}
}

// scratch and backScratch are what forward and backward need.
func (v *values) scratch() []Scratch { return []Scratch{{v.chunk * v.tokens * v.heads * v.in, &v.z}} }

func (v *values) backScratch() []Scratch {
	return append(v.scratch(), Scratch{v.chunk * v.tokens * v.heads * v.in, &v.dz})
}

// each calls f for every chunk of the batch: n images from the first one on.
func (v *values) each(f func(first, n int)) {
	for first := 0; first < v.batch; first += v.chunk {
		f(first, min(v.chunk, v.batch-first))
	}
}

// forward sets y. mix(z, x, n) must set Z of n images; head h of token t stands at z[(t·heads+h)·in:].
func (v *values) forward(y, x, w, b []float32, mix func(z, x []float32, n int)) {
	tx, ty := v.tokens*v.in, v.tokens*v.out
	wt := gemm.Matrix(w, v.out, v.heads*v.in).T()
	v.each(func(first, n int) {
		y, x, z := y[first*ty:(first+n)*ty], x[first*tx:(first+n)*tx], v.z[:n*tx*v.heads]
		mix(z, x, n)
		rows := n * v.tokens
		yy := gemm.Matrix(y, rows, v.out)
		gemm.Plan{Epilogue: gemm.Bias(yy, b)}.Mul(yy, gemm.Matrix(z, rows, v.heads*v.in), wt)
	})
}

// backward sets dW and db, and calls unmix(dz, x, first, n) with dZ of n images, which may go on to dX and the
// weights of P.
func (v *values) backward(dw, db, dy, x, w []float32, mix func(z, x []float32, n int),
	unmix func(dz, x []float32, first, n int),
) {
	tx, ty, wide := v.tokens*v.in, v.tokens*v.out, v.heads*v.in
	wm, dwm := gemm.Matrix(w, v.out, wide), gemm.Matrix(dw, v.out, wide)
	v.each(func(first, n int) {
		rows := n * v.tokens
		dy, x := gemm.Matrix(dy[first*ty:(first+n)*ty], rows, v.out), x[first*tx:(first+n)*tx]
		z, dz := v.z[:rows*wide], v.dz[:rows*wide]
		mix(z, x, n)
		gemm.Plan{Add: first > 0}.Mul(dwm, dy.T(), gemm.Matrix(z, rows, wide))
		gemm.Mul(gemm.Matrix(dz, rows, wide), dy, wm)
		unmix(dz, x, first, n)
	})
	vec.SumRows(db, dy)
}
