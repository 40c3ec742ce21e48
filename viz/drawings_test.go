package viz

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/attnconv/attnconv/posenc/geometry"
)

// gaussian returns a random matrix.
func gaussian(rows, cols int, rng *rand.Rand) [][]float64 {
	a := make([][]float64, rows)
	for i := range a {
		for range cols {
			a[i] = append(a[i], rng.NormFloat64())
		}
	}
	return a
}

func TestDrawingsLookAsBefore(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	x := gaussian(5, 3, rng)
	var p, w [][][]float64
	for range 3 {
		head := gaussian(5, 5, rng)
		for i := range head {
			for j := range head[i] {
				head[i][j] *= 2
			}
			geometry.Softmax(head[i])
		}
		p, w = append(p, head), append(w, gaussian(3, 4, rng))
	}
	image := [][]float64{{0, 1, 1, 0}, {0, 1, .5, 0}, {0, 1, 1, 0}, {.5, 0, 0, 1}}
	for _, tt := range []struct {
		name string
		draw func() (*Figure, error)
	}{
		{"dot_product", func() (*Figure, error) { return DotProduct(x[1], x, gaussian(5, 3, rng)) }},
		{"multi_head", func() (*Figure, error) { return MultiHead(p, x, w) }},
		{"dense", func() (*Figure, error) { return DenseAsAttention(x[:3], gaussian(9, 4, rng)) }},
		{"convolution", func() (*Figure, error) {
			return ConvolutionAsAttention(image, [][]float64{{1, 0, -1}, {2, 0, -2}, {1, 0, -1}})
		}},
	} {
		f, err := tt.draw()
		if err != nil {
			t.Fatalf("%s: %v", tt.name, err)
		}
		looksAsBefore(t, tt.name, f)
	}
}

// The result is the convolution, with expected values computed by hand.
func TestConvolutionAsAttention(t *testing.T) {
	f, err := ConvolutionAsAttention([][]float64{{1, 2}, {3, 4}}, [][]float64{{0, 0, 0}, {0, 10, 1}, {0, 100, 0}})
	if err != nil {
		t.Fatal(err)
	}
	want := map[[2]int]float64{{0, 0}: 10 + 2 + 300, {0, 1}: 20 + 400, {1, 0}: 30 + 4, {1, 1}: 40}
	for _, row := range f.Data.Rows {
		if row[2] == "result" {
			at := [2]int{row[3].(int), row[4].(int)}
			if math.Abs(row[5].(float64)-want[at]) > 1e-12 {
				t.Errorf("result at %v is %v, want %v", at, row[5], want[at])
			}
		}
	}
}

func TestDrawingsRefuse(t *testing.T) {
	one := [][]float64{{1}}
	for name, draw := range map[string]func() (*Figure, error){
		"keys":   func() (*Figure, error) { return DotProduct([]float64{1, 2}, one, one) },
		"heads":  func() (*Figure, error) { return MultiHead(nil, one, nil) },
		"dense":  func() (*Figure, error) { return DenseAsAttention(one, [][]float64{{1}, {2}}) },
		"kernel": func() (*Figure, error) { return ConvolutionAsAttention(one, [][]float64{{1, 2}, {3, 4}}) },
		"ragged": func() (*Figure, error) {
			return Equation("", [][]Term{{{Matrix: [][]float64{{1, 2}, {3}}}}}, EquationOptions{})
		},
		"nothing": func() (*Figure, error) { return Equation("", nil, EquationOptions{}) },
	} {
		if _, err := draw(); err == nil {
			t.Errorf("%s: want an error", name)
		}
	}
}

func ExampleDotProduct() {
	keys := [][]float64{{1, 0}, {0, 1}, {1, 1}}
	f, err := DotProduct([]float64{2, 0}, keys, [][]float64{{1}, {0}, {-1}})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(strings.ReplaceAll(f.Alt, "; ", ";\n"))
	// Output:
	// Attention of one query: query (1 × 2) × keys (2 × 3) = scores (1 × 3);
	// softmax( scores (1 × 3) ) = weights (1 × 3);
	// weights (1 × 3) × values (3 × 1) = result (1 × 1).
}

func ExampleMultiHead() {
	left, right := [][]float64{{1, 0}, {1, 0}}, [][]float64{{0, 1}, {0, 1}}
	f, err := MultiHead([][][]float64{left, right}, [][]float64{{1}, {2}}, [][][]float64{{{1}}, {{10}}})
	if err != nil {
		fmt.Println(err)
		return
	}
	last := f.Data.Rows[len(f.Data.Rows)-1]
	fmt.Println(last[2], last[5])
	// Output: Y 21
}

func ExampleDenseAsAttention() {
	f, err := DenseAsAttention([][]float64{{1, 2}, {3, 4}}, [][]float64{{1}, {1}, {1}, {1}})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(f.Height > 0)
	// Output: true
}

func ExampleConvolutionAsAttention() {
	stripe, edges := [][]float64{{0, 1, 0}, {0, 1, 0}, {0, 1, 0}}, [][]float64{{0, 0, 0}, {1, 0, -1}, {0, 0, 0}}
	f, err := ConvolutionAsAttention(stripe, edges)
	if err != nil {
		fmt.Println(err)
		return
	}
	svg, err := f.Encode("convolution.svg", Output{})
	fmt.Println(len(svg) > 0, err)
	// Output: true <nil>
}

// A system of two equations, in squares.
func ExampleEquation() {
	f, err := Equation("A·x = b", [][]Term{{
		{Matrix: [][]float64{{1, 0}, {0, 2}}, Name: "A"}, Sign("·"), {Matrix: [][]float64{{3}, {4}}, Name: "x"},
		Sign("="),
		{Matrix: [][]float64{{3}, {8}}, Name: "b"},
	}}, EquationOptions{})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(f.Alt)
	// Output: A·x = b: A (2 × 2) · x (2 × 1) = b (2 × 1).
}

// Matrices of heads have the heads' colors, and numbers where they are asked for.
func TestEquationOfHeadsLooksAsBefore(t *testing.T) {
	f, err := Equation("Y = P₁X·W₁", [][]Term{{
		{Matrix: [][]float64{{1, 0}, {0.25, 0.75}}, Name: "P₁", Head: 2, Numbers: true},
		Sign("×"), {Matrix: [][]float64{{-3}, {5}}, Name: "X", Numbers: true},
	}}, EquationOptions{})
	if err != nil {
		t.Fatal(err)
	}
	looksAsBefore(t, "equation_of_heads", f)
}
