package theorem_test

import (
	"fmt"

	"github.com/attnconv/attnconv/theorem"
)

// edges returns a 3 × 3 convolution of one channel that detects vertical edges.
func edges() *theorem.Conv[float32] {
	return &theorem.Conv[float32]{
		Geometry: theorem.Geometry{Kernel: []int{3, 3}, Before: []int{1, 1}, After: []int{1, 1}},
		In:       1, Out: 1,
		Weight: []float32{-1, 0, 1, -2, 0, 2, -1, 0, 1},
	}
}

// A convolution becomes an attention layer of nine heads. On an image of 3 × 4 pixels the two are equal.
func ExampleFromConv() {
	image := []float32{
		0, 0, 1, 1,
		0, 0, 1, 1,
		0, 1, 1, 0,
	}
	conv := edges()
	layer, err := theorem.FromConv(conv, theorem.FromOptions{})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(len(layer.Heads), "heads, the first", layer.Heads[0])
	fmt.Println("convolution", conv.Forward([]int{3, 4}, image)[0])
	fmt.Println("attention  ", layer.Forward([]int{3, 4}, image)[0])
	// Output:
	// 9 heads, the first {[-1 -1] 104}
	// convolution [0 3 3 -3 1 4 2 -4 2 3 -1 -3]
	// attention   [0 3 3 -3 1 4 2 -4 2 3 -1 -3]
}

// The same convolution with soft heads, whose gradients do not vanish: each attends to all nine pixels, and a
// least-squares problem determines their matrices.
func ExampleFromConvWith() {
	conv := edges()
	var heads []theorem.Head[float32]
	for _, shift := range conv.Shifts() {
		soft := theorem.Gaussian[float32]{Center: []float32{float32(shift[0]), float32(shift[1])}, Alpha: 0.5}
		heads = append(heads, theorem.Windowed(soft, conv.Shifts()))
	}
	layer, fit, err := theorem.FromConvWith(conv, heads, []int{3, 4})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("residual below 1e-6: %t, condition %.0f\n", fit.Residual < 1e-6, fit.Condition)
	y := layer.Forward([]int{3, 4}, []float32{0, 0, 1, 1, 0, 0, 1, 1, 0, 1, 1, 0})[0]
	fmt.Printf("%.3f\n", y[5:8])
	// Output:
	// residual below 1e-6: true, condition 95
	// [4.000 2.000 -4.000]
}

// With one channel in and out the unfolded kernel is a single column, of rank 1: two heads suffice.
func ExampleFromConvRank() {
	layer, rank, err := theorem.FromConvRank(edges())
	if err != nil {
		fmt.Println(err)
		return
	}
	y := layer.Forward([]int{3, 4}, []float32{0, 0, 1, 1, 0, 0, 1, 1, 0, 1, 1, 0})[0]
	fmt.Printf("rank %d, %d heads: %.3f\n", rank, len(layer.Heads), y[5:8])
	// Output: rank 1, 2 heads: [4.000 2.000 -4.000]
}

// Heads of dimension 1 cannot represent matrices of rank 2; the best factors lose 60 % of the norm.
func ExampleLayer_Factor() {
	conv := &theorem.Conv[float64]{Geometry: theorem.Geometry{Kernel: []int{1}}, In: 2, Out: 2,
		Weight: []float64{3, 0, 0, 4}}
	layer, err := theorem.FromConv(conv, theorem.FromOptions{})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, dim := range []int{1, 2} {
		factors, err := layer.Factor(dim)
		fmt.Println("D_h =", dim, "loses", factors.Lost, err)
	}
	// Output:
	// D_h = 1 loses 0.6 <nil>
	// D_h = 2 loses 0 <nil>
}
