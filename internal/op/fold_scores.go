package op

import (
	"fmt"

	"github.com/gomlx/gomlx/core/graph"

	"github.com/attnconv/attnconv/internal/kernel"
)

// FoldKey returns, head by head, the map of a query's channels whose product with a key's channels is query·key:
//
//	(W_k·x_k)·(W·x_q) = x_k·(M·x_q),  M_h = scale·W_k,hᵀ·W_h
//
// W (heads·d, n), W_k (heads·d, in) -> M (heads·in, n). A vector W (heads·d) becomes one (heads·in).
func FoldKey(w, key *Node, heads int, scale float32) *Node {
	return apply(foldKey(w.Shape(), key.Shape(), heads, scale), w, key)
}

func foldKey(w, key Shape, heads int, scale float32) def {
	d, n, in := w[0]/heads, w.TotalSize()/w[0], key[len(key)-1]
	each := func(f func(h int, w, key func([]float32) kernel.Mat, m func([]float32) kernel.Mat)) {
		for h := range heads {
			f(h, rowsOf(h, d, n), rowsOf(h, d, in), rowsOf(h, in, n))
		}
	}
	return def{
		name: fmt.Sprintf("fold-key{%d,%v}", heads, scale),
		want: "W (heads·d, n) or (heads·d), W_k (heads·d, in)",
		shape: func([]Shape) (Shape, bool) {
			return append(Shape{heads * in}, w[1:]...), key.Dims() == 2 && key[0] == w[0] && w[0] == heads*d
		},
		unread: []int{output},
		fwd: func(y []float32, a [][]float32) {
			each(func(_ int, w, key, m func([]float32) kernel.Mat) { kernel.Mul(m(y), key(a[1]).T(), w(a[0])) })
			kernel.Scale(scale, y)
		},
		lower: func(l *Lowering, a []*graph.Node) *graph.Node {
			m := l.product("hdi,hdn->hin", graph.Reshape(a[1], heads, d, in), graph.Reshape(a[0], heads, d, n))
			return graph.MulScalar(graph.Reshape(m, append(Shape{heads * in}, w[1:]...)...), scale)
		},
		bwd: func(g [][]float32, dy, _ []float32, a [][]float32) {
			each(func(_ int, w, key, m func([]float32) kernel.Mat) {
				kernel.Mul(w(g[0]), key(a[1]), m(dy))
				kernel.Mul(key(g[1]), w(a[0]), m(dy).T())
			})
			kernel.Scale(scale, g[0])
			kernel.Scale(scale, g[1])
		},
	}
}

// rowsOf views head h's rows of a stack of (rows, cols) matrices.
func rowsOf(h, rows, cols int) func([]float32) kernel.Mat {
	return func(x []float32) kernel.Mat { return kernel.Matrix(x[h*rows*cols:(h+1)*rows*cols], rows, cols) }
}

// FoldTable returns, head by head, the map of a query's channels to what the query gives each shift within n tokens,
// from the p numbers of the query that begin at its number first and meet the table:
//
//	r_δ·(W·x)[first:first+p] = (G·x)[δ+n-1],  G_h = scale·r·W_h[first:first+p],  |δ| < n
//
// W (heads·d, in), r (2m-1, p) with m at least n -> G (heads·(2n-1), in). A vector W (heads·d) becomes one. A table
// (2m-1, heads·d) has vectors for each head.
func FoldTable(w, table *Node, heads, first, n int, scale float32) *Node {
	return apply(foldTable(w.Shape(), table.Shape(), heads, first, n, scale), w, table)
}

func foldTable(w, table Shape, heads, first, n int, scale float32) def {
	wide := table[len(table)-1]
	d, in, p, shifts := w[0]/heads, w.TotalSize()/w[0], wide, 2*n-1
	own := wide == w[0]
	if own {
		p = d
	}
	part := func(x []float32, h int) kernel.Mat { return rowsOf(h, d, in)(x).Block(first, 0, p, in) }
	used := func(x []float32, h int) kernel.Mat {
		at := 0
		if own {
			at = h * d
		}
		return kernel.Matrix(x, table[0], wide).Block(table[0]/2-(n-1), at, shifts, p)
	}
	return def{
		name: fmt.Sprintf("fold-table{%d,%d,%d,%v}", heads, first, n, scale),
		want: fmt.Sprintf("W (heads·d, in) or (heads·d), r (2m-1, p) with m at least %d", n),
		shape: func([]Shape) (Shape, bool) {
			ok := table.Dims() == 2 && table[0]%2 == 1 && n <= table[0]/2+1 && w[0] == heads*d && first+p <= d
			return append(Shape{heads * shifts}, w[1:]...), ok
		},
		unread: []int{output},
		fwd: func(y []float32, a [][]float32) {
			for h := range heads {
				kernel.Mul(rowsOf(h, shifts, in)(y), used(a[1], h), part(a[0], h))
			}
			kernel.Scale(scale, y)
		},
		lower: func(l *Lowering, a []*graph.Node) *graph.Node {
			part := graph.Reshape(a[0], heads, d, in)
			part = graph.Slice(part, graph.AxisRange(), graph.AxisRange(first, first+p))
			used := graph.Slice(a[1], graph.AxisRange(table[0]/2-(n-1), table[0]/2+n))
			equation := "sp,hpi->hsi"
			if own {
				equation, used = "shp,hpi->hsi", graph.Reshape(used, shifts, heads, d)
			}
			y := graph.MulScalar(l.product(equation, used, part), scale)
			return graph.Reshape(y, append(Shape{heads * shifts}, w[1:]...)...)
		},
		bwd: func(g [][]float32, dy, _ []float32, a [][]float32) {
			clear(g[0])
			clear(g[1])
			for h := range heads {
				dh := rowsOf(h, shifts, in)(dy)
				kernel.Mul(part(g[0], h), used(a[1], h).T(), dh)
				kernel.MulAdd(used(g[1], h), dh, part(a[0], h).T())
			}
			kernel.Scale(scale, g[0])
			kernel.Scale(scale, g[1])
		},
	}
}
