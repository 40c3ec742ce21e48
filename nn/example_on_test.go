package nn_test

import (
	"fmt"
	"log"

	"gorgonia.org/gorgonia"
	"gorgonia.org/tensor"

	"github.com/attnconv/attnconv/nn"
)

// One layer in a graph of one's own: gorgonia adds the residual, takes the gradients and runs.
func ExampleOn() {
	expr := gorgonia.NewGraph()
	x := gorgonia.NewMatrix(expr, gorgonia.Float32, gorgonia.WithName("x"), gorgonia.WithShape(2, 2),
		gorgonia.WithValue(tensor.New(tensor.WithShape(2, 2), tensor.WithBacking([]float32{1, 2, 3, 4}))))

	layer := nn.NewLinear(nn.NewScope(0).In("fc"), 2, 2)
	copy(layer.W.Data, []float32{0, 1, 1, 0}) // so that the output is known
	copy(layer.B.Data, []float32{10, 20})

	g := nn.On(expr, true)
	h, err := g.Layer(layer, x)
	if err != nil {
		log.Fatal(err)
	}
	y := gorgonia.Must(gorgonia.Add(x, h)) // a residual
	loss := gorgonia.Must(gorgonia.Sum(y))
	bias := g.Use(layer.B).Emitted()
	if _, err := gorgonia.Grad(loss, x, bias); err != nil {
		log.Fatal(err)
	}
	machine := gorgonia.NewTapeMachine(expr, gorgonia.BindDualValues(x, bias))
	defer machine.Close()
	if err := machine.RunAll(); err != nil {
		log.Fatal(err)
	}
	fmt.Println("loss", loss.Value())
	for _, n := range []*gorgonia.Node{x, bias} {
		grad, err := n.Grad()
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(grad.Data())
	}
	// Output:
	// loss 80
	// [2 2 2 2]
	// [2 2]
}
