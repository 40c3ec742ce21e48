package op

import (
	"fmt"

	"github.com/attnconv/attnconv/internal/gemm"
	"github.com/attnconv/attnconv/internal/kernel/vec"
)

// FoldKeyOp is, head by head, the map of a query's channels whose product with a key's channels is query·key:
//
//	(W_k·x_k)·(W·x_q) = x_k·(M·x_q),  M_h = scale·W_k,hᵀ·W_h
//
// W (heads·d, n), W_k (heads·d, in) -> M (heads·in, n). A vector W (heads·d) becomes one (heads·in).
type FoldKeyOp struct {
	Heads int
	Scale float32
}

func (o FoldKeyOp) String() string { return fmt.Sprintf("fold-key{%d,%v}", o.Heads, o.Scale) }

func (o FoldKeyOp) Shape(in []Shape) (Shape, error) {
	w, key := in[0], in[1]
	var out Shape
	ok := key.Dims() == 2 && w.Dims() > 0 && key[0] == w[0] && w[0]%o.Heads == 0
	if ok {
		out = append(Shape{o.Heads * key[1]}, w[1:]...)
	}
	return fits(o, in, ok, out, "W (heads·d, n) or (heads·d), W_k (heads·d, in)")
}

func (o FoldKeyOp) Cost(n *Node) Cost {
	key := n.in[1].shape
	return product(key[1], key[0], n.in[0].shape.TotalSize()/key[0])
}

func (o FoldKeyOp) Kernel(shapes []Shape) Kernel {
	w, key, heads, scale := shapes[0], shapes[1], o.Heads, o.Scale
	d, n, in := w[0]/heads, w.TotalSize()/w[0], key[len(key)-1]
	each := func(f func(h int, w, key func([]float32) gemm.Mat, m func([]float32) gemm.Mat)) {
		for h := range heads {
			f(h, rowsOf(h, d, n), rowsOf(h, d, in), rowsOf(h, in, n))
		}
	}
	return Kernel{
		NotSaved: []int{Output},
		Forward: func(y []float32, a [][]float32) {
			each(func(_ int, w, key, m func([]float32) gemm.Mat) { gemm.Mul(m(y), key(a[1]).T(), w(a[0])) })
			vec.Scale(scale, y)
		},
		Backward: func(g [][]float32, dy, _ []float32, a [][]float32) {
			each(func(_ int, w, key, m func([]float32) gemm.Mat) {
				gemm.Mul(w(g[0]), key(a[1]), m(dy))
				gemm.Mul(key(g[1]), w(a[0]), m(dy).T())
			})
			vec.Scale(scale, g[0])
			vec.Scale(scale, g[1])
		},
	}
}

// rowsOf views head h's rows of a stack of (rows, cols) matrices.
func rowsOf(h, rows, cols int) func([]float32) gemm.Mat {
	return func(x []float32) gemm.Mat { return gemm.Matrix(x[h*rows*cols:(h+1)*rows*cols], rows, cols) }
}

// FoldTableOp is, head by head, the map of a query's channels to what the query gives each shift within n tokens, from
// the p channels of the query from first on, which meet the table:
//
//	r_δ·(W·x)[first:first+p] = (G·x)[δ+n-1],  G_h = scale·r·W_h[first:first+p],  |δ| < n
//
// W (heads·d, in), r (2m-1, p) with m at least n -> G (heads·(2n-1), in). A vector W (heads·d) becomes one. A table
// (2m-1, heads·d) has vectors for each head.
type FoldTableOp struct{ ShiftTable }

func (o FoldTableOp) String() string {
	return fmt.Sprintf("fold-table{%d,%d,%d,%v}", o.Heads, o.First, o.Tokens, o.Scale)
}

func (o FoldTableOp) Shape(in []Shape) (Shape, error) {
	w, table := in[0], in[1]
	var out Shape
	ok := w.Dims() > 0 && w[0]%o.Heads == 0 && o.meets(table, w[0])
	if ok {
		out = append(Shape{o.Heads * (2*o.Tokens - 1)}, w[1:]...)
	}
	return fits(o, in, ok, out, fmt.Sprintf("W (heads·d, in) or (heads·d), r (2m-1, p) with m at least %d", o.Tokens))
}

func (o FoldTableOp) Cost(n *Node) Cost {
	return product(n.shape[0], n.in[1].shape[1], n.shape.TotalSize()/n.shape[0])
}

func (o FoldTableOp) Kernel(s []Shape) Kernel {
	w, table, heads, first, n, scale := s[0], s[1], o.Heads, o.First, o.Tokens, o.Scale
	wide := table[1]
	d, in, p, shifts := w[0]/heads, w.TotalSize()/w[0], wide, 2*n-1
	own := wide == w[0]
	if own {
		p = d
	}
	part := func(x []float32, h int) gemm.Mat { return rowsOf(h, d, in)(x).Block(first, 0, p, in) }
	used := func(x []float32, h int) gemm.Mat {
		at := 0
		if own {
			at = h * d
		}
		return gemm.Matrix(x, table[0], wide).Block(table[0]/2-(n-1), at, shifts, p)
	}
	return Kernel{
		NotSaved: []int{Output},
		Forward: func(y []float32, a [][]float32) {
			for h := range heads {
				gemm.Mul(rowsOf(h, shifts, in)(y), used(a[1], h), part(a[0], h))
			}
			vec.Scale(scale, y)
		},
		Backward: func(g [][]float32, dy, _ []float32, a [][]float32) {
			clear(g[0])
			clear(g[1])
			for h := range heads {
				dh := rowsOf(h, shifts, in)(dy)
				gemm.Mul(part(g[0], h), used(a[1], h).T(), dh)
				gemm.Plan{Add: true}.Mul(used(g[1], h), dh, part(a[0], h).T())
			}
			vec.Scale(scale, g[0])
			vec.Scale(scale, g[1])
		},
	}
}
