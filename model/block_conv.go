package model

import (
	"fmt"
	"math"

	"github.com/attnconv/attnconv/attention"
	"github.com/attnconv/attnconv/conv"
	"github.com/attnconv/attnconv/model/ckpt"
	"github.com/attnconv/attnconv/nn"
	"github.com/attnconv/attnconv/option"
)

var convBlock = BlockKind{
	Name: "conv", Help: "convolution",
	Reads:  "heads ffn dropout border size dilation conv_init norm",
	Weight: "conv.weight", Freeze: "its convolutions are encoder.layer.*.attention.self.conv.*",
	New: newConv, Grid: true, Check: BlockSpec.checkConv,
	Words: convWords,
	Heads: tapsOf("conv.weight"), Infer: asItIs,
}

// newConv returns a block with a convolution in the place of attention: k × k taps for k² heads. With border replicate
// it computes what hard heads on a k × k grid do: softmax gives a query at the border the nearest key that there is,
// which repeats the edge. With zeros around it differs from such heads at the border. From heads that are soft, or
// elsewhere, and from those that drop pairs, it differs in that, too.
func newConv(s nn.Scope, b BlockSpec) nn.Layer {
	mix := conv.New(attention.MixScope(s).In("conv"), b.Dim, b.Dim, b.size(), 1, true)
	mix.Replicate, mix.Dilation = b.Border == "replicate", b.Dilation
	conv.Starts.Find(b.ConvInit).Init(mix)
	return attention.NewBlock(s, mix, b.blockOptions())
}

func convWords(b BlockSpec) string {
	text := fmt.Sprintf("convolution %d × %d", b.size(), b.size())
	if b.Dilation > 1 {
		text += fmt.Sprintf(" of dilation %d", b.Dilation)
	}
	return text
}

// Borders lists what convolutions of tokens find around them: zeros, or the edge again, which is what attention with
// hard heads on a grid finds.
var Borders = option.List[option.Word]{"zero", "replicate"}

// side is that of the square of taps which stands for so many heads.
func side(heads int) int { return int(math.Round(math.Sqrt(float64(max(0, heads))))) }

func square(heads int) bool { return side(heads)*side(heads) == heads }

// size is how many taps a convolution has along a side.
func (b BlockSpec) size() int {
	if b.Size > 0 {
		return b.Size
	}
	return side(b.Heads)
}

// tapsOf returns how many taps a kernel (out, in, k, k) of that name has, which stand for as many heads.
func tapsOf(name string) func(ckpt.Shapes, int) int {
	return func(w ckpt.Shapes, _ int) int { return w.At(name, 2) * w.At(name, 3) }
}

// asItIs infers nothing from a layer's weights.
func asItIs(_ ckpt.Shapes, s Spec, _ int) Spec { return s }

func (b BlockSpec) checkConv() error {
	if b.Size == 0 && !square(b.Heads) {
		return option.Errorf(b.key("heads"),
			"%d: want square numbers, such as 9: a convolution has so many taps for a layer's "+
				"heads; or say model.size", b.Heads)
	}
	return nil
}
