package nn_test

import (
	"fmt"

	"github.com/attnconv/attnconv/nn"
)

// A layer has parameters, or other layers, and a Forward method. Average is the mean of mapped tokens.
//
// x (batch, tokens, in) -> y (batch, out)
type Average struct{ Map *nn.Linear }

// Forward implements nn.Layer.
func (l *Average) Forward(g *nn.Graph, x *nn.Node) *nn.Node {
	return nn.MeanTokens{}.Forward(g, l.Map.Forward(g, x))
}

// Parameters belong to a layer, and a graph borrows them: it is built once and runs with the values of the moment.
func ExampleCompile() {
	layer := &Average{Map: nn.NewLinear(nn.NewScope(0), 2, 2)}
	copy(layer.Map.W.Data, []float32{10, 0, 0, 100}) // (out, in)
	copy(layer.Map.B.Data, []float32{0, 0})

	tokens := []float32{1, 2, 3, 4} // (batch, tokens, channels)
	var y *nn.Node
	g, err := nn.Build(false, func(g *nn.Graph) { y = layer.Forward(g, g.Input("x", tokens, 1, 2, 2)) })
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
	for step, bias := range []float32{0, 7} {
		layer.Map.B.Data[0] = bias
		if err := f.Run(uint64(step)); err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(nn.Value(y))
	}
	// Output:
	// [20 300]
	// [27 300]
}
