package op

import (
	"github.com/attnconv/attnconv/internal/gemm"
	"github.com/attnconv/attnconv/internal/kernel/pool"
	"github.com/attnconv/attnconv/internal/kernel/threads"
	"github.com/attnconv/attnconv/internal/kernel/vec"
)

const (
	// geluRows is how many rows backward takes at a time: what is made of them stays in cache until it is multiplied.
	geluRows = 4096
	// geluBlock is the most rows of a task: what is made of them stays in the second-level cache.
	geluBlock = 96
)

// GELULinearOp is y = g(u + b)·Wᵀ + c with g(u) = u·½(1 + erf(u/√2)), the exact form. With u = x·Vᵀ of a LinearOp it
// is the feed-forward part of an encoder layer. Backward, with a = g(u + b) recomputed rather than kept,
//
//	du = (dy·W)∘g'(u + b),  db = Σ du,  dW = dyᵀ·a,  dc = Σ dy, the sums over rows
//
// u (…, d), b (d), W (out, d), c (out) -> y (…, out)
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
	n := geluSizes{out: in[2][0], d: in[2][1]}
	n.rows = in[0].TotalSize() / max(1, n.d)
	n.block = threads.Split(n.rows, min(geluBlock, max(geluBlock/4, n.rows/threads.Tasks)), geluBlock/8)
	factor, chunk := o.Factors.of, min(n.rows, geluRows)
	var packedT, packed, a []float32
	return Kernel{
		NotSaved:    []int{3, Output},
		Scratch:     []Scratch{{gemm.PackedBFloats(n.d, n.out), &packedT}},
		BackScratch: []Scratch{{gemm.PackedBFloats(n.out, n.d), &packed}, {chunk * n.d, &a}},
		Forward: func(y []float32, in [][]float32) {
			wT := gemm.PackB(factor(gemm.Matrix(in[2], n.out, n.d).T()), packedT)
			threads.Blocks(n.rows, n.block, func(lo, hi int) {
				a := pool.Get((hi - lo) * n.d)
				vec.GELUSerial(*a, in[0][lo*n.d:hi*n.d], in[1])
				yy := n.outputs(y, lo, hi)
				gemm.Plan{Serial: true}.Mul(yy, factor(n.hidden(*a, 0, hi-lo)), wT)
				gemm.AddRow(yy, in[3])
				pool.Put(a)
			})
		},
		Backward: func(d [][]float32, dy, _ []float32, in [][]float32) {
			w, dw := gemm.PackB(factor(gemm.Matrix(in[2], n.out, n.d)), packed), gemm.Matrix(d[2], n.out, n.d)
			for first := 0; first < n.rows; first += chunk {
				rows := min(chunk, n.rows-first)
				threads.Blocks(rows, n.block, func(lo, hi int) {
					from, to := (first+lo)*n.d, (first+hi)*n.d
					gemm.Plan{Serial: true}.Mul(n.hidden(d[0], first+lo, first+hi),
						factor(n.outputs(dy, first+lo, first+hi)), w)
					vec.GELUBoth(a[lo*n.d:hi*n.d], d[0][from:to], in[0][from:to], in[1])
				})
				gemm.Plan{Add: first > 0}.Mul(dw, factor(n.outputs(dy, first, first+rows)).T(),
					factor(n.hidden(a, 0, rows)))
			}
			vec.SumRows(d[1], d[0])
			vec.SumRows(d[3], dy)
		},
	}
}

// geluSizes are the sizes of one GELULinear. A task has block rows.
type geluSizes struct{ rows, d, out, block int }

// hidden views rows [lo, hi) of u or its like, outputs those of y.
func (n geluSizes) hidden(u []float32, lo, hi int) gemm.Mat {
	return gemm.Matrix(u[lo*n.d:hi*n.d], hi-lo, n.d)
}

func (n geluSizes) outputs(y []float32, lo, hi int) gemm.Mat {
	return gemm.Matrix(y[lo*n.out:hi*n.out], hi-lo, n.out)
}
