package op

import "github.com/attnconv/attnconv/internal/kernel/depthwise"

// DepthConvOp is the convolution of each channel by a filter of its own, + b if there is one:
//
//	y[n, i, j, c] = Σ_{u,v} W[c, 0, u, v]·x[n, i+u-p, j+v-p, c] + b[c],  0 ≤ u, v < k,  p = ⌊(k-1)/2⌋
//
// Around images there are zeros, or their edge again.
type DepthConvOp struct{ Replicate bool }

func (o DepthConvOp) String() string {
	if o.Replicate {
		return "depth-conv{replicate}"
	}
	return "depth-conv"
}

func (o DepthConvOp) Shape(in []Shape) (Shape, error) {
	x, w := in[0], in[1]
	ok := hasDims(in[:2], 4, 4) && w[2] == w[3] && w[:2].Eq(Shape{x[3], 1}) &&
		(len(in) < 3 || in[2].Eq(Shape{x[3]}))
	return fits(o, in, ok, x, "x (batch, rows, cols, channels), W (channels, 1, k, k) and b (channels)")
}

// of is the kernel's convolution.
func (o DepthConvOp) of(x, w Shape) depthwise.Shape {
	return depthwise.Shape{Batch: x[0], Rows: x[1], Cols: x[2], Channels: x[3], Size: w[2], Replicate: o.Replicate}
}

func (DepthConvOp) Cost(n *Node) Cost {
	x, w := n.in[0].shape, n.in[1].shape
	taps := w[2] * w[3]
	cost := mapped(x.TotalSize(), taps, 1)
	cost.Largest, cost.Field = [3]int{}, Field{Size: w[2], Step: 1}
	return cost
}

func (o DepthConvOp) Kernel(in []Shape) Kernel {
	c := o.of(in[0], in[1])
	var forward, backward []float32
	return Kernel{
		Skips:       []int{0},
		NotSaved:    []int{2, Output},
		Scratch:     []Scratch{{c.ForwardFloats(), &forward}},
		BackScratch: []Scratch{{c.GradFloats(), &backward}},
		Forward: func(y []float32, in [][]float32) {
			var b []float32
			if len(in) > 2 {
				b = in[2]
			}
			c.Forward(y, in[0], in[1], b, forward)
		},
		Backward: func(d [][]float32, dy, _ []float32, in [][]float32) {
			var db []float32
			if len(d) > 2 {
				db = d[2]
			}
			c.Grad(d[0], d[1], db, dy, in[0], in[1], backward)
		},
	}
}
