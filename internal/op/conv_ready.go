package op

import (
	"fmt"

	"github.com/attnconv/attnconv/internal/kernel/convolution"
	"github.com/attnconv/attnconv/internal/kernel/vec"
)

// PrepareConv makes w ready for ReadyConv over images like x; each of its outputs is multiplied by its scale on the
// way, if norm is not nil. It has no gradient.
//
// x (batch, rows, cols, in), W (out, in, k, k), norm (2, out) of a FoldNormOp
func PrepareConv(x, w, norm *Node, over ConvShape) *Node {
	o := PrepareConvOp{ConvShape: over}
	copy(o.Images[:], x.shape)
	return Apply(o, NotNil(w, norm)...)
}

// PrepareConvOp is PrepareConv.
type PrepareConvOp struct {
	ConvShape
	Images [4]int // the extent of x
}

func (o PrepareConvOp) String() string {
	return fmt.Sprintf("prepare-conv{%v,batch=%d}", o.ConvShape, o.Images[0])
}

// In implements Multiplying.
func (o PrepareConvOp) In(p Precision) Op {
	o.Factors = p
	return o
}

func (o PrepareConvOp) Shape(in []Shape) (Shape, error) {
	c, ok := o.of(o.Images[:], in[0])
	var out Shape
	if ok {
		out = Shape{c.PreparedFloats()}
		ok = len(in) < 2 || in[1].Eq(Shape{2, c.Out})
	}
	return fits(o, in, ok, out, fmt.Sprintf("W (out, in, k, k) and norm (2, out) for x %v", o.Images))
}

func (PrepareConvOp) Cost(*Node) Cost { return Cost{} }

func (o PrepareConvOp) Kernel(in []Shape) Kernel {
	c, _ := o.of(o.Images[:], in[0])
	return Kernel{
		Forward: func(y []float32, in [][]float32) {
			var scale []float32
			if len(in) > 1 {
				scale = in[1][:c.Out]
			}
			c.Prepare(y, in[0], scale)
		},
	}
}

// ReadyConv is ConvOp by weights from PrepareConv, with all that may follow: y + shift, + add, and no less than zero if
// relu. shift and add may be nil. It has no gradient.
//
// ready of W (out, in, k, k), shift (out) or norm (2, out) of a FoldNormOp, add like y
func ReadyConv(x, ready, shift, add *Node, w Shape, over ConvShape, relu bool) *Node {
	o := ReadyConvOp{ConvShape: over, Shift: shift != nil, Add: add != nil, ReLU: relu}
	copy(o.W[:], w)
	return Apply(o, NotNil(x, ready, shift, add)...)
}

// ReadyConvOp is ReadyConv. Its inputs are images, weights, and as it says what is added to each channel and to each
// element.
type ReadyConvOp struct {
	ConvShape
	W                [4]int // its extent
	Shift, Add, ReLU bool
}

func (o ReadyConvOp) String() string {
	return fmt.Sprintf("conv{%v,shift=%t,add=%t,relu=%t}", o.ConvShape, o.Shift, o.Add, o.ReLU)
}

// In implements Multiplying.
func (o ReadyConvOp) In(p Precision) Op {
	o.Factors = p
	return o
}

func (o ReadyConvOp) Shape(in []Shape) (Shape, error) {
	c, ok := o.of(in[0], o.W[:])
	out := outOf(c, ok)
	if ok && o.Add {
		ok = in[len(in)-1].Eq(out)
	}
	return fits(o, in, ok, out, fmt.Sprintf("x (batch, rows, cols, in) for W %v, and what is added, like y", o.W))
}

func (o ReadyConvOp) Cost(n *Node) Cost { return o.cost(n.in[0].shape, o.W[:]) }

func (o ReadyConvOp) Kernel(in []Shape) Kernel {
	c, _ := o.of(in[0], o.W[:])
	return Kernel{
		Forward: func(y []float32, in [][]float32) {
			after, rest := convolution.Epilogue{ReLU: o.ReLU}, in[2:]
			if o.Shift {
				after.Shift, rest = rest[0][len(rest[0])-c.Out:], rest[1:]
			}
			if o.Add {
				after.Add = rest[0]
			}
			c.Forward(y, in[0], in[1], after)
		},
	}
}

// FoldNormOp is what a batch norm with running statistics does to each channel: y = scale·x + shift,
//
//	scale = γ/√(variance + 1e-5),  shift = β - mean·scale
//
// γ, β, mean, variance (d) -> (2, d), scales before shifts. It has no gradient.
type FoldNormOp struct{}

func (FoldNormOp) String() string { return "fold-norm" }

func (o FoldNormOp) Shape(in []Shape) (Shape, error) {
	ok := hasDims(in, 1, 1, 1, 1) && in[1].Eq(in[0]) && in[2].Eq(in[0]) && in[3].Eq(in[0])
	return fits(o, in, ok, append(Shape{2}, in[0]...), "gamma, beta, mean and variance (d)")
}

func (FoldNormOp) Cost(*Node) Cost { return Cost{} }

func (FoldNormOp) Kernel([]Shape) Kernel { return Kernel{Forward: foldNorm} }

func foldNorm(y []float32, in [][]float32) {
	d := len(in[0])
	scale, shift := y[:d], y[d:]
	vec.Rstd(scale, in[3], BatchNormEps)
	for i, gamma := range in[0] {
		scale[i] *= gamma
		shift[i] = in[1][i] - in[2][i]*scale[i]
	}
}
