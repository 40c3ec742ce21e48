package op

import (
	"github.com/gomlx/gomlx/core/graph"

	"github.com/attnconv/attnconv/internal/kernel"
)

// Linear returns y = x·Wᵀ + b; backward, dx = dy·W, dW = dyᵀ·x and db = Σ dy over rows.
//
// x (…, in), W (out, in), b (out) -> y (…, out)
func Linear(x, w, b *Node) *Node { return apply(linear(w.Shape()), x, w, b) }

// MatMul is Linear without its bias, for an operation that adds it in passing.
//
// x (…, in), W (out, in) -> y (…, out)
func MatMul(x, w *Node) *Node { return apply(linear(w.Shape()), x, w) }

func linear(w Shape) def {
	out, in := w[0], w[1]
	rows := func(x []float32) kernel.Mat { return kernel.Matrix(x, len(x)/in, in) }
	return def{
		name: "linear",
		want: "x (…, in), W (out, in) and b (out)",
		shape: func(s []Shape) (Shape, bool) {
			x := s[0]
			ok := x.Dims() > 0 && x[x.Dims()-1] == in && (len(s) < 3 || s[2].Eq(Shape{out}))
			return append(x[:max(0, x.Dims()-1)].Clone(), out), ok
		},
		unread: []int{2, output},
		fwd: func(y []float32, a [][]float32) {
			x, yy := rows(a[0]), kernel.Matrix(y, len(y)/out, out)
			if len(a) < 3 {
				kernel.Mul(yy, x, kernel.Matrix(a[1], out, in).T())
				return
			}
			kernel.MulEach(yy, x, kernel.Matrix(a[1], out, in).T(), func(i, j, m, n int) {
				kernel.AddRowBlock(yy.Block(i, j, m, n), a[2][j:j+n])
			})
		},
		lower: func(l *Lowering, in []*graph.Node) *graph.Node { return l.linear(in[0], in[1], in[2:]...) },
		bwd: func(d [][]float32, dy, _ []float32, a [][]float32) {
			dyy, w := kernel.Matrix(dy, len(dy)/out, out), kernel.Matrix(a[1], out, in)
			if d[0] != nil {
				kernel.Mul(rows(d[0]), dyy, w)
			}
			kernel.Mul(kernel.Matrix(d[1], out, in), dyy.T(), rows(a[0]))
			if len(d) > 2 {
				kernel.SumRows(d[2], dy)
			}
		},
	}
}
