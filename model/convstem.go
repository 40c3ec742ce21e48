package model

import (
	"fmt"
	"math/bits"

	"github.com/attnconv/attnconv/attention"
	"github.com/attnconv/attnconv/conv"
	"github.com/attnconv/attnconv/model/ckpt"
	"github.com/attnconv/attnconv/nn"
	"github.com/attnconv/attnconv/option"
)

// Stems lists what makes tokens of pixels, before a map to dim channels. With the convolutions of conv.Stem a network
// of attention is a convolution in part.
var Stems = option.List[option.Item]{
	{Name: "patches", Help: "squares of pool × pool pixels"},
	{Name: convolutions, Help: "3 × 3 convolutions of stride 2, batch norms and ReLUs: pool is 2 for each"},
	{Name: compact, Help: "3 × 3 convolutions, ReLUs and max pools of stride 2, as in CCT: pool is 2 for each"},
	{Name: normed, Help: "squares of pool × pool pixels, then GELU and batch norm, as in ConvMixer"},
}

const (
	convolutions = "conv"
	compact      = "cct"
	normed       = "convmixer"
)

// convolves reports whether convolutions make the tokens, in a network of tokens.
func (s Spec) convolves() bool { return s.Stem == convolutions || s.Stem == compact }

// stemConvs is how many convolutions, each of which halves the image, make tokens of pool × pool pixels; 0 where none
// do.
func (s Spec) stemConvs() int {
	if s.Pool < 2 || s.Pool&(s.Pool-1) != 0 {
		return 0
	}
	return bits.TrailingZeros(uint(s.Pool))
}

// checkStemPool returns the rule that a stem of convolutions breaks.
func (s Spec) checkStemPool() error {
	if s.convolves() && s.stemConvs() == 0 {
		return option.Errorf("model.pool",
			"%d: with model.stem %s want 2, 4, 8 or another power of two: each convolution halves the image",
			s.Pool, s.Stem)
	}
	return nil
}

// stem makes the layer that makes tokens; nil where squares of pixels do.
func (s Spec) stem() func(nn.Scope) (nn.Layer, int) {
	if !s.convolves() {
		return nil
	}
	return func(scope nn.Scope) (nn.Layer, int) {
		if s.Stem == compact {
			return conv.NewTokenizer(scope, s.Image[2], s.Dim, s.stemConvs()), 0
		}
		return conv.NewStem(scope, s.Image[2], s.Dim, s.stemConvs()), s.Dim
	}
}

// embed makes the layer behind the map of pixels; nil where there is none.
func (s Spec) embed() func(nn.Scope) nn.Layer {
	if s.Stem != normed {
		return nil
	}
	return func(scope nn.Scope) nn.Layer { return &conv.MixerStem{Norm: conv.NewNorm(scope.In("norm"), s.Dim)} }
}

// tokenStem is the stem of a network of tokens.
func tokenStem(net nn.Layer) Stem {
	stack := net.(*attention.Stack)
	switch stem := stack.Stem.(type) {
	case *conv.Stem:
		return stemOf(stem.Units[0].Conv)
	case *conv.Tokenizer:
		return stemOf(stem.Convs[0])
	}
	return Stem{Weight: stack.Upscale.W, Side: stack.Pixels.S, Stride: stack.Pixels.S}
}

// inferStem completes the spec of a network of tokens whose convolutions make them.
func inferStem(w ckpt.Shapes, s Spec) Spec {
	n := 0
	for n < 30 && w.Has(fmt.Sprintf("stem.conv%d.weight", n+1)) {
		n++
	}
	if n > 0 {
		s.Stem, s.Pool = convolutions, 1<<n
		if !w.Has("stem.norm1.weight") {
			s.Stem = compact
		}
	}
	if w.Has("stem.norm.weight") {
		s.Stem = normed
	}
	return s
}
