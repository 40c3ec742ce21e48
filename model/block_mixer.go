package model

import (
	"cmp"
	"fmt"
	"maps"

	"github.com/attnconv/attnconv/attention"
	"github.com/attnconv/attnconv/internal/own"
	"github.com/attnconv/attnconv/model/ckpt"
	"github.com/attnconv/attnconv/nn"
	"github.com/attnconv/attnconv/option"
)

// MixerOptions are the options of a block of kind mixer.
type MixerOptions struct {
	Hidden int `yaml:"hidden" help:"hidden tokens of the map that mixes tokens (0: dim/2)"`
}

// Validate implements the rules of options.
func (o *MixerOptions) Validate() error { return option.Between("hidden", o.Hidden, 0, maxWidth) }

// A block of kind mixer has two maps: one of the tokens of each channel, and one of the channels of each token.
var mixerBlock = BlockKind{
	Name: "mixer", Help: "block of MLP-Mixer",
	Reads: "ffn", Options: mixerOptions.Options,
	Weight: "token_up.weight", Freeze: "its maps of tokens are encoder.layer.*.token_*",
	New: func(s nn.Scope, b BlockSpec) nn.Layer {
		grid := b.Grid()
		return attention.NewMixerBlock(s, attention.MixerOptions{Tokens: grid.Rows * grid.Cols, Hidden: b.hidden(),
			Dim: b.Dim, FFN: b.FFN})
	},
	Check: func(BlockSpec) error { return nil },
	Words: func(b BlockSpec) string { return fmt.Sprintf("MLP-Mixer of %d hidden tokens", b.hidden()) },
	Infer: inferMixer,
}

// mixerOptions is what BlockSpec.OptionsOf reads, which the list of kinds cannot refer to.
var mixerOptions = own.Group{What: blockKind, Name: "mixer", Options: &MixerOptions{}}

// hidden is how many hidden tokens the map has that mixes tokens.
func (b BlockSpec) hidden() int {
	return cmp.Or(mixerOptions.Read(b.Own).(*MixerOptions).Hidden, max(1, b.Dim/2))
}

func inferMixer(w ckpt.Shapes, s Spec, _ int) Spec {
	s.FFN = w.At("channel_up.weight", 0)
	if h := w.At("token_up.weight", 0); h != (BlockSpec{Spec: s}).hidden() {
		s.Own = maps.Clone(s.Own)
		if s.Own == nil {
			s.Own = map[string]any{}
		}
		s.Own[mixerOptions.Keys()[0]] = h
	}
	return s
}
