package op

import (
	"fmt"

	"github.com/gomlx/gomlx/core/graph"

	"github.com/attnconv/attnconv/internal/kernel"
)

// A ConvShape is how a convolution goes over images.
type ConvShape struct {
	Stride    int
	Replicate bool // the edge of an image is repeated around it; else there are zeros
}

// String names s in an operation.
func (s ConvShape) String() string {
	if s.Replicate {
		return fmt.Sprintf("stride=%d,replicate", s.Stride)
	}
	return fmt.Sprintf("stride=%d", s.Stride)
}

// Conv returns the convolution of images with zeros or the edge around them, channels last, + b if b is not nil:
//
//	y[n, i, j, o] = Σ_{u,v,c} W[o, c, u, v]·x[n, s·i+u-p, s·j+v-p, c] + b[o],  0 ≤ u, v < k,  p = ⌊(k-1)/2⌋
//
// x (batch, rows, cols, in), W (out, in, k, k), b (out) -> y (batch, ⌈rows/s⌉, ⌈cols/s⌉, out)
func Conv(x, w, b *Node, over ConvShape) *Node {
	in := []*Node{x, w}
	if b != nil {
		in = append(in, b)
	}
	return apply(conv(x.Shape(), w.Shape(), over), in...)
}

// convOf is the kernel's convolution of x by w, if they fit.
func convOf(x, w Shape, over ConvShape) (c kernel.Conv, ok bool) {
	if x.Dims() != 4 || w.Dims() != 4 || w[2] != w[3] || w[1] != x[3] {
		return c, false
	}
	return kernel.Conv{Batch: x[0], Rows: x[1], Cols: x[2], In: x[3], Out: w[0], Size: w[2], Stride: over.Stride,
		Replicate: over.Replicate}, true
}

func conv(x, w Shape, over ConvShape) def {
	c, ok := convOf(x, w, over)
	var ready, forGrad []float32
	d := def{
		name: fmt.Sprintf("conv{%v}", over),
		want: "x (batch, rows, cols, in), W (out, in, k, k) and b (out)",
		shape: func(in []Shape) (Shape, bool) {
			ok := ok && (len(in) < 3 || in[2].Eq(Shape{c.Out}))
			return Shape{c.Batch, c.OutRows(), c.OutCols(), c.Out}, ok
		},
		unread: []int{2, output},
		fwd: func(y []float32, in [][]float32) {
			c.Prepare(ready, in[1], nil)
			after := kernel.ConvAfter{}
			if len(in) > 2 {
				after.Shift = in[2]
			}
			c.Forward(y, in[0], ready, after)
		},
		lower: func(l *Lowering, in []*graph.Node) *graph.Node { return plus(l.conv(in[0], in[1], c), in[2:]) },
		bwd: func(d [][]float32, dy, _ []float32, in [][]float32) {
			c.Grad(d[0], d[1], dy, in[0], in[1], forGrad)
			if len(d) > 2 {
				kernel.SumRows(d[2], dy)
			}
		},
	}
	if ok {
		d.rooms, d.backRooms = []room{{c.PreparedFloats(), &ready}}, []room{{c.GradFloats(), &forGrad}}
	}
	return d
}

// PrepareConv makes w ready for ReadyConv over images like x; each of its outputs is multiplied by its scale on the
// way, if norm is not nil. It has no gradient.
//
// x (batch, rows, cols, in), W (out, in, k, k), norm (2, out) from FoldNorm
func PrepareConv(x, w, norm *Node, over ConvShape) *Node {
	in := []*Node{w}
	if norm != nil {
		in = append(in, norm)
	}
	return apply(prepareConv(x.Shape(), w.Shape(), over), in...)
}

func prepareConv(x, w Shape, over ConvShape) def {
	c, ok := convOf(x, w, over)
	return def{
		name:  fmt.Sprintf("prepare-conv{%v,batch=%d}", over, c.Batch),
		want:  fmt.Sprintf("W (out, in, k, k) for x %v", x),
		shape: func([]Shape) (Shape, bool) { return Shape{c.PreparedFloats()}, ok },
		fwd: func(y []float32, in [][]float32) {
			var scale []float32
			if len(in) > 1 {
				scale = in[1][:c.Out]
			}
			c.Prepare(y, in[0], scale)
		},
		lower: func(_ *Lowering, in []*graph.Node) *graph.Node { // W as it is: a backend packs it itself
			if len(in) < 2 {
				return in[0]
			}
			scale := graph.Slice(in[1], graph.AxisElem(0))
			return graph.Mul(in[0], graph.BroadcastToShape(graph.Reshape(scale, c.Out, 1, 1, 1), in[0].Shape()))
		},
	}
}

