package network

import (
	"github.com/attnconv/attnconv/analyse"
	"github.com/attnconv/attnconv/attention"
	"github.com/attnconv/attnconv/nn"
)

// gaugeOf says what the network does to the input and the output of the layer that block i begins with. It is the only
// place that knows.
func gaugeOf(stack *attention.Stack, i int) (g analyse.Gauge) {
	g.Center = centered(stack, i)
	b := stack.Block(i)
	switch {
	case b == nil:
		return g
	case b.PreNorm:
		g.Gamma = wide(b.MixNorm.Gamma.Data)
	case i > 0:
		if before := stack.Block(i - 1); before != nil && !before.PreNorm {
			g.Gamma = wide(before.FFNNorm.Gamma.Data)
		}
	}
	if i == 0 && stack.Embed == nil && stack.Absolute == nil && stack.Upscale != nil {
		// x = p·U + u, to which nothing is added by place: W is (dim, values of a patch), U is its transpose
		dim, values := stack.Upscale.W.Shape[0], stack.Upscale.W.Shape[1]
		g.Pixels = make([]float64, values*dim)
		for j, v := range stack.Upscale.W.Data {
			g.Pixels[j%values*dim+j/values] = float64(v)
		}
	}
	return g
}

// centered reports whether the network ignores the mean over channels of what the layer of block i adds to the tokens:
// every block from there on, and what reads the last one's tokens, begins with a layer norm.
func centered(stack *attention.Stack, i int) bool {
	for at, layer := range stack.Blocks[i:] {
		switch b := lastOf(layer).(type) {
		case *attention.Block:
			if !b.PreNorm {
				return at == 0 // its sum is normed; a later one reads tokens as they are
			}
			if b.MidNorm { // it reads tokens through norms only, and so does what follows
				return true
			}
		case *attention.MixerBlock:
		default:
			return false
		}
	}
	return stack.Norm != nil
}

// lastOf is the block that a layer ends with.
func lastOf(layer nn.Layer) nn.Layer {
	if seq, ok := layer.(nn.Seq); ok && len(seq) > 0 {
		return seq[len(seq)-1]
	}
	return layer
}

// pathOf is the path of the layer that a block begins with; "": another layer.
func pathOf(block nn.Layer) string {
	switch b := lastOf(block).(type) {
	case *attention.Block:
		return b.Path()
	case *attention.MixerBlock:
		return b.Path()
	}
	return ""
}

func wide(x []float32) []float64 {
	y := make([]float64, len(x))
	for i, v := range x {
		y[i] = float64(v)
	}
	return y
}
