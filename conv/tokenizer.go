package conv

import (
	"strconv"

	"github.com/attnconv/attnconv/nn"
	"github.com/attnconv/attnconv/nn/op"
)

// A Tokenizer turns pixels into tokens by k convolutions of 3 × 3 pixels without bias, each with a ReLU and a max pool
// of 3 × 3 pixels and stride 2:
//
//	x ← maxpool(relu(Conv(x)))
//
// It is the tokenizer of compact convolutional transformers (Hassani et al. 2021, arXiv:2104.05704).
//
// x (batch, rows, cols, channels) -> y (batch, ⌈rows/2ᵏ⌉·⌈cols/2ᵏ⌉, dim)
type Tokenizer struct {
	Convs []*Conv
}

// NewTokenizer returns k convolutions. The last one has dim channels, and the others have 64.
func NewTokenizer(s nn.Scope, channels, dim, k int) *Tokenizer {
	t, in := &Tokenizer{}, channels
	for i := range k {
		out := 64
		if i == k-1 {
			out = dim
		}
		t.Convs = append(t.Convs, New(s.In("conv"+strconv.Itoa(i+1)), in, out, 3, 1, false))
		in = out
	}
	return t
}

// Forward implements nn.Layer.
func (t *Tokenizer) Forward(g *nn.Graph, x *nn.Node) *nn.Node {
	for _, c := range t.Convs {
		x = op.MaxPoolAround(op.ReLU(c.Forward(g, x)), 3, 2)
	}
	return op.AsTokens(x)
}