// ReadyConv is Conv by weights from PrepareConv, with all that may follow: y + shift, + add, and no less than zero if
// relu. shift and add may be nil. It has no gradient.
//
// ready of W (out, in, k, k), shift (out) or norm (2, out) from FoldNorm, add like y
func ReadyConv(x, ready, shift, add *Node, w []int, over ConvShape, relu bool) *Node {
	in := []*Node{x, ready}
	for _, n := range []*Node{shift, add} {
		if n != nil {
			in = append(in, n)
		}
	}
	return apply(readyConv(x.Shape(), w, over, shift != nil, add != nil, relu), in...)
}

func readyConv(x, w Shape, over ConvShape, shift, add, relu bool) def {
	c, ok := convOf(x, w, over)
	return def{
		name:  fmt.Sprintf("conv{%v,shift=%t,add=%t,relu=%t}", over, shift, add, relu),
		want:  fmt.Sprintf("x (batch, rows, cols, in) for W %v", w),
		shape: func([]Shape) (Shape, bool) { return Shape{c.Batch, c.OutRows(), c.OutCols(), c.Out}, ok },
		fwd: func(y []float32, in [][]float32) {
			after, rest := kernel.ConvAfter{ReLU: relu}, in[2:]
			if shift {
				after.Shift, rest = rest[0][len(rest[0])-c.Out:], rest[1:]
			}
			if add {
				after.Add = rest[0]
			}
			c.Forward(y, in[0], in[1], after)
		},
		lower: func(l *Lowering, in []*graph.Node) *graph.Node {
			y, rest := l.conv(in[0], in[1], c), in[2:]
			if shift {
				rows := graph.Reshape(rest[0], rest[0].Shape().Size()/c.Out, c.Out)
				y, rest = plus(y, []*graph.Node{graph.Slice(rows, graph.AxisElem(-1))}), rest[1:]
			}
			return added(y, rest, relu)
		},
	}
}

// conv is the convolution c of x by W in a graph of GoMLX's, whose gradient (v0.28.2) is wrong for an even size: such a
// W gets zeros in front.
func (l *Lowering) conv(x, w *graph.Node, c kernel.Conv) *graph.Node {
	size := c.Size
	if size%2 == 0 {
		size++
		w = graph.GrowLeft(graph.GrowLeft(w, 2, 1, 0), 3, 1, 0)
	}
	before := (size - 1) / 2
	pad := func(n, out int) [2]int { return [2]int{before, max(0, (out-1)*c.Stride+size-before-n)} }
	rows, cols := pad(c.Rows, c.OutRows()), pad(c.Cols, c.OutCols())
	if c.Replicate {
		x = repeatEdge(repeatEdge(x, 1, rows), 2, cols)
		rows, cols = [2]int{}, [2]int{}
	}
	return l.rounded(func(x, w *graph.Node) *graph.Node {
		return graph.Convolve(x, w).AxesConfig(graph.ConvolveAxesConfig{
			InputSpatial: []int{1, 2}, InputChannels: 3,
			KernelInputChannels: 1, KernelSpatial: []int{2, 3},
			OutputSpatial: []int{1, 2}, OutputChannels: 3,
		}).Strides(c.Stride).PaddingPerDim([][2]int{rows, cols}).Done()
	}, x, w)
}

// repeatEdge puts the first and the last element along an axis of x so many times more before it and behind.
func repeatEdge(x *graph.Node, axis int, times [2]int) *graph.Node {
	n := x.Shape().Dimensions[axis]
	at := func(i int) *graph.Node { return graph.SliceAxis(x, axis, graph.AxisRange(i, i+1)) }
	var parts []*graph.Node
	for range times[0] {
		parts = append(parts, at(0))
	}
	parts = append(parts, x)
	for range times[1] {
		parts = append(parts, at(n-1))
	}
	if len(parts) == 1 {
		return x
	}
	return graph.Concatenate(parts, axis)
}
