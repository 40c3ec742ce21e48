package model

import (
	"cmp"
	"fmt"

	"github.com/attnconv/attnconv/attention"
	"github.com/attnconv/attnconv/model/ckpt"
	"github.com/attnconv/attnconv/nn"
	"github.com/attnconv/attnconv/option"
)

// A block of kind dcls has a convolution whose taps, as many as heads, learn where they are (attention.NewDCLS):
//
//	kernel_δ = Σ_t N(δ; p_t, σ_t)/Σ_δ' N(δ'; p_t, σ_t) · W_t,  δ and δ' in a window of size × size shifts
//
// It is computed as the convolution of size × size taps that it is.
var dclsBlock = BlockKind{
	Name: "dcls", Help: "convolution with learned places of its taps",
	Reads:  "heads ffn dropout border size norm",
	Weight: "dcls.weight", Freeze: "its places of taps are encoder.layer.*.attention.self.dcls.attention_*",
	New: newDCLS, Grid: true, Check: BlockSpec.checkDCLS,
	Words: func(b BlockSpec) string {
		return fmt.Sprintf("convolution %d × %[1]d of %d learned taps", b.dclsSize(), b.Heads)
	},
	Heads: func(w ckpt.Shapes, _ int) int { return w.At("dcls.weight", 2) }, Infer: asItIs,
}

func newDCLS(s nn.Scope, b BlockSpec) nn.Layer {
	part := attention.MixScope(s).In("dcls").AsPart()
	mix := attention.NewConv(part, attention.NewDCLS(part, b.Heads, b.dclsSize()), b.Dim, b.Dim, 1)
	mix.B = part.Param("bias", nn.Uniform(b.Dim*b.Heads), b.Dim)
	mix.Replicate = b.Border == "replicate"
	return attention.NewBlock(s, mix, b.blockOptions())
}

// dclsSize is the side of the window, in tokens.
func (b BlockSpec) dclsSize() int { return cmp.Or(b.Size, 7) }

func (b BlockSpec) checkDCLS() error {
	if b.Size%2 == 0 && b.Size > 0 {
		return option.Errorf(b.key("size"), "%d: the window of learned taps has the token itself in its middle: want an odd "+
			"number", b.Size)
	}
	return nil
}
