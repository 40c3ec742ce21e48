package op

import "fmt"

// PadOp is y[b, i, j, c] = x[b, i, j, c] inside x, else 0: zeros below images and to their right.
type PadOp struct{ Rows, Cols int }

func (o PadOp) String() string { return fmt.Sprintf("pad{%d,%d}", o.Rows, o.Cols) }

func (o PadOp) Shape(in []Shape) (Shape, error) {
	x := in[0]
	var out Shape
	ok := x.Dims() == 4 && x[1] <= o.Rows && x[2] <= o.Cols
	if ok {
		out = Shape{x[0], o.Rows, o.Cols, x[3]}
	}
	return fits(o, in, ok, out, fmt.Sprintf("x (batch, rows, cols, channels) of at most %d rows and %d columns", o.Rows,
		o.Cols))
}

func (PadOp) Cost(*Node) Cost { return Cost{} }

func (o PadOp) Kernel(in []Shape) Kernel {
	x := in[0]
	row, wide := x[2]*x[3], o.Cols*x[3] // values of a row of x and of y
	each := func(do func(i, j int)) {
		for b := range x[0] {
			for r := range x[1] {
				do((b*x[1]+r)*row, (b*o.Rows+r)*wide)
			}
		}
	}
	return Kernel{
		NotSaved: []int{0, Output},
		Forward: func(y []float32, in [][]float32) {
			clear(y)
			each(func(i, j int) { copy(y[j:], in[0][i:i+row]) })
		},
		Backward: func(d [][]float32, dy, _ []float32, _ [][]float32) {
			each(func(i, j int) { copy(d[0][i:i+row], dy[j:]) })
		},
	}
}
