package attention

import (
	"strconv"

	"github.com/attnconv/attnconv/nn"
	"github.com/attnconv/attnconv/posenc"
)

// A Stack is the paper's network: pixels become tokens without loss, blocks of attention mix them, and the mean of the
// tokens is classified. Position enters through attention, and in other models than the paper's before the first block.
//
// x (batch, rows, cols, channels) -> logits (batch, classes)
type Stack struct {
	Pixels   nn.SpaceToDepth
	Upscale  *nn.Linear      // (dim, pool²·channels)
	Absolute posenc.Absolute // nil where nothing is added to the tokens
	Blocks   []*Block
	Pool     nn.MeanTokens
	Classify *nn.Linear // (classes, dim)
}

// StackOptions size a Stack.
type StackOptions struct {
	Rows, Cols, Channels int // of the image; Pool divides Rows and Cols
	Pool                 int
	Heads                []int // of each block
	Dim, FFN, Classes    int
	Dropout              float64
	AttentionDropout     float64
	Masks                Masks // of AttentionDropout
	ValueDims            []int // of each block, see BlockOptions; nil where no block is split

	Absolute func(nn.Scope, posenc.Grid, int) posenc.Absolute // nil, or makes nil, where nothing is added
}

// NewStack returns a network with the reference's parameter names. encoding makes the encoding of each block's heads.
func NewStack(s nn.Scope, encoding func(s nn.Scope, heads int) posenc.Encoding, o StackOptions) *Stack {
	grid := posenc.Grid{Rows: o.Rows / o.Pool, Cols: o.Cols / o.Pool}
	net := &Stack{
		Pixels:  nn.SpaceToDepth{S: o.Pool},
		Upscale: nn.NewLinear(s.In("features_upscale"), o.Pool*o.Pool*o.Channels, o.Dim),
	}
	if o.Absolute != nil {
		net.Absolute = o.Absolute(s, grid, o.Dim)
	}
	for i, heads := range o.Heads {
		b := BlockOptions{
			Grid: grid, Heads: heads, Dim: o.Dim, FFN: o.FFN, Dropout: o.Dropout,
			AttentionDropout: o.AttentionDropout, Masks: o.Masks,
		}
		if o.ValueDims != nil {
			b.ValueDim = o.ValueDims[i]
		}
		net.Blocks = append(net.Blocks, NewBlock(blockOf(s, i), encoding, b))
	}
	net.Classify = nn.NewLinear(s.In("classifier"), o.Dim, o.Classes)
	return net
}

// blockOf is the scope of block i of a stack with scope s.
func blockOf(s nn.Scope, i int) nn.Scope { return s.In("encoder").In("layer").In(strconv.Itoa(i)) }

// Encodings returns the encodings that the blocks of NewStack would have in s, without the rest of the network.
func Encodings(s nn.Scope, encoding func(s nn.Scope, heads int) posenc.Encoding, heads []int) (all []posenc.Encoding) {
	for i, h := range heads {
		all = append(all, encoding(scoresOf(blockOf(s, i)), h))
	}
	return all
}

// Forward adds the network to g.
func (n *Stack) Forward(g *nn.Graph, x *nn.Node) *nn.Node {
	x = n.Upscale.Forward(g, n.Pixels.Forward(g, x))
	if n.Absolute != nil {
		x = n.Absolute.Forward(g, x)
	}
	for _, b := range n.Blocks {
		x = b.Forward(g, x)
	}
	return n.Classify.Forward(g, n.Pool.Forward(g, x))
}
