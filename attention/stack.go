package attention

import (
	"strconv"

	"github.com/attnconv/attnconv/nn"
	"github.com/attnconv/attnconv/posenc"
)

// A Stack is the paper's network. Patches of pixels become tokens, blocks mix the tokens, and a linear map classifies
// their mean. Position enters through attention. Models other than the paper's may make tokens by convolutions (Stem)
// and may encode positions before the first block (Absolute).
//
// x (batch, rows, cols, channels) -> logits (batch, classes)
type Stack struct {
	Pixels   nn.SpaceToDepth
	Stem     nn.Layer        // turns images into tokens (batch, tokens, channels); nil: Pixels does
	Upscale  *nn.Linear      // (dim, pool²·channels), or (dim, the stem's channels); nil: the stem's tokens have dim
	Embed    nn.Layer        // changes the tokens of Upscale; nil: nothing does
	Absolute posenc.Absolute // nil if nothing is added to the tokens
	Early    bool            // the class token joins before Absolute, which has a vector for it
	Blocks   []nn.Layer      // each a *Block, or another layer from tokens to tokens
	Norm     *nn.LayerNorm   // of the tokens behind the last block; nil: there is none
	Readout  Readout
	Classify *nn.Linear // (classes, dim)
}

// StackOptions holds the sizes of a Stack.
type StackOptions struct {
	Grid           posenc.Grid // of tokens: the image's pixels over Pool
	Pool, Channels int
	Dim, Classes   int
	Norm           bool // of the tokens behind the last block
	Readout        ReadoutOptions

	// makes tokens; nil: each square of pixels is one. channels 0: its tokens have Dim channels, and no map follows.
	Stem     func(nn.Scope) (tokens nn.Layer, channels int)
	Embed    func(nn.Scope) nn.Layer                          // changes tokens of dim channels; nil: nothing does
	Absolute func(nn.Scope, posenc.Grid, int) posenc.Absolute // nil, or returns nil, if nothing is added
	Early    bool                                             // the class token joins before Absolute
}

// NewStack returns a network with the reference's parameter names. Each function of blocks makes a block in its scope.
func NewStack(s nn.Scope, o StackOptions, blocks []func(nn.Scope) nn.Layer) *Stack {
	net, channels := &Stack{Pixels: nn.SpaceToDepth{S: o.Pool}}, o.Pool*o.Pool*o.Channels
	if o.Stem != nil {
		net.Stem, channels = o.Stem(s.In("stem"))
	}
	if channels > 0 {
		net.Upscale = nn.NewLinear(s.In("features_upscale"), channels, o.Dim)
	}
	if o.Embed != nil {
		net.Embed = o.Embed(s.In("stem"))
	}
	if o.Early {
		o.Grid, net.Early = posenc.Grid{Rows: 1, Cols: o.Grid.Rows*o.Grid.Cols + 1}, true
	}
	if o.Absolute != nil {
		net.Absolute = o.Absolute(s, o.Grid, o.Dim)
	}
	for i, block := range blocks {
		net.Blocks = append(net.Blocks, block(BlockScope(s, i)))
	}
	if o.Norm {
		net.Norm = nn.NewLayerNorm(s.In("encoder").In("LayerNorm").AsPart(), o.Dim)
	}
	net.Readout = newReadout(s, o.Readout, o.Dim)
	net.Classify = nn.NewLinear(s.In("classifier"), o.Dim, o.Classes)
	return net
}

// BlockScope returns the scope of block i of a stack with scope s.
func BlockScope(s nn.Scope, i int) nn.Scope { return s.In("encoder").In("layer").In(strconv.Itoa(i)) }

// Forward implements nn.Layer.
func (n *Stack) Forward(g *nn.Graph, x *nn.Node) *nn.Node {
	pixels := n.Stem
	if pixels == nil {
		pixels = n.Pixels
	}
	if x = pixels.Forward(g, x); n.Upscale != nil {
		x = n.Upscale.Forward(g, x)
	}
	if n.Embed != nil {
		x = n.Embed.Forward(g, x)
	}
	if n.Early {
		x = n.Readout.before(g, 0, x)
	}
	if n.Absolute != nil {
		x = n.Absolute.Forward(g, x)
	}
	for i, b := range n.Blocks {
		if i > 0 || !n.Early {
			x = n.Readout.before(g, i, x)
		}
		x = b.Forward(g, x)
	}
	if n.Norm != nil {
		x = n.Norm.Forward(g, x)
	}
	return n.Classify.Forward(g, n.Readout.Forward(g, x))
}

// Attention returns the attention layer of each block, or nil for a block without one. A block is a Block, or ends with
// one as an nn.Seq.
func (n *Stack) Attention() []*SelfAttention {
	all := make([]*SelfAttention, len(n.Blocks))
	for i := range n.Blocks {
		if b := n.Block(i); b != nil {
			all[i], _ = b.Mix.(*SelfAttention)
		}
	}
	return all
}

// Block returns block i if it is a Block, or the Block at the end of an nn.Seq; otherwise nil.
func (n *Stack) Block(i int) *Block {
	layer := n.Blocks[i]
	if seq, ok := layer.(nn.Seq); ok && len(seq) > 0 {
		layer = seq[len(seq)-1]
	}
	b, _ := layer.(*Block)
	return b
}
