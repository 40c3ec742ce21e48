package viz

import (
	"fmt"
	"math/rand/v2"
	"testing"
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

func TestEquationRefuses(t *testing.T) {
	for name, draw := range map[string]func() (*Figure, error){
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
