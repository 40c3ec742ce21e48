package op

import (
	"github.com/attnconv/attnconv/internal/gemm"
	"github.com/attnconv/attnconv/internal/kernel/vec"
)

// LinearOp is y = x·Wᵀ + b, or x·Wᵀ; backward, dx = dy·W, dW = dyᵀ·x and db = Σ dy over rows.
type LinearOp struct{ Factors Precision }

func (o LinearOp) String() string { return "linear" + o.Factors.String() }

// In implements Multiplying.
func (o LinearOp) In(p Precision) Op { return LinearOp{p} }

func (o LinearOp) Shape(in []Shape) (Shape, error) {
	x, w := in[0], in[1]
	var out Shape
	ok := x.Dims() > 0 && w.Dims() == 2 && x[x.Dims()-1] == w[1] && (len(in) < 3 || in[2].Eq(w[:1]))
	if ok {
		out = append(x[:x.Dims()-1].Clone(), w[0])
	}
	return fits(o, in, ok, out, "x (…, in), W (out, in) and b (out)")
}

func (LinearOp) Cost(n *Node) Cost {
	out, in := n.in[1].shape[0], n.in[1].shape[1]
	return mapped(n.in[0].shape.TotalSize()/in, in, out)
}

func (o LinearOp) Kernel(s []Shape) Kernel {
	out, in := s[1][0], s[1][1]
	rows := func(x []float32) gemm.Mat { return gemm.Matrix(x, len(x)/in, in) }
	factor := o.Factors.of
	return Kernel{
		Skips:    []int{0},
		NotSaved: []int{2, Output},
		Forward: func(y []float32, a [][]float32) {
			yy, x, wT := gemm.Matrix(y, len(y)/out, out), factor(rows(a[0])), factor(gemm.Matrix(a[1], out, in).T())
			if len(a) < 3 {
				gemm.Mul(yy, x, wT)
				return
			}
			gemm.Plan{Epilogue: gemm.Bias(yy, a[2])}.Mul(yy, x, wT)
		},
		Backward: func(d [][]float32, dy, _ []float32, a [][]float32) {
			dyy, w := factor(gemm.Matrix(dy, len(dy)/out, out)), factor(gemm.Matrix(a[1], out, in))
			if d[0] != nil {
				gemm.Mul(rows(d[0]), dyy, w)
			}
			gemm.Mul(gemm.Matrix(d[1], out, in), dyy.T(), factor(rows(a[0])))
			if len(d) > 2 {
				vec.SumRows(d[2], dy)
			}
		},
	}
}
