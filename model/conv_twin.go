package model

import (
	"math"

	"github.com/attnconv/attnconv/conv"
	"github.com/attnconv/attnconv/nn"
)

// Borders lists what a twin's convolutions find around the tokens: zeros, or the edge again, which is what attention with
// hard heads on a grid finds.
var Borders = []string{"zero", "replicate"}

func (s Spec) isTwin() bool { return s.Kind == "conv-twin" }

// sizeOf is the side of the square of taps that stands for so many heads.
func sizeOf(heads int) int { return int(math.Round(math.Sqrt(float64(max(0, heads))))) }

func newTwin(s nn.Scope, spec Spec) nn.Layer {
	var sizes []int
	for _, heads := range spec.Heads.Each(spec.Layers) {
		sizes = append(sizes, sizeOf(heads))
	}
	return conv.NewTwin(s, conv.TwinOptions{
		Rows: spec.Image[0], Cols: spec.Image[1], Channels: spec.Image[2], Pool: spec.Pool, Sizes: sizes,
		Dim: spec.Dim, FFN: spec.FFN, Classes: spec.Classes, Dropout: spec.Dropout,
		Replicate: spec.Border == "replicate",
	})
}
