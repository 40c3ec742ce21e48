package model

import (
	"fmt"

	"github.com/attnconv/attnconv/conv"
	"github.com/attnconv/attnconv/nn"
)

// A block of kind convmixer has a depth-wise and a 1 × 1 convolution, each with GELU and batch norm. It has no
// feed-forward part.
var convMixerBlock = BlockKind{
	Name: "convmixer", Help: "block of ConvMixer",
	Reads:  "heads border size conv_init",
	Weight: "depth.weight", Freeze: "its convolutions are encoder.layer.*.depth.*",
	New: func(s nn.Scope, b BlockSpec) nn.Layer {
		block := conv.NewMixerBlock(s, b.Dim, b.size())
		b.start(block.Depth)
		return block
	},
	Grid: true, Check: BlockSpec.checkConv,
	Words: func(b BlockSpec) string { return fmt.Sprintf("ConvMixer %d × %d", b.size(), b.size()) },
	Heads: tapsOf("depth.weight"), Infer: asItIs,
}
