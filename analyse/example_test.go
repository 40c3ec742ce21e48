package analyse_test

import (
	"fmt"

	"github.com/attnconv/attnconv/analyse"
)

// A sharp head to the left of the query, and a wide one: what of the layer is a convolution, and of which size.
func ExampleNewOperator() {
	grid := analyse.Grid{Rows: 8, Cols: 8}
	layer := analyse.Layer{Grid: grid, In: 1, Out: 2, Maps: [][]float64{{1, 0}, {0, 1}}}
	for _, head := range []struct{ left, precision float64 }{{-1, 20}, {0, 0.2}} {
		p, err := analyse.Gaussian(grid, [2]float64{0, head.left},
			[2][2]float64{{head.precision, 0}, {0, head.precision}})
		if err != nil {
			fmt.Println(err)
			return
		}
		layer.Attention = append(layer.Attention, p)
	}
	operator, err := analyse.NewOperator(layer)
	if err != nil {
		fmt.Println(err)
		return
	}
	everywhere, _ := operator.Shares(0)
	interior, _ := operator.Interior(3)
	score, shifts, _ := operator.TapScore()
	fmt.Printf("a 3 × 3 convolution is %.2f of the operator, %.2f away from borders\n", everywhere.Within(3), interior)
	fmt.Printf("tap score %.2f; the first head is the tap of %v\n", score, shifts[0])
	// Output:
	// a 3 × 3 convolution is 0.88 of the operator, 0.99 away from borders
	// tap score 0.53; the first head is the tap of [0 -1]
}
