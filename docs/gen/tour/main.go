// Command tour is the code of docs/attention.md in one program. From docs/gen:
//
//	go run ./tour
package main

import (
	"fmt"
	"math"

	"github.com/attnconv/attnconv/internal/plain"
	"github.com/attnconv/attnconv/theorem"
)

var x = plain.Matrix{{0}, {0}, {1}, {1}, {5}} // five pixels in a row, of one channel

func main() {
	convolve()
	lookUp()
	sharpen()
	addUp()
	image()
	soften()
}

// convolve moves the kernel along the row, as far as it fits.
func convolve() {
	kernel := map[int]float64{-1: -1, 0: 0, +1: 1} // W[δ], by shift δ
	for q := 2; q <= 4; q++ {
		y := 0.0
		for shift, w := range kernel {
			y += w * x[q+shift-1][0] // pixels count from 1, Go from 0
		}
		fmt.Printf("y[%d] = %v\n", q, y)
	}
}

// lookUp asks a dictionary of three keys for green.
func lookUp() {
	keys := plain.Identity(3) // red, green, blue
	values := plain.Matrix{{10}, {20}, {60}}
	green := plain.Matrix{{0, 1, 0}}
	for _, t := range []float64{100, 1, 0.1} {
		answer, weights := plain.Attend(green, keys, values, plain.Tempered(plain.Dot, t), nil)
		fmt.Printf("T = %-3v  weights %.3f  answer %.1f\n", t, weights[0], answer[0][0])
	}
}

// head returns the attention of a head around one shift: a row for each query, a column for each key.
func head(center int, alpha float64) plain.Matrix {
	return plain.SoftmaxRows(plain.Relative(5, 5, func(shift int) float64 {
		return -alpha * math.Pow(float64(shift-center), 2)
	}))
}

// sharpen shows where query 3 looks through the head for its left neighbor.
func sharpen() {
	for _, alpha := range []float64{0.1, 1, 10, 46} {
		fmt.Printf("α = %-3v  weights %.3f\n", alpha, head(-1, alpha)[3-1])
	}
}

// addUp is an attention layer of three heads, one for each entry of the kernel.
func addUp() {
	for _, alpha := range []float64{0.1, 1, 10, 46} {
		left, middle, right := head(-1, alpha).Times(x), head(0, alpha).Times(x), head(+1, alpha).Times(x)
		fmt.Printf("α = %-3v  y =", alpha)
		for q := range x {
			fmt.Printf(" %.3f", -1*left[q][0]+0*middle[q][0]+1*right[q][0])
		}
		fmt.Println()
	}
}

// edges returns a 3 × 3 convolution of one channel that finds vertical edges, padded with zeros.
func edges() *theorem.Conv[float32] {
	return &theorem.Conv[float32]{
		Geometry: theorem.Geometry{Kernel: []int{3, 3}, Before: []int{1, 1}, After: []int{1, 1}},
		In:       1, Out: 1,
		Weight: []float32{-1, 0, 1, -2, 0, 2, -1, 0, 1},
	}
}

var (
	size   = []int{4, 4}
	pixels = []float32{
		0, 0, 1, 1,
		0, 0, 1, 1,
		0, 1, 1, 0,
		0, 1, 1, 0,
	}
)

// image turns the convolution into a layer of nine heads, and runs both.
func image() {
	layer, err := theorem.FromConv(edges(), theorem.FromOptions{})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(len(layer.Heads), "heads, the first {Δ α} =", layer.Heads[0])
	fmt.Println("convolution", edges().Forward(size, pixels)[0])
	fmt.Println("attention  ", layer.Forward(size, pixels)[0])
}

// soften does the same with nine soft heads, and with the fewest.
func soften() {
	var heads []theorem.Head[float32]
	for _, shift := range edges().Shifts() {
		soft := theorem.Gaussian[float32]{Center: []float32{float32(shift[0]), float32(shift[1])}, Alpha: 0.5}
		heads = append(heads, theorem.Windowed(soft, edges().Shifts()))
	}
	layer, fit, err := theorem.FromConvWith(edges(), heads, size)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%d soft heads %.3f, residual below 1e-6: %t\n", len(layer.Heads), layer.Forward(size, pixels)[0][4:8],
		fit.Residual < 1e-6)
	few, rank, err := theorem.FromConvRank(edges())
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%d heads      %.3f, rank %d\n", len(few.Heads), few.Forward(size, pixels)[0][4:8], rank)
}
