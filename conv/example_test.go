package conv_test

import (
	"fmt"

	"github.com/attnconv/attnconv/conv"
	"github.com/attnconv/attnconv/nn"
	"github.com/attnconv/attnconv/nn/op"
)

// A convolution with weights of one's own: each pixel minus its left neighbor, with zeros around the image.
func ExampleConv() {
	c := conv.New(nn.NewScope(0), 1, 1, 3, 1, false)
	copy(c.W.Data, []float32{
		0, 0, 0,
		-1, 1, 0,
		0, 0, 0,
	})
	var y *nn.Node
	g, err := nn.Build(false, func(g *nn.Graph) {
		y = c.Forward(g, g.Input("x", []float32{1, 2, 4, 8, 8, 6}, 1, 2, 3, 1)) // (batch, rows, columns, channels)
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	f, err := nn.Compile(g, nil, y)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer f.Close()
	if err := f.Run(0); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(nn.Value(y))
	// Output: [1 1 2 8 0 -2]
}

// A small residual network of one's own is a layer like any other: a stem, a block, the mean of the pixels, a linear
// map.
type small struct {
	stem     *conv.Conv
	norm     *conv.Norm
	block    *conv.Block
	classify *nn.Linear
}

// Forward implements nn.Layer.  x (batch, rows, cols, 3) -> logits (batch, 10)
func (n *small) Forward(g *nn.Graph, x *nn.Node) *nn.Node {
	x = op.ReLU(n.norm.Forward(g, n.stem.Forward(g, x)))
	return n.classify.Forward(g, nn.MeanTokens{}.Forward(g, n.block.Forward(g, x)))
}

func ExampleNewBlock() {
	s := nn.NewScope(0)
	net := &small{
		stem:     conv.New(s.In("stem"), 3, 16, 3, 1, false),
		norm:     conv.NewNorm(s.In("norm"), 16),
		block:    conv.NewBlock(s.In("block"), 16, 32, 2), // halves the image, doubles the channels
		classify: nn.NewLinear(s.In("classify"), 32, 10),
	}
	var logits *nn.Node
	_, err := nn.Build(false, func(g *nn.Graph) {
		logits = net.Forward(g, g.Input("x", make([]float32, 2*8*8*3), 2, 8, 8, 3))
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(logits.Shape(), "from", nn.CountLearned(s.Params()), "parameters")
	// Output: (2, 10) from 15322 parameters
}
