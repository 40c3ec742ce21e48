package model

import (
	"github.com/attnconv/attnconv/conv"
	"github.com/attnconv/attnconv/nn"
)

// A block of kind convnext has a 7 × 7 depth-wise convolution, a layer norm, and a feed-forward part of four times the
// channels.
var convNeXtBlock = BlockKind{
	Name: convNeXt, Help: "block of ConvNeXt",
	Weight: "dwconv.weight", Freeze: "its convolutions are encoder.layer.*.dwconv.*",
	New:  func(s nn.Scope, b BlockSpec) nn.Layer { return conv.NewNeXtBlock(s, b.Dim) },
	Grid: true, Check: func(BlockSpec) error { return nil },
	Words: func(BlockSpec) string { return "ConvNeXt 7 × 7" },
	Infer: asItIs,
}
