package attention

import (
	"strings"

	"github.com/attnconv/attnconv/nn"
	"github.com/attnconv/attnconv/op"
)

// A Block is one layer of the paper's network, a post-norm encoder layer:
//
//	h = LN(x + drop(Dense(Mix(x))))
//	y = LN(h + drop(Down(gelu(Up(h)))))
//
// x (batch, tokens, dim) -> y (batch, tokens, dim); likewise (batch, rows, cols, dim) where Mix takes tokens so
type Block struct {
	Mix     nn.Layer   // attention, or what takes its place
	Dense   *nn.Linear // (dim, wide)
	MixNorm *nn.ResidualNorm
	Up      *nn.Linear // (ffn, dim)
	Down    *nn.Linear // (dim, ffn)
	FFNNorm *nn.ResidualNorm
}

// BlockOptions size a Block.
type BlockOptions struct {
	Dim, FFN int
	Wide     int     // channels of what Mix returns
	Dropout  float64 // behind Dense and Down
}

// NewBlock returns a block with the reference's parameter names. mix was made in MixScope(s).
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
	}
}

// MixScope is the scope of Mix in a block with scope s.
func MixScope(s nn.Scope) nn.Scope { return s.In("attention").In("self").AsPart() }

// Forward adds the block to g.
func (b *Block) Forward(g *nn.Graph, x *nn.Node) *nn.Node {
	x = g.Tap(b.Path()+nn.LayerInput, x)
	h := b.MixNorm.Forward(g, x, g.Tap(b.Path()+nn.LayerOutput, b.Dense.Forward(g, b.Mix.Forward(g, x))))
	return b.FFNNorm.Forward(g, h, b.Down.Forward(g, op.GELU(b.Up.Forward(g, h))))
}

// Path is that of the parameters of Mix and Dense, which the names of taps on the two begin with.
func (b *Block) Path() string { return strings.TrimSuffix(b.Dense.W.Name, ".output.dense.weight") }
