package op

import (
	"fmt"

	"github.com/attnconv/attnconv/internal/kernel/vec"
)

// SpaceToDepthOp makes one token of each s × s square of pixels, s being Size:
//
//	y[b, I·(cols/s)+J, (dh·s+dw)·ch + c] = x[b, s·I+dh, s·J+dw, c],  0 ≤ dh, dw < s
type SpaceToDepthOp struct{ Size int }

func (o SpaceToDepthOp) String() string { return fmt.Sprintf("space-to-depth{%d}", o.Size) }

func (o SpaceToDepthOp) Shape(in []Shape) (Shape, error) {
	x, s := in[0], o.Size
	var out Shape
	ok := x.Dims() == 4 && s > 0 && x[1]%s == 0 && x[2]%s == 0
	if ok {
		out = Shape{x[0], x[1] / s * (x[2] / s), s * s * x[3]}
	}
	return fits(o, in, ok, out, fmt.Sprintf("x (batch, rows, cols, channels) with rows and cols divisible by %d", s))
}

func (o SpaceToDepthOp) Cost(*Node) Cost { return Cost{Field: Field{Size: o.Size, Step: o.Size}} }

func (o SpaceToDepthOp) Kernel(in []Shape) Kernel {
	x, s := in[0], o.Size
	return Kernel{
		NotSaved: []int{0, Output},
		Forward:  func(y []float32, in [][]float32) { vec.SpaceToDepth(y, in[0], x[1], x[2], x[3], s) },
		Backward: func(d [][]float32, dy, _ []float32, _ [][]float32) {
			vec.DepthToSpace(d[0], dy, x[1], x[2], x[3], s)
		},
	}
}

// AsGridOp gives tokens their rows and columns back.
type AsGridOp struct{ Rows, Cols int }

func (AsGridOp) String() string { return "as-grid" }

func (o AsGridOp) Shape(in []Shape) (Shape, error) {
	x := in[0]
	var out Shape
	ok := x.Dims() == 3 && x[1] == o.Rows*o.Cols
	if ok {
		out = Shape{x[0], o.Rows, o.Cols, x[2]}
	}
	return fits(o, in, ok, out, fmt.Sprintf("x (batch, %d, d)", o.Rows*o.Cols))
}

func (AsGridOp) Cost(*Node) Cost { return Cost{} }

func (AsGridOp) Kernel([]Shape) Kernel { return reshaped }

// reshaped is the kernel of a result that differs only in its shape.
var reshaped = Kernel{
	NotSaved: []int{0, Output},
	Forward:  func(y []float32, in [][]float32) { copy(y, in[0]) },
	Backward: func(d [][]float32, dy, _ []float32, _ [][]float32) { copy(d[0], dy) },
}

// ReshapeOp gives the elements of x, in their order, other extents.
type ReshapeOp struct {
	Dims int
	To   [6]int // the first Dims are the extents
}

func (o ReshapeOp) String() string { return fmt.Sprintf("reshape%v", o.To[:min(o.Dims, len(o.To))]) }

func (o ReshapeOp) Shape(in []Shape) (Shape, error) {
	var out Shape
	ok := o.Dims <= len(o.To)
	if ok {
		out = Shape(o.To[:o.Dims]).Clone()
		ok = out.TotalSize() == in[0].TotalSize()
	}
	return fits(o, in, ok, out, fmt.Sprintf("as many elements as %v has, and at most %d extents", out, len(o.To)))
}

func (ReshapeOp) Cost(*Node) Cost { return Cost{} }

func (ReshapeOp) Kernel([]Shape) Kernel { return reshaped }

// AsTokensOp lists tokens row by row.
type AsTokensOp struct{}

func (AsTokensOp) String() string { return "as-tokens" }

func (o AsTokensOp) Shape(in []Shape) (Shape, error) {
	x := in[0]
	var out Shape
	if x.Dims() == 4 {
		out = Shape{x[0], x[1] * x[2], x[3]}
	}
	return fits(o, in, out != nil, out, "x (batch, rows, cols, d)")
}

func (AsTokensOp) Cost(*Node) Cost { return Cost{} }

func (AsTokensOp) Kernel([]Shape) Kernel { return reshaped }

// MeanTokensOp is y[b] = (1/T)·Σ_t x[b,t], the mean of the tokens or pixels of each image.
type MeanTokensOp struct{}

func (MeanTokensOp) String() string { return "mean-tokens" }

func (o MeanTokensOp) Shape(in []Shape) (Shape, error) {
	x := in[0]
	var out Shape
	if x.Dims() > 2 {
		out = Shape{x[0], x[len(x)-1]}
	}
	return fits(o, in, out != nil, out, "x (batch, …, d)")
}

func (MeanTokensOp) Cost(*Node) Cost { return Cost{Field: Field{Whole: true}} }

func (MeanTokensOp) Kernel(in []Shape) Kernel {
	x := in[0]
	d := x[len(x)-1]
	tokens := x.TotalSize() / max(1, x[0]*d)
	return Kernel{
		NotSaved: []int{0, Output},
		Forward:  func(y []float32, in [][]float32) { vec.MeanTokens(y, in[0], tokens, d) },
		Backward: func(dx [][]float32, dy, _ []float32, _ [][]float32) { vec.MeanTokensGrad(dx[0], dy, tokens, d) },
	}
}
