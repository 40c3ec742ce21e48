package op

import (
	"math"

	"github.com/gomlx/gomlx/core/graph"

	"github.com/attnconv/attnconv/internal/kernel"
)

// GELULinear returns y = g(u + b)·Wᵀ + c with g(u) = u·½(1 + erf(u/√2)), the exact form. With u = x·Vᵀ from MatMul it
// is the feed-forward part of an encoder layer. Backward, with a = g(u + b) made again rather than kept,
//
//	du = (dy·W)∘g'(u + b),  db = Σ du,  dW = dyᵀ·a,  dc = Σ dy, the sums over rows
//
// u (…, d), b (d), W (out, d), c (out) -> y (…, out)
func GELULinear(u, b, w, c *Node) *Node { return apply(geluLinear(u.Shape(), w.Shape()), u, b, w, c) }

const geluRows = 4096 // at a time: what is made of them stays in cache until it is multiplied

func geluLinear(u, w Shape) def {
	out, d := w[0], w[len(w)-1]
	rows := u.TotalSize() / max(1, d)
	chunk := min(rows, geluRows)
	var a []float32
	room := []room{{chunk * d, &a}}
	// each calls f for every chunk: rows [lo, hi), with a made of them.
	each := func(in [][]float32, f func(lo, hi int, a kernel.Mat)) {
		for lo := 0; lo < rows; lo += chunk {
			hi := min(rows, lo+chunk)
			kernel.GELU(a[:(hi-lo)*d], in[0][lo*d:hi*d], in[1])
			f(lo, hi, kernel.Matrix(a[:(hi-lo)*d], hi-lo, d))
		}
	}
	return def{
		name: "gelu-linear",
		want: "u (…, d), b (d), W (out, d) and c (out)",
		shape: func(s []Shape) (Shape, bool) {
			if u.Dims() == 0 || w.Dims() != 2 || u[u.Dims()-1] != d {
				return nil, false
			}
			return append(u[:u.Dims()-1].Clone(), out), s[1].Eq(Shape{d}) && s[3].Eq(Shape{out})
		},
		unread:    []int{3, output},
		rooms:     room,
		backRooms: room,
		fwd: func(y []float32, in [][]float32) {
			wt := kernel.Matrix(in[2], out, d).T()
			each(in, func(lo, hi int, a kernel.Mat) {
				y := kernel.Matrix(y[lo*out:hi*out], hi-lo, out)
				kernel.MulEach(y, a, wt, func(i, j, m, n int) { kernel.AddRowBlock(y.Block(i, j, m, n), in[3][j:j+n]) })
			})
		},
		lower: func(l *Lowering, in []*graph.Node) *graph.Node {
			u := graph.Add(in[0], alike(in[1], in[0]))
			cdf := graph.MulScalar(graph.OnePlus(graph.Erf(graph.MulScalar(u, math.Sqrt2/2))), 0.5)
			return l.linear(graph.Mul(u, cdf), in[2], in[3])
		},
		bwd: func(dIn [][]float32, dy, _ []float32, in [][]float32) {
			w, dw := kernel.Matrix(in[2], out, d), kernel.Matrix(dIn[2], out, d)
			each(in, func(lo, hi int, a kernel.Mat) {
				dy := kernel.Matrix(dy[lo*out:hi*out], hi-lo, out)
				mul := kernel.MulAdd
				if lo == 0 {
					mul = kernel.Mul
				}
				mul(dw, dy.T(), a)
				du, u := kernel.Matrix(dIn[0][lo*d:hi*d], hi-lo, d), kernel.Matrix(in[0][lo*d:hi*d], hi-lo, d)
				kernel.MulEach(du, dy, w, func(i, j, m, n int) {
					kernel.GELUGrad(du.Block(i, j, m, n), u.Block(i, j, m, n), in[1][j:j+n])
				})
			})
			kernel.SumRows(dIn[1], dIn[0])
			kernel.SumRows(dIn[3], dy)
		},
	}
}
