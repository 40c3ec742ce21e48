package geometry_test

import (
	"fmt"

	"github.com/attnconv/attnconv/posenc/geometry"
)

// A head looks one token to the right; half of its weight is within 0.6 tokens of that.
func Example() {
	h := geometry.Isotropic([2]float64{0, 1}, 2)
	radius, _ := h.Axes(0.5)
	fmt.Printf("%.1f tokens\n", radius)

	g := geometry.Grid{Rows: 3, Cols: 4}
	fmt.Println(g.Shift(0, 5), len(g.Shifts()), g.Pairs(geometry.Shift{0, 1}))
	// Output:
	// 0.6 tokens
	// [1 1] 35 9
}
