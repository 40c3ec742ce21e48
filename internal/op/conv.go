package op

import (
	"fmt"

	"github.com/attnconv/attnconv/internal/kernel/convolution"
	"github.com/attnconv/attnconv/internal/kernel/vec"
)

// A ConvShape is how a convolution goes over images.
type ConvShape struct {
	Stride    int
	Dilation  int  // pixels from one tap to the next; 0: 1
	Replicate bool // the edge of an image is repeated around it; else there are zeros
	Valid     bool // patches only inside the image: there is nothing around it
	Factors   Precision
}

// String names s in an operation.
func (s ConvShape) String() string {
	around := ""
	switch {
	case s.Valid:
		around = ",valid"
	case s.Replicate:
		around = ",replicate"
	}
	if s.Dilation > 1 {
		around = fmt.Sprintf(",dilation=%d", s.Dilation) + around
	}
	return fmt.Sprintf("stride=%d%s%v", s.Stride, around, s.Factors)
}

// ConvOp is the convolution of images with zeros or the edge around them, channels last, + b if there is one:
//
//	y[n, i, j, o] = Σ_{u,v,c} W[o, c, u, v]·x[n, s·i+d(u-p), s·j+d(v-p), c] + b[o],  0 ≤ u, v < k,  p = ⌊(k-1)/2⌋
//
// with the dilation d. Of a valid one, p = 0 and y (batch, ⌊(rows-k)/s⌋+1, ⌊(cols-k)/s⌋+1, out).
type ConvOp struct{ ConvShape }

func (o ConvOp) String() string { return fmt.Sprintf("conv{%v}", o.ConvShape) }

// In implements Multiplying.
func (o ConvOp) In(p Precision) Op {
	o.Factors = p
	return o
}

func (o ConvOp) Shape(in []Shape) (Shape, error) {
	c, ok := o.of(in[0], in[1])
	ok = ok && (len(in) < 3 || in[2].Eq(Shape{c.Out}))
	return fits(o, in, ok, outOf(c, ok), "x (batch, rows, cols, in), W (out, in, k, k) and b (out)")
}

// of is the kernel's convolution of x by w, if they fit.
func (s ConvShape) of(x, w Shape) (c convolution.Shape, ok bool) {
	if x.Dims() != 4 || w.Dims() != 4 || w[2] != w[3] || w[1] != x[3] || s.Stride < 1 || s.Valid &&
		(s.Replicate || s.Dilation > 1 || min(x[1], x[2]) < w[2]) {
		return c, false
	}
	return convolution.Shape{Batch: x[0], Rows: x[1], Cols: x[2], In: x[3], Out: w[0], Size: w[2], Stride: s.Stride,
		Dilation: s.Dilation, Replicate: s.Replicate, Valid: s.Valid, BF16: s.Factors == BFloat16}, true
}

func outOf(c convolution.Shape, ok bool) Shape {
	if !ok {
		return nil
	}
	return Shape{c.Batch, c.OutRows(), c.OutCols(), c.Out}
}

func (o ConvOp) Cost(n *Node) Cost { return o.cost(n.in[0].shape, n.in[1].shape) }

// cost is that of a convolution of x by w: by definition each pixel times its taps, and as it runs, Winograd's fewer.
func (s ConvShape) cost(x, w Shape) Cost {
	c, _ := s.of(x, w)
	cost := mapped(c.Batch*c.OutRows()*c.OutCols(), c.Size*c.Size*c.In, c.Out)
	cost.Run, cost.Field = c.Products(), Field{Size: (c.Size-1)*max(1, s.Dilation) + 1, Step: c.Stride}
	return cost
}

func (o ConvOp) Kernel(in []Shape) Kernel {
	c, _ := o.of(in[0], in[1])
	var ready, forGrad []float32
	return Kernel{
		Skips:       []int{0},
		NotSaved:    []int{2, Output},
		Scratch:     []Scratch{{c.PreparedFloats(), &ready}},
		BackScratch: []Scratch{{c.GradFloats(), &forGrad}},
		Forward: func(y []float32, in [][]float32) {
			c.Prepare(ready, in[1], nil)
			after := convolution.Epilogue{}
			if len(in) > 2 {
				after.Shift = in[2]
			}
			c.Forward(y, in[0], ready, after)
		},
		Backward: func(d [][]float32, dy, _ []float32, in [][]float32) {
			c.Grad(d[0], d[1], dy, in[0], in[1], forGrad)
			if len(d) > 2 {
				vec.SumRows(d[2], dy)
			}
		},
	}
}
