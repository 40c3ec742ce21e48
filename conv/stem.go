package conv

import (
	"strconv"

	"github.com/attnconv/attnconv/nn"
	"github.com/attnconv/attnconv/nn/op"
)

// A Stem turns pixels into tokens by k convolutions of 3 × 3 pixels and stride 2, each with a batch norm and a ReLU. It
// is the stem of Xiao and others 2021 (arXiv:2106.14881); their final 1 × 1 convolution is the map of tokens that
// follows a Stem here. A token sees 2ᵏ⁺¹ - 1 pixels of the image along each axis.
//
// x (batch, rows, cols, channels) -> y (batch, ⌈rows/2ᵏ⌉·⌈cols/2ᵏ⌉, width)
type Stem struct {
	Units []*Unit
}

// NewStem returns a stem of k convolutions. The last one has width channels. Each earlier one has half as many as the
// next, rounded down, and at least one.
func NewStem(s nn.Scope, channels, width, k int) *Stem {
	stem, in := &Stem{}, channels
	for i := range k {
		out, number := max(1, width>>(k-1-i)), strconv.Itoa(i+1)
		stem.Units = append(stem.Units, &Unit{New(s.In("conv"+number), in, out, 3, 2, false),
			NewNorm(s.In("norm"+number), out)})
		in = out
	}
	return stem
}

// Forward implements nn.Layer.
func (s *Stem) Forward(g *nn.Graph, x *nn.Node) *nn.Node {
	for _, u := range s.Units {
		x = op.ReLU(u.Forward(g, x))
	}
	return op.AsTokens(x)
}
