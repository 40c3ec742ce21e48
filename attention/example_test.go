package attention_test

import (
	"fmt"

	"github.com/attnconv/attnconv/attention"
	"github.com/attnconv/attnconv/nn"
	"github.com/attnconv/attnconv/posenc"
)

// One hard head, centered on the token to the right, whose value map doubles what it attends to. At the right border it
// attends to the nearest token that is there.
func ExampleSelfAttention() {
	s := nn.NewScope(0)
	encoding := posenc.NewQuadratic(s, 1)
	encoding.(posenc.Gaussian).Put(0, posenc.Head{
		Center: [2]float64{0, 1}, Precision: [2][2]float64{{200, 0}, {0, 200}},
	})
	layer := attention.New(s, encoding, posenc.Grid{Rows: 2, Cols: 3}, 1, 1, 1, 0)
	layer.Value.W.Data[0], layer.Value.B.Data[0] = 2, 0 // W_h (out, in), b (out)

	var y *nn.Node
	g, err := nn.Build(false, func(g *nn.Graph) {
		x := g.Input("x", []float32{1, 2, 3, 4, 5, 6}, 1, 6, 1) // (batch, tokens, channels)
		y = layer.Forward(g, x)
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
	// Output: [4 6 6 10 12 12]
}
