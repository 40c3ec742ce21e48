// Package conv is convolution over images, channels last, the residual network that the paper compares with, and a plain network
// that learns fast.
//
// Stable: the equations, Conv, Norm, Block and ResNet with the names of their parameters, which are torchvision's; ConvNet with
// those of its own.
package conv

import (
	"github.com/attnconv/attnconv/nn"
	"github.com/attnconv/attnconv/op"
)

// Conv is a convolution with zeros around the image, or with its edge repeated there, or of patches inside it alone:
//
//	y[i, j] = Σ_{u,v} W[·, ·, u, v]·x[s·i+u-p, s·j+v-p] + b,  0 ≤ u, v < k,  p = ⌊(k-1)/2⌋
//
// x (batch, rows, cols, in) -> y (batch, ⌈rows/s⌉, ⌈cols/s⌉, out); of a valid one, p = 0 and y has ⌊(rows-k)/s⌋ + 1 rows.
type Conv struct {
	W         *nn.Param // (out, in, k, k)
	B         *nn.Param // (out); nil: no bias
	Stride    int
	Replicate bool // the edge is repeated; else there are zeros
	Valid     bool // patches inside the image alone
}

// New returns a k × k convolution with parameters from U(±1/√(in·k²)), as PyTorch's.
func New(s nn.Scope, in, out, k, stride int, bias bool) *Conv {
	s = s.AsPart()
	c := &Conv{W: s.Param("weight", nn.Uniform(in*k*k), out, in, k, k), Stride: stride}
	if bias {
		c.B = s.Param("bias", nn.Uniform(in*k*k), out)
	}
	return c
}

// Forward adds the layer to g.
func (c *Conv) Forward(g *nn.Graph, x *nn.Node) *nn.Node {
	var bias *nn.Node
	if c.B != nil {
		bias = g.Use(c.B)
	}
	return op.Conv(x, g.Use(c.W), bias, op.ConvShape{Stride: c.Stride, Replicate: c.Replicate, Valid: c.Valid})
}
