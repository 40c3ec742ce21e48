package conv

import (
	"github.com/attnconv/attnconv/nn"
	"github.com/attnconv/attnconv/nn/op"
)

// Depthwise is a convolution of each channel by a filter of its own, of stride 1. Around the image there are zeros;
// with Replicate, the edge is repeated there.
//
//	y[i, j, c] = Σ_{u,v} W[c, 0, u, v]·x[i+u-p, j+v-p, c] + b[c],  0 ≤ u, v < k,  p = ⌊(k-1)/2⌋
//
// x (batch, rows, cols, channels) -> y (batch, rows, cols, channels)
type Depthwise struct {
	W         *nn.Param // (channels, 1, k, k)
	B         *nn.Param // (channels)
	Replicate bool
}

// NewDepthwise returns a k × k convolution with parameters from U(±1/k), like PyTorch's.
func NewDepthwise(s nn.Scope, channels, k int) *Depthwise {
	s = s.AsPart()
	return &Depthwise{W: s.Param("weight", nn.Uniform(k*k), channels, 1, k, k),
		B: s.Param("bias", nn.Uniform(k*k), channels)}
}

// Full returns the same as a convolution, whose kernel is diagonal.
func (d *Depthwise) Full() *Conv {
	channels, k := d.W.Shape[0], d.W.Shape[2]
	w := &nn.Param{Name: d.W.Name, Shape: []int{channels, channels, k, k}, Data: make([]float32, channels*channels*k*k)}
	for c := range channels {
		copy(w.Data[(c*channels+c)*k*k:], d.W.Data[c*k*k:][:k*k])
	}
	return &Conv{W: w, B: d.B, Stride: 1, Replicate: d.Replicate}
}

// Forward implements nn.Layer.
func (d *Depthwise) Forward(g *nn.Graph, x *nn.Node) *nn.Node {
	return op.DepthConv(x, g.Use(d.W), g.Use(d.B), d.Replicate)
}
