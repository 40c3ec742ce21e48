package model

import (
	"github.com/attnconv/attnconv/attention"
	"github.com/attnconv/attnconv/nn"
)

// A block of kind pointwise has a 1 × 1 convolution instead of attention, a linear map of each token: it mixes no
// tokens.
var pointwiseBlock = BlockKind{
	Name: "pointwise", Help: "1 × 1 convolution",
	Reads:  "ffn dropout norm",
	Weight: "pointwise.weight", Freeze: "its convolutions are encoder.layer.*.attention.self.pointwise.*",
	New: func(s nn.Scope, b BlockSpec) nn.Layer {
		mix := nn.NewLinear(attention.MixScope(s).In("pointwise"), b.Dim, b.Dim)
		return attention.NewBlock(s, mix, b.blockOptions())
	},
	Check: func(BlockSpec) error { return nil },
	Words: func(BlockSpec) string { return "convolution 1 × 1" },
	Infer: asItIs,
}
