package op

import "github.com/attnconv/attnconv/internal/gemm"

// ProductOp is c = a·b: two linear maps that meet, folded into one.  a (m, k), b (k, n…) -> c (m, n…)
type ProductOp struct{}

func (ProductOp) String() string { return "product" }

func (o ProductOp) Shape(in []Shape) (Shape, error) {
	a, b := in[0], in[1]
	var out Shape
	ok := a.Dims() == 2 && b.Dims() > 1 && a[1] == b[0]
	if ok {
		out = append(Shape{a[0]}, b[1:]...)
	}
	return fits(o, in, ok, out, "a (m, k) and b (k, n…)")
}

func (ProductOp) Cost(n *Node) Cost { return product(n.shape[0], n.in[0].shape[1], n.shape[1]) }

func (ProductOp) Kernel(in []Shape) Kernel {
	a, b := in[0], in[1]
	mat := func(x []float32, s Shape) gemm.Mat { return gemm.Matrix(x, s[0], len(x)/s[0]) }
	c := append(Shape{a[0]}, b[1:]...)
	return Kernel{
		NotSaved: []int{Output},
		Forward:  func(y []float32, in [][]float32) { gemm.Mul(mat(y, c), mat(in[0], a), mat(in[1], b)) },
		Backward: func(d [][]float32, dy, _ []float32, in [][]float32) {
			gemm.Mul(mat(d[0], a), mat(dy, c), mat(in[1], b).T())
			gemm.Mul(mat(d[1], b), mat(in[0], a).T(), mat(dy, c))
		},
	}
}

func wideOf(n int) int { return (n + 1 + 15) / 16 * 16 }

// WithOneOp appends a column of ones to x, and columns of zeros up to a multiple of 16: [x 1 0]. An affine map of x is
// a linear map of that.
//
// x (batch, tokens, n) -> y (batch, tokens, wide)
type WithOneOp struct{}

func (WithOneOp) String() string { return "with-one" }

func (o WithOneOp) Shape(in []Shape) (Shape, error) {
	x := in[0]
	var out Shape
	if d := x.Dims() - 1; d >= 0 {
		out = append(x[:d].Clone(), wideOf(x[d]))
	}
	return fits(o, in, out != nil, out, "x (…, n)")
}

func (WithOneOp) Cost(*Node) Cost { return Cost{} }

func (WithOneOp) Kernel(in []Shape) Kernel {
	n := in[0][in[0].Dims()-1]
	wide := wideOf(n)
	return Kernel{
		NotSaved: []int{0, Output},
		Forward: func(y []float32, in [][]float32) {
			for i := range len(in[0]) / n {
				row := y[i*wide : (i+1)*wide]
				clear(row[copy(row, in[0][i*n:(i+1)*n]):])
				row[n] = 1
			}
		},
		Backward: func(d [][]float32, dy, _ []float32, _ [][]float32) {
			for i := range len(d[0]) / n {
				copy(d[0][i*n:(i+1)*n], dy[i*wide:])
			}
		},
	}
}

// FoldInputOp is the map of [x 1 0] that the affine map x·Uᵀ + u, followed by a map W for each head, comes to:
//
//	y[o, h·wide + j] = Σ_d W[o, h·D + d]·[U u 0][d, j]
//
// W (out, heads·D), U (D, n), u (D) -> y (out, heads·wide), with wide as WithOneOp makes it.
type FoldInputOp struct{}

func (FoldInputOp) String() string { return "fold-input" }

func (o FoldInputOp) Shape(in []Shape) (Shape, error) {
	w, u := in[0], in[1]
	var out Shape
	ok := hasDims(in, 2, 2, 1) && u[0] > 0 && w[1]%u[0] == 0 && in[2].Eq(u[:1])
	if ok {
		out = Shape{w[0], w[1] / u[0] * wideOf(u[1])}
	}
	return fits(o, in, ok, out, "W (out, heads·d), U (d, n) and u (d)")
}

func (FoldInputOp) Cost(n *Node) Cost {
	w, u := n.in[0].shape, n.in[1].shape
	return product(w.TotalSize()/u[0], u[0], u[1]+1)
}

func (FoldInputOp) Kernel(in []Shape) Kernel {
	w, u := in[0], in[1]
	d, n := u[0], u[1]
	wide, out := wideOf(n), w[0]
	heads := w[1] / d
	var both, dBoth []float32 // [U u 0] and its gradient
	join := func(in [][]float32) gemm.Mat {
		clear(both)
		for i := range d {
			copy(both[i*wide:], in[1][i*n:(i+1)*n])
			both[i*wide+n] = in[2][i]
		}
		return gemm.Matrix(both, d, wide)
	}
	rows := func(x []float32, n int) gemm.Mat { return gemm.Matrix(x, out*heads, n) } // one for each output and head
	return Kernel{
		NotSaved:    []int{Output},
		Scratch:     []Scratch{{d * wide, &both}},
		BackScratch: []Scratch{{d * wide, &both}, {d * wide, &dBoth}},
		Forward:     func(y []float32, in [][]float32) { gemm.Mul(rows(y, wide), rows(in[0], d), join(in)) },
		Backward: func(dIn [][]float32, dy, _ []float32, in [][]float32) {
			gemm.Mul(rows(dIn[0], d), rows(dy, wide), join(in).T())
			gemm.Mul(gemm.Matrix(dBoth, d, wide), rows(in[0], d).T(), rows(dy, wide))
			for i := range d {
				copy(dIn[1][i*n:(i+1)*n], dBoth[i*wide:])
				dIn[2][i] = dBoth[i*wide+n]
			}
		},
	}
}
