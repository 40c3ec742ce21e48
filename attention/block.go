package attention

import (
	"github.com/attnconv/attnconv/internal/op"
	"github.com/attnconv/attnconv/nn"
	"github.com/attnconv/attnconv/posenc"
)

// A Block is one layer of the paper's network, a post-norm encoder layer:
//
//	h = LN(x + drop(Dense(Attend(x))))
//	y = LN(h + drop(Down(gelu(Up(h)))))
//
// x (batch, tokens, dim) -> y (batch, tokens, dim)
type Block struct {
	Attend     *SelfAttention
	Dense      *nn.Linear // (dim, dim); behind a split layer (dim, heads·d)
	AttendNorm *nn.ResidualNorm
	Up         *nn.Linear // (ffn, dim)
	Down       *nn.Linear // (dim, ffn)
	FFNNorm    *nn.ResidualNorm
}

// BlockOptions size a Block.
type BlockOptions struct {
	Grid             posenc.Grid
	Heads, Dim, FFN  int
	ValueDim         int     // d, numbers of a head's own values; 0 where values are the tokens, and the layer not split
	Dropout          float64 // behind Dense and Down
	AttentionDropout float64 // on (query, key) pairs
	Masks            Masks   // of AttentionDropout
}

// NewBlock returns a block with the reference's parameter names. encoding makes the encoding of its heads.
func NewBlock(s nn.Scope, encoding func(s nn.Scope, heads int) posenc.Encoding, o BlockOptions) *Block {
	self, output := scoresOf(s), s.In("attention").In("output")
	enc, wide := encoding(self, o.Heads), o.Dim
	var attend *SelfAttention
	if o.ValueDim == 0 {
		attend = New(self, enc, o.Grid, o.Heads, o.Dim, o.Dim, o.AttentionDropout)
	} else {
		attend, wide = NewSplit(self, enc, o.Grid, o.Heads, o.Dim, o.ValueDim, o.AttentionDropout), o.Heads*o.ValueDim
	}
	attend.Masks = o.Masks
	return &Block{
		Attend:     attend,
		Dense:      nn.NewLinear(output.In("dense"), wide, o.Dim),
		AttendNorm: nn.NewResidualNorm(output.In("LayerNorm"), o.Dim, o.Dropout),
		Up:         nn.NewLinear(s.In("intermediate").In("dense"), o.Dim, o.FFN),
		Down:       nn.NewLinear(s.In("output").In("dense"), o.FFN, o.Dim),
		FFNNorm:    nn.NewResidualNorm(s.In("output").In("LayerNorm"), o.Dim, o.Dropout),
	}
}

// scoresOf is the scope of the encoding of a block with scope s.
func scoresOf(s nn.Scope) nn.Scope { return s.In("attention").In("self") }

// Forward adds the block to g.
func (b *Block) Forward(g *nn.Graph, x *nn.Node) *nn.Node {
	h := b.AttendNorm.Forward(g, x, b.Dense.Forward(g, b.Attend.Forward(g, x)))
	return b.FFNNorm.Forward(g, h, b.Down.Forward(g, op.GELU(b.Up.Forward(g, h))))
}
