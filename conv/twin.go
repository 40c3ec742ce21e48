package conv

import (
	"strconv"

	"github.com/attnconv/attnconv/internal/op"
	"github.com/attnconv/attnconv/nn"
)

// A Twin is the paper's network with a convolution in the place of each attention layer: k × k taps for k² heads. With
// Replicate it computes what hard heads on a k × k grid do: softmax gives a query at the border the nearest key that there
// is, which repeats the edge. With zeros around it differs from such heads at the border. From heads that are soft, or elsewhere,
// and from those that drop pairs, it differs in that, too.
//
// x (batch, rows, cols, channels) -> logits (batch, classes)
type Twin struct {
	Pixels   nn.SpaceToDepth
	Upscale  *nn.Linear // (dim, pool²·channels)
	Blocks   []*TwinBlock
	Pool     nn.MeanTokens
	Classify *nn.Linear // (classes, dim)
	tokens   int
}

// A TwinBlock is one layer of a Twin, a post-norm encoder layer:
//
//	h = LN(x + drop(Dense(Conv(x))))
//	y = LN(h + drop(Down(gelu(Up(h)))))
//
// x (batch, rows, cols, dim) -> y (batch, rows, cols, dim)
type TwinBlock struct {
	Conv     *Conv      // (dim, dim, k, k), stride 1
	Dense    *nn.Linear // (dim, dim)
	ConvNorm *nn.ResidualNorm
	Up       *nn.Linear // (ffn, dim)
	Down     *nn.Linear // (dim, ffn)
	FFNNorm  *nn.ResidualNorm
}

// TwinOptions size a Twin.
type TwinOptions struct {
	Rows, Cols, Channels int // of the image; Pool divides Rows and Cols
	Pool                 int
	Sizes                []int // k of each block
	Dim, FFN, Classes    int
	Dropout              float64 // behind Dense and Down
	Replicate            bool    // the convolutions repeat the edge; else there are zeros around the tokens
}

// NewTwin returns a network with the names of the attention network, and conv for the layer that takes attention's place.
func NewTwin(s nn.Scope, o TwinOptions) *Twin {
	net := &Twin{
		Pixels:  nn.SpaceToDepth{S: o.Pool},
		Upscale: nn.NewLinear(s.In("features_upscale"), o.Pool*o.Pool*o.Channels, o.Dim),
		tokens:  o.Rows / o.Pool * (o.Cols / o.Pool),
	}
	for i, size := range o.Sizes {
		s := s.In("encoder").In("layer").In(strconv.Itoa(i))
		output := s.In("attention").In("output")
		conv := New(s.In("attention").In("self").In("conv"), o.Dim, o.Dim, size, 1, true)
		conv.Replicate = o.Replicate
		net.Blocks = append(net.Blocks, &TwinBlock{
			Conv:     conv,
			Dense:    nn.NewLinear(output.In("dense"), o.Dim, o.Dim),
			ConvNorm: nn.NewResidualNorm(output.In("LayerNorm"), o.Dim, o.Dropout),
			Up:       nn.NewLinear(s.In("intermediate").In("dense"), o.Dim, o.FFN),
			Down:     nn.NewLinear(s.In("output").In("dense"), o.FFN, o.Dim),
			FFNNorm:  nn.NewResidualNorm(s.In("output").In("LayerNorm"), o.Dim, o.Dropout),
		})
	}
	net.Classify = nn.NewLinear(s.In("classifier"), o.Dim, o.Classes)
	return net
}

// Forward adds the network to g.
func (t *Twin) Forward(g *nn.Graph, x *nn.Node) *nn.Node {
	rows, cols := x.Shape()[1]/t.Pixels.S, x.Shape()[2]/t.Pixels.S
	x = t.Upscale.Forward(g, op.AsGrid(t.Pixels.Forward(g, x), rows, cols))
	for _, b := range t.Blocks {
		x = b.Forward(g, x)
	}
	return t.Classify.Forward(g, t.Pool.Forward(g, x))
}

// Forward adds the block to g.
func (b *TwinBlock) Forward(g *nn.Graph, x *nn.Node) *nn.Node {
	h := b.ConvNorm.Forward(g, x, b.Dense.Forward(g, b.Conv.Forward(g, x)))
	return b.FFNNorm.Forward(g, h, b.Down.Forward(g, op.GELU(b.Up.Forward(g, h))))
}

// Work counts the multiply-adds of an image's forward pass, for T tokens and D channels. Winograd's algorithm does with
// fewer.
//
//	T·n·D + D·classes   stem, from n numbers a token, and head
//	T·k²·D·D            each layer: convolution and dense map, folded into one
//	2·T·D·F             feed-forward
func (t *Twin) Work(bool) (nn.Work, error) {
	d, in := t.Upscale.W.Shape[0], t.Upscale.W.Shape[1]
	var work nn.Work
	work.Map(t.tokens, in, d)
	work.Map(1, d, t.Classify.W.Shape[0])
	for _, b := range t.Blocks {
		ffn := b.Up.W.Shape[0]
		work.Map(t.tokens, len(b.Conv.W.Data)/d, d)
		work.Map(t.tokens, d, ffn)
		work.Map(t.tokens, ffn, d)
	}
	return work, nil
}
