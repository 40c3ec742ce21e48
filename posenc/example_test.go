package posenc_test

import (
	"fmt"

	"github.com/attnconv/attnconv/nn"
	"github.com/attnconv/attnconv/posenc"
)

// The scores of one head that is centered on the token to the right, on a grid of 2 × 3 tokens: a sum of scores along
// rows and along columns.
func ExampleQuadratic() {
	e := &posenc.Quadratic{
		Center: &nn.Param{Name: "center", Shape: []int{1, 2}, Data: []float32{0, 1}}, // Δ = (0, 1)
		Spread: &nn.Param{Name: "spread", Shape: []int{1}, Data: []float32{2}},       // α = s²/2 = 2
	}
	var scores posenc.Separable
	g, err := nn.Build(false, func(g *nn.Graph) {
		scores = e.Scores(g,
			posenc.Grid{Rows: 2, Cols: 3}).(posenc.Separable)
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	f, err := nn.Compile(g, nil, scores.Row, scores.Col)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer f.Close()
	if err := f.Run(0); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println("along rows   ", whole(nn.Value(scores.Row))) // (heads, rows, rows)
	fmt.Println("along columns", whole(nn.Value(scores.Col))) // (heads, cols, cols)
	// Output:
	// along rows    [0 -2 -2 0]
	// along columns [-2 0 -2 -8 -2 0 -18 -8 -2]
}

// whole returns integers, of which none is -0.
func whole(values []float32) (all []int) {
	for _, v := range values {
		all = append(all, int(v))
	}
	return all
}
