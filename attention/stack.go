package attention

import (
	"strconv"

	"github.com/attnconv/attnconv/nn"
	"github.com/attnconv/attnconv/posenc"
)

// A Stack is the paper's network: pixels become tokens without loss, or by convolutions, which the paper's has not, blocks mix them,
// and the mean of the tokens is classified. Position enters through attention, and in other models than the paper's before the first block.
//
// x (batch, rows, cols, channels) -> logits (batch, classes)
type Stack struct {
	Pixels   nn.SpaceToDepth
	Stem     nn.Layer        // makes tokens (batch, tokens, channels) of images in place of Pixels; nil: Pixels does
	Upscale  *nn.Linear      // (dim, pool²·channels), or (dim, the stem's channels)
	Absolute posenc.Absolute // nil where nothing is added to the tokens
	Blocks   []nn.Layer      // Blocks, or others that take tokens and return such
	Pool     nn.MeanTokens
	Classify *nn.Linear // (classes, dim)
}

// StackOptions size a Stack.
type StackOptions struct {
	Grid           posenc.Grid // of tokens: the image's pixels over Pool
	Pool, Channels int
	Dim, Classes   int

	Stem     func(nn.Scope) (tokens nn.Layer, channels int)   // makes tokens; nil: of each square of pixels one
	Absolute func(nn.Scope, posenc.Grid, int) posenc.Absolute // nil, or makes nil, where nothing is added
}

// NewStack returns a network with the reference's parameter names. Each of blocks makes a block in its scope.
func NewStack(s nn.Scope, o StackOptions, blocks []func(nn.Scope) nn.Layer) *Stack {
	net, channels := &Stack{Pixels: nn.SpaceToDepth{S: o.Pool}}, o.Pool*o.Pool*o.Channels
	if o.Stem != nil {
		net.Stem, channels = o.Stem(s.In("stem"))
	}
	net.Upscale = nn.NewLinear(s.In("features_upscale"), channels, o.Dim)
	if o.Absolute != nil {
		net.Absolute = o.Absolute(s, o.Grid, o.Dim)
	}
	for i, block := range blocks {
		net.Blocks = append(net.Blocks, block(BlockScope(s, i)))
	}
	net.Classify = nn.NewLinear(s.In("classifier"), o.Dim, o.Classes)
	return net
}

// BlockScope is the scope of block i of a stack with scope s.
func BlockScope(s nn.Scope, i int) nn.Scope { return s.In("encoder").In("layer").In(strconv.Itoa(i)) }

// Forward adds the network to g.
func (n *Stack) Forward(g *nn.Graph, x *nn.Node) *nn.Node {
	pixels := n.Stem
	if pixels == nil {
		pixels = n.Pixels
	}
	x = n.Upscale.Forward(g, pixels.Forward(g, x))
	if n.Absolute != nil {
		x = n.Absolute.Forward(g, x)
	}
	for _, b := range n.Blocks {
		x = b.Forward(g, x)
	}
	return n.Classify.Forward(g, n.Pool.Forward(g, x))
}

// Attention returns what mixes the tokens in each block, of a Block or of one at the end of an nn.Seq; nil for a block without
// attention.
func (n *Stack) Attention() []*SelfAttention {
	all := make([]*SelfAttention, len(n.Blocks))
	for i := range n.Blocks {
		if b := n.Block(i); b != nil {
			all[i], _ = b.Mix.(*SelfAttention)
		}
	}
	return all
}

// Block returns block i if it is a Block, or has one at the end of an nn.Seq; else nil.
func (n *Stack) Block(i int) *Block {
	layer := n.Blocks[i]
	if seq, ok := layer.(nn.Seq); ok && len(seq) > 0 {
		layer = seq[len(seq)-1]
	}
	b, _ := layer.(*Block)
	return b
}
