package attention

import (
	"strings"

	"github.com/attnconv/attnconv/nn"
	"github.com/attnconv/attnconv/nn/op"
)

// A MixerBlock is the block of MLP-Mixer (Tolstikhin et al. 2021, arXiv:2105.01601). One map mixes the tokens of each
// channel, the other the channels of each token:
//
//	h = x + TokensDown(gelu(TokensUp(LN(x))))
//	y = h + Down(gelu(Up(LN(h))))
//
// The first map has a weight for each pair of tokens, so the block is for images of one size.
//
// x (batch, tokens, dim) -> y (batch, tokens, dim)
type MixerBlock struct {
	TokensNorm           *nn.LayerNorm
	TokensUp, TokensDown *nn.Linear // (hidden, tokens), (tokens, hidden)
	Norm                 *nn.LayerNorm
	Up, Down             *nn.Linear // (ffn, dim), (dim, ffn)
}

// MixerOptions holds the sizes of a MixerBlock.
type MixerOptions struct {
	Tokens, Hidden int // of the map that mixes tokens
	Dim, FFN       int // of the map that mixes channels
}

// NewMixerBlock returns a block with maps as PyTorch draws them.
func NewMixerBlock(s nn.Scope, o MixerOptions) *MixerBlock {
	return &MixerBlock{
		TokensNorm: nn.NewLayerNorm(s.In("token_norm").AsPart(), o.Dim),
		TokensUp:   nn.NewLinear(s.In("token_up"), o.Tokens, o.Hidden),
		TokensDown: nn.NewLinear(s.In("token_down"), o.Hidden, o.Tokens),
		Norm:       nn.NewLayerNorm(s.In("channel_norm").AsPart(), o.Dim),
		Up:         nn.NewLinear(s.In("channel_up"), o.Dim, o.FFN),
		Down:       nn.NewLinear(s.In("channel_down"), o.FFN, o.Dim),
	}
}

// Forward implements nn.Layer.
func (b *MixerBlock) Forward(g *nn.Graph, x *nn.Node) *nn.Node {
	over := func(l *nn.Linear, x *nn.Node) *nn.Node { return op.LinearTokens(x, g.Use(l.W), g.Use(l.B)) }
	x = g.Tap(b.Path()+nn.LayerInput, x)
	mixed := over(b.TokensDown, op.GELU(over(b.TokensUp, b.TokensNorm.Forward(g, x))))
	x = op.Add(x, g.Tap(b.Path()+nn.LayerOutput, mixed))
	return op.Add(x, b.Down.Forward(g, op.GELU(b.Up.Forward(g, b.Norm.Forward(g, x)))))
}

// Path returns the prefix of the names of its parameters, with which the names of its taps begin.
func (b *MixerBlock) Path() string { return strings.TrimSuffix(b.TokensUp.W.Name, ".token_up.weight") }
