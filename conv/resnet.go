package conv

import (
	"strconv"
	"strings"

	"github.com/attnconv/attnconv/nn"
	"github.com/attnconv/attnconv/nn/op"
)

// A Block is the basic residual block (He et al. 2016):
//
//	y = relu(Norm₂(Conv₂(relu(Norm₁(Conv₁(x))))) + shortcut(x))
//
// x (batch, rows, cols, in) -> y (batch, ⌈rows/s⌉, ⌈cols/s⌉, out)
type Block struct {
	First, Second *Unit
	Shortcut      *Unit // a 1 × 1 convolution where the shape changes; nil: there is none
	// channels of a shortcut without weights where the shape changes: every s-th pixel of x, with zeros in as many new
	// channels before those of x as behind them; 0: there is none
	Zeros int
}

// NewBlock returns a block whose first convolution has the given stride.
func NewBlock(s nn.Scope, in, out, stride int) *Block {
	return newBlock(s, in, out, stride, ResNetOptions{})
}

func newBlock(s nn.Scope, in, out, stride int, o ResNetOptions) *Block {
	m := o.Make
	b := &Block{
		First:  m.unit(s.In("conv1"), s.In("bn1"), in, out, stride),
		Second: m.unit(s.In("conv2"), s.In("bn2"), out, out, 1),
	}
	switch {
	case stride == 1 && in == out:
	case o.Zeros:
		b.Zeros = out
	default:
		s := s.In("downsample")
		b.Shortcut = &Unit{New(s.In("0"), in, out, 1, stride, false), NewNorm(s.In("1"), out)}
	}
	return b
}

// Forward implements nn.Layer.
func (b *Block) Forward(g *nn.Graph, x *nn.Node) *nn.Node {
	x = tapEnd(g, b.First, nn.LayerInput, x)
	y := b.First.result(g, op.ReLU(b.First.Forward(g, x)))
	switch {
	case b.Shortcut != nil:
		x = b.Shortcut.result(g, b.Shortcut.Forward(g, x))
	case b.Zeros > 0:
		x = op.PadChannels(op.MaxPoolAround(x, 1, b.First.Conv.Stride), b.Zeros)
	}
	y = tapEnd(g, b.First, nn.LayerOutput, b.Second.Forward(g, y))
	return b.Second.result(g, op.ReLU(op.Add(y, x)))
}

// tapEnd taps x, an end of the layer whose first convolution has its parameters under LAYER.conv1.
func tapEnd(g *nn.Graph, first *Unit, end string, x *nn.Node) *nn.Node {
	return g.Tap(strings.TrimSuffix(first.Conv.W.Name, ".conv1.weight")+end, x)
}

// A ResNet is the residual network for small images, as in the paper's reference. It has a 3 × 3 stem without pooling
// and stages of blocks: four, or three in the networks for CIFAR-10 of He et al. (2016). All stages except for the
// first halve the image and double the channels. The mean of the pixels and a linear map follow.
//
// x (batch, rows, cols, channels) -> logits (batch, classes)
type ResNet struct {
	Stem     *Unit
	Blocks   []*Block
	Pool     nn.MeanTokens
	Classify *nn.Linear // (classes, channels of the last stage)
}

// ResNetOptions holds the sizes of a ResNet.
type ResNetOptions struct {
	Rows, Cols, Channels int   // of the image
	Width                int   // channels of the stem and of the first stage
	Depths               []int // blocks of each stage
	Classes              int
	Zeros                bool  // shortcuts have no weights (option A of He et al. 2016): see Block.Zeros
	Make                 Maker // of the 3 × 3 convolutions of blocks
}

// NewResNet returns a network with torchvision's parameter names.
func NewResNet(s nn.Scope, o ResNetOptions) *ResNet {
	stem := &Unit{New(s.In("conv1"), o.Channels, o.Width, 3, 1, false), NewNorm(s.In("bn1"), o.Width)}
	net := &ResNet{Stem: stem}
	in := o.Width
	for i, depth := range o.Depths {
		stage, out := s.In("layer"+strconv.Itoa(i+1)), o.Width<<i
		for j := range depth {
			stride := 1
			if i > 0 && j == 0 {
				stride = 2
			}
			net.Blocks = append(net.Blocks, newBlock(stage.In(strconv.Itoa(j)), in, out, stride, o))
			in = out
		}
	}
	net.Classify = nn.NewLinear(s.In("fc"), in, o.Classes)
	return net
}

// Forward implements nn.Layer.
func (n *ResNet) Forward(g *nn.Graph, x *nn.Node) *nn.Node {
	x = n.Stem.result(g, op.ReLU(n.Stem.Forward(g, x)))
	for _, b := range n.Blocks {
		x = b.Forward(g, x)
	}
	return n.Classify.Forward(g, n.Pool.Forward(g, x))
}

// Units returns the convolutions with their norms, in the order of computation.
func (n *ResNet) Units() []*Unit {
	all := []*Unit{n.Stem}
	for _, b := range n.Blocks {
		all = append(all, b.First)
		if b.Shortcut != nil {
			all = append(all, b.Shortcut)
		}
		all = append(all, b.Second)
	}
	return all
}
