package op

import (
	"fmt"

	"github.com/attnconv/attnconv/internal/kernel/vec"
)

// MaxPoolOp is the largest of each rows × cols pixels, channel by channel. It leaves out pixels that fill no window:
//
//	y[b, i, j, c] = max x[b, rows·i+u, cols·j+v, c],  0 ≤ u < rows, 0 ≤ v < cols
//
// backward, the gradient goes to the pixel that was the largest, of equal ones to the first.
type MaxPoolOp struct{ Rows, Cols int }

func (o MaxPoolOp) String() string { return fmt.Sprintf("max-pool{%d×%d}", o.Rows, o.Cols) }

func (o MaxPoolOp) Shape(in []Shape) (Shape, error) {
	x := in[0]
	var out Shape
	ok := x.Dims() == 4 && o.Rows > 0 && o.Cols > 0 && x[1] >= o.Rows && x[2] >= o.Cols
	if ok {
		out = Shape{x[0], x[1] / o.Rows, x[2] / o.Cols, x[3]}
	}
	return fits(o, in, ok, out, fmt.Sprintf("x (batch, rows, cols, channels) with %d rows and %d cols or more", o.Rows,
		o.Cols))
}

func (o MaxPoolOp) Cost(*Node) Cost {
	size := max(o.Rows, o.Cols)
	return Cost{Field: Field{Size: size, Step: size}}
}

func (o MaxPoolOp) Kernel(in []Shape) Kernel {
	windows := vec.Windows{Rows: in[0][1], Cols: in[0][2], Channels: in[0][3], High: o.Rows, Wide: o.Cols}
	var at []float32 // which pixel of its window each element of y is: four times as few as x has, which need not stay
	return Kernel{
		NotSaved: []int{0, Output},
		Forward: func(y []float32, in [][]float32) {
			if len(at) != len(y) {
				at = make([]float32, len(y))
			}
			windows.Max(y, at, in[0])
		},
		Backward: func(dx [][]float32, dy, _ []float32, _ [][]float32) { windows.MaxGrad(dx[0], dy, at) },
	}
}

// MaxPoolAroundOp is the largest of Size × Size pixels, Size odd, around every Step-th pixel, channel by channel.
// Pixels outside of the image do not count:
//
//	y[b, i, j, c] = max x[b, Step·i+u-p, Step·j+v-p, c],  0 ≤ u, v < Size,  p = (Size-1)/2
//
// backward, each gradient is added to that of the pixel that was the largest, of equal ones the first.
type MaxPoolAroundOp struct{ Size, Step int }

func (o MaxPoolAroundOp) String() string {
	return fmt.Sprintf("max-pool-around{%d,%d}", o.Size, o.Step)
}

func (o MaxPoolAroundOp) Shape(in []Shape) (Shape, error) {
	x := in[0]
	var out Shape
	ok := x.Dims() == 4 && o.Size > 0 && o.Size%2 == 1 && o.Step > 0
	if ok {
		out = Shape{x[0], (x[1] + o.Step - 1) / o.Step, (x[2] + o.Step - 1) / o.Step, x[3]}
	}
	return fits(o, in, ok, out, "x (batch, rows, cols, channels), and an odd size")
}

func (o MaxPoolAroundOp) Cost(*Node) Cost { return Cost{Field: Field{Size: o.Size, Step: o.Step}} }

func (o MaxPoolAroundOp) Kernel(in []Shape) Kernel {
	windows := vec.Around{Rows: in[0][1], Cols: in[0][2], Channels: in[0][3], Size: o.Size, Step: o.Step}
	var at []float32 // which pixel of its window each element of y is
	return Kernel{
		NotSaved: []int{0, Output},
		Forward: func(y []float32, in [][]float32) {
			if len(at) != len(y) {
				at = make([]float32, len(y))
			}
			windows.Max(y, at, in[0])
		},
		Backward: func(dx [][]float32, dy, _ []float32, _ [][]float32) { windows.MaxGrad(dx[0], dy, at) },
	}
}
