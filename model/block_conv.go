package model

import (
	"fmt"
	"math"

	"github.com/attnconv/attnconv/internal/choice"
	"github.com/attnconv/attnconv/internal/invalid"
)

var convBlock = BlockKind{
	Name: "conv", Help: "convolution",
	Options: "heads ffn dropout border",
	Weight:  "conv.weight", Freeze: "its convolutions are encoder.layer.*.attention.self.conv.*",
	Check:  BlockSpec.checkConv,
	Params: func(b BlockSpec) int { return b.Heads*b.Dim*b.Dim + b.Dim + b.Dim*b.Dim + b.Dim },
	Words:  func(b BlockSpec) string { return fmt.Sprintf("convolution of %d taps", b.Heads) },
	Heads:  func(w shapes, _ int) int { return w.at("conv.weight", 2) * w.at("conv.weight", 3) },
	Infer:  func(_ shapes, s Spec, _ int) Spec { return s },
}

// Borders lists what convolutions of tokens find around them: zeros, or the edge again, which is what attention with
// hard heads on a grid finds.
var Borders = choice.List[choice.Word]{"zero", "replicate"}

// side is that of the square of taps which stands for so many heads.
func side(heads int) int { return int(math.Round(math.Sqrt(float64(max(0, heads))))) }

func square(heads int) bool { return side(heads)*side(heads) == heads }

func (b BlockSpec) checkConv() error {
	if !square(b.Heads) {
		return invalid.Errorf("model.heads", "%v: want square numbers, such as 9: "+
			"the twin has a convolution of so many taps for each layer's heads", b.Spec.Heads)
	}
	return nil
}
