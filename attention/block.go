package attention

import (
	"strings"

	"github.com/attnconv/attnconv/nn"
	"github.com/attnconv/attnconv/nn/op"
)

// A Block is one layer of the paper's network, a post-norm encoder layer:
//
//	h = LN(x + drop(Dense(Mix(x))))
//	y = LN(h + drop(Down(gelu(Up(h)))))
//
// A pre-norm block (Xiong et al. 2020, arXiv:2002.04745) norms what its two parts read:
//
//	h = x + drop(Dense(Mix(LN(x))))
//	y = h + drop(Down(gelu(Up(LN(h)))))
//
// A mid-norm block (Hassani et al. 2021, arXiv:2104.05704) also norms what the residual carries on between them:
//
//	h = LN(x + drop(Dense(Mix(LN(x)))))
//	y = h + drop(Down(gelu(Up(h))))
//
// x (batch, tokens, dim) -> y (batch, tokens, dim). The shape may also be (batch, rows, cols, dim) if Mix takes it.
type Block struct {
	Mix     nn.Layer   // attention, or a layer that replaces it
	Dense   *nn.Linear // (dim, wide)
	MixNorm *nn.ResidualNorm
	Up      *nn.Linear // (ffn, dim)
	Down    *nn.Linear // (dim, ffn)
	FFNNorm *nn.ResidualNorm
	PreNorm bool
	MidNorm bool // with PreNorm
}

// BlockOptions holds the sizes of a Block.
type BlockOptions struct {
	Dim, FFN int
	Wide     int     // channels of the result of Mix
	Dropout  float64 // after Dense and Down
	PreNorm  bool
	MidNorm  bool // with PreNorm
}

// NewBlock returns a block with the reference's parameter names. The caller has made mix in MixScope(s).
func NewBlock(s nn.Scope, mix nn.Layer, o BlockOptions) *Block {
	output := s.In("attention").In("output").AsPart()
	up, down := s.In("intermediate").AsPart(), s.In("output").AsPart()
	return &Block{
		Mix:     mix,
		Dense:   nn.NewLinear(output.In("dense"), o.Wide, o.Dim),
		MixNorm: nn.NewResidualNorm(output.In("LayerNorm"), o.Dim, o.Dropout),
		Up:      nn.NewLinear(up.In("dense"), o.Dim, o.FFN),
		Down:    nn.NewLinear(down.In("dense"), o.FFN, o.Dim),
		FFNNorm: nn.NewResidualNorm(down.In("LayerNorm"), o.Dim, o.Dropout),
		PreNorm: o.PreNorm, MidNorm: o.MidNorm,
	}
}

// MixScope is the scope of Mix in a block with scope s.
func MixScope(s nn.Scope) nn.Scope { return s.In("attention").In("self").AsPart() }

// Forward implements nn.Layer.
func (b *Block) Forward(g *nn.Graph, x *nn.Node) *nn.Node {
	if b.PreNorm {
		x = g.Tap(b.Path()+nn.LayerStream, x)
		h := b.MixNorm.Add(g, x, b.mix(g, g.Tap(b.Path()+nn.LayerInput, b.MixNorm.Norm(g, x))))
		normed := b.FFNNorm.Norm(g, h)
		if b.MidNorm {
			h = normed
		}
		return b.FFNNorm.Add(g, h, b.feedForward(g, normed))
	}
	x = g.Tap(b.Path()+nn.LayerInput, x)
	h := b.MixNorm.Forward(g, x, b.mix(g, x))
	return b.FFNNorm.Forward(g, h, b.feedForward(g, h))
}

// mix returns Dense(Mix(x)).
func (b *Block) mix(g *nn.Graph, x *nn.Node) *nn.Node {
	return g.Tap(b.Path()+nn.LayerOutput, b.Dense.Forward(g, b.Mix.Forward(g, x)))
}

// feedForward returns Down(gelu(Up(h))).
func (b *Block) feedForward(g *nn.Graph, h *nn.Node) *nn.Node {
	return b.Down.Forward(g, op.GELU(b.Up.Forward(g, h)))
}

// Path returns the prefix that the names of the parameters of Mix and Dense share. The names of taps on these two
// layers begin with it.
func (b *Block) Path() string { return strings.TrimSuffix(b.Dense.W.Name, ".output.dense.weight") }
