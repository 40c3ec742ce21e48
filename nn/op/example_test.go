package op_test

import (
	"fmt"
	"log"

	"github.com/attnconv/attnconv/nn"
	"github.com/attnconv/attnconv/nn/op"
)

// Square is x², element by element: an operation of one's own.
func Square(x *op.Node) *op.Node {
	return op.Definition{
		Name: "square", Want: "x (…)",
		Shape: func(in []op.Shape) (op.Shape, bool) { return in[0], len(in) == 1 },
		Forward: func(y []float32, in [][]float32) {
			for i, x := range in[0] {
				y[i] = x * x
			}
		},
		Backward: func(dIn [][]float32, dy, _ []float32, in [][]float32) {
			for i, x := range in[0] {
				dIn[0][i] = 2 * x * dy[i]
			}
		},
		NotSaved: []int{op.Output},
	}.Apply(x)
}

func ExampleDefinition() {
	// In a test: does the backward pass belong to the forward pass?
	fmt.Println(op.CheckGradients(func(in ...*op.Node) *op.Node { return Square(in[0]) }, nil, op.Shape{2, 3}))

	// In a graph, between other operations:
	var y *op.Node
	g, err := nn.Build(false, func(g *nn.Graph) {
		x := g.Input("x", []float32{1, 2, 3, 4}, 2, 2)
		y = op.Add(Square(x), x)
	})
	if err != nil {
		log.Fatal(err)
	}
	f, err := nn.Compile(g, nil, y)
	if err != nil {
		log.Fatal(err)
	}
	defer f.Close()
	if err := f.Run(0); err != nil {
		log.Fatal(err)
	}
	fmt.Println(nn.Value(y))
	// Output:
	// <nil>
	// [2 6 12 20]
}
