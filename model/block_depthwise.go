package model

import (
	"fmt"

	"github.com/attnconv/attnconv/attention"
	"github.com/attnconv/attnconv/conv"
	"github.com/attnconv/attnconv/nn"
)

// A block of kind depthwise has a depth-wise convolution instead of attention. The map behind it mixes the channels.
var depthwiseBlock = BlockKind{
	Name: "depthwise", Help: "depth-wise convolution",
	Reads:  "heads ffn dropout border size conv_init norm",
	Weight: "depthwise.weight", Freeze: "its convolutions are encoder.layer.*.attention.self.depthwise.*",
	New: newDepthwise, Grid: true, Check: BlockSpec.checkConv,
	Words: func(b BlockSpec) string { return fmt.Sprintf("depth-wise convolution %d × %d", b.size(), b.size()) },
	Heads: tapsOf("depthwise.weight"), Infer: asItIs,
}

func newDepthwise(s nn.Scope, b BlockSpec) nn.Layer {
	mix := conv.NewDepthwise(attention.MixScope(s).In("depthwise"), b.Dim, b.size())
	b.start(mix)
	return attention.NewBlock(s, mix, b.blockOptions())
}

// start sets what border and conv_init say of a depth-wise convolution.
func (b BlockSpec) start(c *conv.Depthwise) {
	c.Replicate = b.Border == "replicate"
	conv.Starts.Find(b.ConvInit).InitDepthwise(c)
}
