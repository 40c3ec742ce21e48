package op

import (
	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	"github.com/gomlx/gomlx/core/graph"

	"github.com/attnconv/attnconv/internal/kernel"
)

// Product returns c = a·b: two linear maps that meet, folded into one.  a (m, k), b (k, n…) -> c (m, n…)
func Product(a, b *Node) *Node { return apply(product(a.Shape(), b.Shape()), a, b) }

func product(a, b Shape) def {
	mat := func(x []float32, s Shape) kernel.Mat { return kernel.Matrix(x, s[0], len(x)/s[0]) }
	c := append(Shape{a[0]}, b[1:]...)
	return def{
		name:   "product",
		want:   "a (m, k) and b (k, n…)",
		shape:  func([]Shape) (Shape, bool) { return c, a.Dims() == 2 && b.Dims() > 1 && a[1] == b[0] },
		unread: []int{output},
		fwd:    func(y []float32, in [][]float32) { kernel.Mul(mat(y, c), mat(in[0], a), mat(in[1], b)) },
		lower: func(l *Lowering, in []*graph.Node) *graph.Node {
			flat := graph.Reshape(in[1], b[0], b.TotalSize()/b[0])
			return graph.Reshape(l.product("mk,kn->mn", in[0], flat), c...)
		},
		bwd: func(d [][]float32, dy, _ []float32, in [][]float32) {
			kernel.Mul(mat(d[0], a), mat(dy, c), mat(in[1], b).T())
			kernel.Mul(mat(d[1], b), mat(in[0], a).T(), mat(dy, c))
		},
	}
}

// WithOne appends a column of ones to x, and columns of zeros up to a multiple of 16: [x 1 0]. An affine map of x is
// a linear map of that.
//
// x (batch, tokens, n) -> y (batch, tokens, wide)
func WithOne(x *Node) *Node { return apply(withOne(x.Shape()), x) }

func wideOf(n int) int { return (n + 1 + 15) / 16 * 16 }

func withOne(x Shape) def {
	n := x[len(x)-1]
	wide := wideOf(n)
	return def{
		name:   "with-one",
		want:   "x (…, n)",
		shape:  func([]Shape) (Shape, bool) { return append(x[:len(x)-1].Clone(), wide), true },
		unread: []int{0, output},
		fwd: func(y []float32, in [][]float32) {
			for i := range len(in[0]) / n {
				row := y[i*wide : (i+1)*wide]
				clear(row[copy(row, in[0][i*n:(i+1)*n]):])
				row[n] = 1
			}
		},
		lower: func(_ *Lowering, in []*graph.Node) *graph.Node {
			one := append(x[:len(x)-1].Clone(), 1)
			return besideZeros(in[0], graph.Ones(in[0].Graph(), shapes.Make(dtypes.Float32, one...)), wide)
		},
		bwd: func(d [][]float32, dy, _ []float32, _ [][]float32) {
			for i := range len(d[0]) / n {
				copy(d[0][i*n:(i+1)*n], dy[i*wide:])
			}
		},
	}
}

// besideZeros returns [x one 0], wide numbers along the last axis.
func besideZeros(x, one *graph.Node, wide int) *graph.Node {
	at := x.Rank() - 1
	dims := append([]int{}, x.Shape().Dimensions...)
	dims[at] = wide - dims[at] - 1
	parts := []*graph.Node{x, one}
	if dims[at] > 0 {
		parts = append(parts, graph.Zeros(x.Graph(), shapes.Make(dtypes.Float32, dims...)))
	}
	return graph.Concatenate(parts, at)
}

// FoldInput returns the map of [x 1 0] that the affine map x·Uᵀ + u, followed by a map W for each head, comes to:
//
//	y[o, h·wide + j] = Σ_d W[o, h·D + d]·[U u 0][d, j]
//
// W (out, heads·D), U (D, n), u (D) -> y (out, heads·wide), with wide as WithOne makes it.
func FoldInput(w, u, bias *Node) *Node { return apply(foldInput(w.Shape(), u.Shape()), w, u, bias) }

func foldInput(w, u Shape) def {
	d, n := u[0], u[len(u)-1]
	wide, out := wideOf(n), w[0]
	heads := w[len(w)-1] / d
	var both, dBoth []float32 // [U u 0] and its gradient
	join := func(in [][]float32) kernel.Mat {
		clear(both)
		for i := range d {
			copy(both[i*wide:], in[1][i*n:(i+1)*n])
			both[i*wide+n] = in[2][i]
		}
		return kernel.Matrix(both, d, wide)
	}
	rows := func(x []float32, n int) kernel.Mat { return kernel.Matrix(x, out*heads, n) } // one for each output and head
	return def{
		name: "fold-input",
		want: "W (out, heads·d), U (d, n) and u (d)",
		shape: func(s []Shape) (Shape, bool) {
			ok := w.Dims() == 2 && u.Dims() == 2 && w[1] == heads*d && s[2].Eq(Shape{d})
			return Shape{out, heads * wide}, ok
		},
		unread:    []int{output},
		rooms:     []room{{d * wide, &both}},
		backRooms: []room{{d * wide, &both}, {d * wide, &dBoth}},
		fwd:       func(y []float32, in [][]float32) { kernel.Mul(rows(y, wide), rows(in[0], d), join(in)) },
		lower: func(l *Lowering, in []*graph.Node) *graph.Node {
			both := besideZeros(in[1], graph.Reshape(in[2], d, 1), wide)
			y := l.product("ohd,dj->ohj", graph.Reshape(in[0], out, heads, d), both)
			return graph.Reshape(y, out, heads*wide)
		},
		bwd: func(dIn [][]float32, dy, _ []float32, in [][]float32) {
			kernel.Mul(rows(dIn[0], d), rows(dy, wide), join(in).T())
			kernel.Mul(kernel.Matrix(dBoth, d, wide), rows(in[0], d).T(), rows(dy, wide))
			for i := range d {
				copy(dIn[1][i*n:(i+1)*n], dBoth[i*wide:])
				dIn[2][i] = dBoth[i*wide+n]
			}
		},
	}
}
