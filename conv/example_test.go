package conv_test

import (
	"fmt"

	"github.com/attnconv/attnconv/conv"
	"github.com/attnconv/attnconv/nn"
)

// A convolution with weights of one's own: each pixel minus its left neighbour, with zeros around the image.
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
