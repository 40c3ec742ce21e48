package conv

import (
	"strconv"

	"github.com/attnconv/attnconv/nn"
	"github.com/attnconv/attnconv/nn/op"
)

// A ConvNet is the network of airbench94 (Jordan 2024, arXiv:2404.00498, section 3.1), made to learn small images fast.
// It has a 2 × 2 convolution with a bias and three blocks. Then it takes the largest value of each channel over the
// remaining pixels, and applies a linear map.
//
//	x ← gelu(Stem(x)),   x ← Layers₃(Layers₂(Layers₁(x))),   logits = 1/9·W·max x
//
// The stem has twice as many channels as a patch has values. It puts no zeros around the image: 32 pixels become 31,
// 15, 7 and 3.
//
// x (batch, rows, cols, channels), of 2 × 2 pixels or more -> logits (batch, classes)
type ConvNet struct {
	Stem   *Conv // (8·channels, channels, 2, 2)
	Layers [3]*PoolBlock
	Head   *nn.Param // (classes, 4·width)
}

// A PoolBlock is a block of a ConvNet. It halves the image, rounded down:
//
//	y = gelu(Norm₂(Conv₂(gelu(Norm₁(maxpool(Conv₁(x)))))))
//
// Its norms have scale 1, which training does not change, and running statistics that move by 0.4. Sides of one pixel
// are not pooled.
//
// x (batch, rows, cols, in) -> y (batch, ⌊rows/2⌋, ⌊cols/2⌋, out)
type PoolBlock struct {
	First, Second *Unit
}

const (
	logitScale = 1. / 9 // of a ConvNet
	fastRate   = 0.4    // of its running statistics: 1 - 0.6, in the paper's terms
)

// ConvNetOptions holds the sizes of a ConvNet.
type ConvNetOptions struct {
	Channels int // of the image
	Width    int // of the first block; the others have four times as many channels
	Classes  int
	Make     Maker // of the convolutions of blocks
}

// NewConvNet returns a network whose initial weights are drawn as in PyTorch.
func NewConvNet(s nn.Scope, o ConvNetOptions) *ConvNet {
	net := &ConvNet{Stem: New(s.In("stem"), o.Channels, 8*o.Channels, 2, 1, true)}
	net.Stem.Valid = true
	in := 8 * o.Channels
	for i, out := range []int{o.Width, 4 * o.Width, 4 * o.Width} {
		net.Layers[i] = newPoolBlock(s.In("layers").In(strconv.Itoa(i)), in, out, o.Make)
		in = out
	}
	net.Head = s.In("head").AsPart().Param("weight", nn.Uniform(in), o.Classes, in)
	return net
}

func newPoolBlock(s nn.Scope, in, out int, m Maker) *PoolBlock {
	p := &PoolBlock{
		First:  m.unit(s.In("conv1"), s.In("norm1"), in, out, 1),
		Second: m.unit(s.In("conv2"), s.In("norm2"), out, out, 1),
	}
	for _, u := range []*Unit{p.First, p.Second} {
		u.Norm.Gamma.Freeze()
		u.Norm.Rate = fastRate
	}
	return p
}

// Forward implements nn.Layer.
func (p *PoolBlock) Forward(g *nn.Graph, x *nn.Node) *nn.Node {
	x = p.First.Conv.Forward(g, tapEnd(g, p.First, nn.LayerInput, x))
	x = op.MaxPool(x, min(2, x.Shape()[1]), min(2, x.Shape()[2]))
	x = op.GELU(p.First.Norm.Forward(g, x))
	return op.GELU(tapEnd(g, p.First, nn.LayerOutput, p.Second.Forward(g, x)))
}

// Forward implements nn.Layer.
func (n *ConvNet) Forward(g *nn.Graph, x *nn.Node) *nn.Node {
	x = op.GELU(n.Stem.Forward(g, x))
	for _, p := range n.Layers {
		x = p.Forward(g, x)
	}
	rows, cols, channels := x.Shape()[1], x.Shape()[2], x.Shape()[3]
	x = op.Reshape(op.MaxPool(x, rows, cols), x.Shape()[0], channels)
	return op.Scale(op.MatMul(x, g.Use(n.Head)), logitScale)
}

// Units returns the convolutions of the blocks with their norms, in the order of computation.
func (n *ConvNet) Units() (all []*Unit) {
	for _, p := range n.Layers {
		all = append(all, p.First, p.Second)
	}
	return all
}
