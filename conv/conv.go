// Package conv holds convolution over images (channels last), the residual network that the paper compares with, and
// airbench's network, which learns small images fast.
//
// Stable: the equations, Conv, Norm, Block and ResNet with the names of their parameters, which are torchvision's;
// ConvNet with its own parameter names.
package conv

import (
	"github.com/attnconv/attnconv/nn"
	"github.com/attnconv/attnconv/nn/op"
)

// Conv is a convolution. Around the image there are zeros; with Replicate, the edge is repeated there; with Valid, only
// patches inside the image count.
//
//	y[i, j] = Σ_{u,v} W[·, ·, u, v]·x[s·i+d(u-p), s·j+d(v-p)] + b,  0 ≤ u, v < k,  p = ⌊(k-1)/2⌋
//
// Each pair (u, v) is a kernel tap. x (batch, rows, cols, in) -> y (batch, ⌈rows/s⌉, ⌈cols/s⌉, out). If Valid, p = 0
// and y has ⌊(rows-k)/s⌋ + 1 rows.
type Conv struct {
	W         *nn.Param // (out, in, k, k), or what Taps makes the kernel of
	Taps      Taps      // nil: W is the kernel
	B         *nn.Param // (out); nil: no bias
	Stride    int
	Dilation  int  // d, pixels from one tap to the next, without Valid; 0: 1
	Replicate bool // repeat the edge of the image; otherwise there are zeros
	Valid     bool // use only patches inside the image
}

// Taps computes the kernel (out, in, k, k) of a convolution from its weights.
type Taps interface {
	Kernel(g *nn.Graph, w *nn.Node) *nn.Node
}

// A Maker makes a k × k convolution without bias. A nil Maker calls New.
type Maker func(s nn.Scope, in, out, k, stride int) *Conv

func (m Maker) unit(conv, norm nn.Scope, in, out, stride int) *Unit {
	if m == nil {
		return &Unit{New(conv, in, out, 3, stride, false), NewNorm(norm, out)}
	}
	return &Unit{m(conv, in, out, 3, stride), NewNorm(norm, out)}
}

// New returns a k × k convolution with parameters from U(±1/√(in·k²)), like PyTorch's.
func New(s nn.Scope, in, out, k, stride int, bias bool) *Conv {
	s = s.AsPart()
	c := &Conv{W: s.Param("weight", nn.Uniform(in*k*k), out, in, k, k), Stride: stride}
	if bias {
		c.B = s.Param("bias", nn.Uniform(in*k*k), out)
	}
	return c
}

// Full returns the convolution with the kernel that Taps makes of its weights; c itself, if W is the kernel.
func (c *Conv) Full() (*Conv, error) {
	if c.Taps == nil {
		return c, nil
	}
	var kernel *nn.Node
	values, err := nn.Evaluate(func(g *nn.Graph) []*nn.Node {
		kernel = c.Taps.Kernel(g, g.Use(c.W))
		return []*nn.Node{kernel}
	})
	if err != nil {
		return nil, err
	}
	full := *c
	full.Taps, full.W = nil, &nn.Param{Name: c.W.Name, Shape: kernel.Shape(), Data: values[0]}
	return &full, nil
}

// Forward implements nn.Layer.
func (c *Conv) Forward(g *nn.Graph, x *nn.Node) *nn.Node {
	var bias *nn.Node
	if c.B != nil {
		bias = g.Use(c.B)
	}
	kernel := g.Use(c.W)
	if c.Taps != nil {
		kernel = c.Taps.Kernel(g, kernel)
	}
	return op.Conv(x, kernel, bias, op.ConvShape{Stride: c.Stride, Dilation: c.Dilation, Replicate: c.Replicate,
		Valid: c.Valid})
}
