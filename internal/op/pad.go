package op

import (
	"cmp"
	"fmt"
)

// PadOp is y[b, i, j, c] = x[b, i, j, c - p] inside x, else 0: zeros below images and to their right, and in as many
// new channels before those of x as behind them, p = (Channels - channels of x)/2. 0 channels are those of x.
type PadOp struct{ Rows, Cols, Channels int }

func (o PadOp) String() string {
	if o.Channels > 0 {
		return fmt.Sprintf("pad{%d,%d,%d}", o.Rows, o.Cols, o.Channels)
	}
	return fmt.Sprintf("pad{%d,%d}", o.Rows, o.Cols)
}

func (o PadOp) Shape(in []Shape) (Shape, error) {
	x := in[0]
	var out Shape
	ok := x.Dims() == 4 && x[1] <= o.Rows && x[2] <= o.Cols && (o.Channels == 0 || x[3] <= o.Channels)
	if ok {
		out = Shape{x[0], o.Rows, o.Cols, cmp.Or(o.Channels, x[3])}
	}
	want := fmt.Sprintf("x (batch, rows, cols, channels) of at most %d rows and %d columns", o.Rows, o.Cols)
	if o.Channels > 0 {
		want += fmt.Sprintf(" and %d channels", o.Channels)
	}
	return fits(o, in, ok, out, want)
}

func (PadOp) Cost(*Node) Cost { return Cost{} }

func (o PadOp) Kernel(in []Shape) Kernel {
	x := in[0]
	channels := cmp.Or(o.Channels, x[3])
	row, wide := x[2]*x[3], o.Cols*channels // values of a row of x and of y
	run := row                              // of them that are neighbors in y also
	if channels > x[3] {
		run = x[3]
	}
	each := func(do func(i, j int)) {
		for b := range x[0] {
			for r := range x[1] {
				for i := 0; i < row; i += run {
					do((b*x[1]+r)*row+i, (b*o.Rows+r)*wide+i/x[3]*channels+(channels-x[3])/2)
				}
			}
		}
	}
	return Kernel{
		NotSaved: []int{0, Output},
		Forward: func(y []float32, in [][]float32) {
			clear(y)
			each(func(i, j int) { copy(y[j:], in[0][i:i+run]) })
		},
		Backward: func(d [][]float32, dy, _ []float32, _ [][]float32) {
			each(func(i, j int) { copy(d[0][i:i+run], dy[j:]) })
		},
	}
}
