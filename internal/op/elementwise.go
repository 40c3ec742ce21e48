package op

import (
	"math"

	"github.com/attnconv/attnconv/internal/kernel/threads"
)

// A Func is a function of one number.
type Func string

// The functions of a MapOp. They are computed in float64 and rounded.
const (
	Exp  Func = "exp"
	Log  Func = "log"
	Sqrt Func = "sqrt"
)

// MapOp is f(x), element by element; backward, with y = f(x),
//
//	exp: dx = dy·y,  log: dx = dy/x,  sqrt: dx = dy/(2y)
type MapOp struct{ Func Func }

func (o MapOp) String() string { return string(o.Func) }

func (MapOp) Shape(in []Shape) (Shape, error) { return in[0], nil }

func (MapOp) Cost(*Node) Cost { return Cost{} }

// mapBlock is the number of elements of a task.
const mapBlock = 1 << 12

func (o MapOp) Kernel([]Shape) Kernel {
	each := func(y, a, b []float32, f func(a, b float32) float32) {
		threads.Blocks(len(y), mapBlock, func(lo, hi int) {
			for i := lo; i < hi; i++ {
				y[i] = f(a[i], b[i])
			}
		})
	}
	k := func(f func(x float64) float64, unread int, slope func(dy, at float32) float32) Kernel {
		return Kernel{
			NotSaved: []int{unread},
			InPlace:  true,
			Forward: func(y []float32, in [][]float32) {
				each(y, in[0], in[0], func(x, _ float32) float32 { return float32(f(float64(x))) })
			},
			Backward: func(d [][]float32, dy, y []float32, in [][]float32) {
				if unread == Output {
					y = in[0]
				}
				each(d[0], dy, y, slope)
			},
		}
	}
	switch o.Func {
	case Exp:
		return k(math.Exp, 0, func(dy, y float32) float32 { return dy * y })
	case Log:
		return k(math.Log, Output, func(dy, x float32) float32 { return dy / x })
	}
	return k(math.Sqrt, 0, func(dy, y float32) float32 { return dy / (2 * y) })
}

// SumOp adds x up along an axis, in float64.
type SumOp struct{ Axis int }

func (SumOp) String() string { return "sum" }

func (o SumOp) Shape(in []Shape) (Shape, error) {
	var out Shape
	ok := in[0].Dims() > 1 && o.Axis >= 0 && o.Axis < in[0].Dims()
	if ok {
		out = append(in[0][:o.Axis].Clone(), in[0][o.Axis+1:]...)
	}
	return fits(o, in, ok, out, "x of two or more axes, of which one is summed")
}

// Cost says that a sum along another axis than the last is of several positions.
func (o SumOp) Cost(n *Node) Cost {
	return Cost{Field: Field{Whole: o.Axis < n.in[0].shape.Dims()-1}}
}

func (o SumOp) Kernel(in []Shape) Kernel {
	n, inner := in[0][o.Axis], in[0][o.Axis+1:].TotalSize()
	return Kernel{
		NotSaved: []int{0, Output},
		Forward: func(y []float32, in [][]float32) {
			for i := range y {
				sum, first := 0.0, i/inner*n*inner+i%inner
				for j := range n {
					sum += float64(in[0][first+j*inner])
				}
				y[i] = float32(sum)
			}
		},
		Backward: func(d [][]float32, dy, _ []float32, _ [][]float32) {
			for i := range d[0] {
				d[0][i] = dy[i/(n*inner)*inner+i%inner]
			}
		},
	}
}
