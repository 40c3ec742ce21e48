package op

import (
	"github.com/attnconv/attnconv/internal/gemm"
	"github.com/attnconv/attnconv/internal/kernel/vec"
)

// GELULinear returns y = g(u + b)·Wᵀ + c with g(u) = u·½(1 + erf(u/√2)), the exact form. With u = x·Vᵀ from MatMul it
// is the feed-forward part of an encoder layer. Backward, with a = g(u + b) recomputed rather than kept,
//
//	du = (dy·W)∘g'(u + b),  db = Σ du,  dW = dyᵀ·a,  dc = Σ dy, the sums over rows
//
// u (…, d), b (d), W (out, d), c (out) -> y (…, out)
func GELULinear(u, b, w, c *Node) *Node { return Apply(GELULinearOp{}, u, b, w, c) }

const geluRows = 4096 // at a time: what is made of them stays in cache until it is multiplied

// GELULinearOp is GELULinear.
type GELULinearOp struct{ Factors Precision }

func (o GELULinearOp) String() string { return "gelu-linear" + o.Factors.String() }

// In implements Multiplying.
func (o GELULinearOp) In(p Precision) Op { return GELULinearOp{p} }

func (o GELULinearOp) Shape(in []Shape) (Shape, error) {
	u, w := in[0], in[2]
	var out Shape
	ok := u.Dims() > 0 && w.Dims() == 2 && u[u.Dims()-1] == w[1] && in[1].Eq(w[1:]) && in[3].Eq(w[:1])
	if ok {
		out = append(u[:u.Dims()-1].Clone(), w[0])
	}
	return fits(o, in, ok, out, "u (…, d), b (d), W (out, d) and c (out)")
}

func (GELULinearOp) Cost(n *Node) Cost {
	out, in := n.in[2].shape[0], n.in[2].shape[1]
	return mapped(n.in[0].shape.TotalSize()/in, in, out)
}

func (o GELULinearOp) Kernel(in []Shape) Kernel {
	u, out, d := in[0], in[2][0], in[2][1]
	rows := u.TotalSize() / max(1, d)
	chunk, factor := min(rows, geluRows), o.Factors.of
	var a []float32
	scratch := []Scratch{{chunk * d, &a}}
	// each calls f for every chunk: rows [lo, hi), with a made of them.
	each := func(in [][]float32, f func(lo, hi int, a gemm.Mat)) {
		for lo := 0; lo < rows; lo += chunk {
			hi := min(rows, lo+chunk)
			vec.GELU(a[:(hi-lo)*d], in[0][lo*d:hi*d], in[1])
			f(lo, hi, factor(gemm.Matrix(a[:(hi-lo)*d], hi-lo, d)))
		}
	}
	return Kernel{
		NotSaved:    []int{3, Output},
		Scratch:     scratch,
		BackScratch: scratch,
		Forward: func(y []float32, in [][]float32) {
			wt := factor(gemm.Matrix(in[2], out, d).T())
			each(in, func(lo, hi int, a gemm.Mat) {
				y := gemm.Matrix(y[lo*out:hi*out], hi-lo, out)
				gemm.Plan{Epilogue: gemm.Bias(y, in[3])}.Mul(y, a, wt)
			})
		},
		Backward: func(dIn [][]float32, dy, _ []float32, in [][]float32) {
			w, dw := factor(gemm.Matrix(in[2], out, d)), gemm.Matrix(dIn[2], out, d)
			each(in, func(lo, hi int, a gemm.Mat) {
				dy := factor(gemm.Matrix(dy[lo*out:hi*out], hi-lo, out))
				gemm.Plan{Add: lo > 0}.Mul(dw, dy.T(), a)
				du := gemm.Matrix(dIn[0][lo*d:hi*d], hi-lo, d)
				gemm.Plan{Epilogue: func(i, j, m, n int) {
					at := (lo+i)*d + j
					vec.GELUGrad(dIn[0][at:], in[0][at:], m, d, in[1][j:j+n])
				}}.Mul(du, dy, w)
			})
			vec.SumRows(dIn[1], dIn[0])
			vec.SumRows(dIn[3], dy)
		},
	}
}
