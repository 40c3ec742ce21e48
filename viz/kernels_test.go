package viz

import (
	"fmt"
	"math"
	"strings"
	"testing"
)

// bump returns a kernel of so many rows and columns that falls from a shift on.
func bump(rows, cols int, center [2]float64, width float64) (norm [][]float64) {
	for r := range rows {
		norm = append(norm, nil)
		for k := range cols {
			d := math.Hypot(float64(r-rows/2)-center[0], float64(k-cols/2)-center[1])
			norm[r] = append(norm[r], 3*math.Exp(-d*d/width))
		}
	}
	return norm
}

func kernels(t *testing.T, width float64) *Figure {
	t.Helper()
	f, err := Kernels([]LayerKernel{
		{1, bump(15, 15, [2]float64{}, 1)}, {2, bump(15, 15, [2]float64{0, -2}, 6)},
		{3, bump(15, 7, [2]float64{4, 1}, 2)},
	}, KernelsOptions{Width: width})
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func TestKernelsLookAsBefore(t *testing.T) { looksAsBefore(t, "kernels", kernels(t, 12)) }

// Rows count downwards and columns to the right, from the shift zero in the middle.
func TestKernelsTable(t *testing.T) {
	f := kernels(t, 0)
	if got := string(f.Data.CSV()); !strings.Contains(got, "\n2,0,-2,3\n") || !strings.Contains(got, "\n3,4,1,3\n") {
		t.Error("the peaks are not at their shifts")
	}
	if want := "layer 3: largest norm 3 at shift (4, 1)"; !strings.Contains(f.Alt, want) {
		t.Errorf("no %q in %q", want, f.Alt)
	}
}

func TestKernelsRefuse(t *testing.T) {
	for _, norm := range [][][]float64{nil, {{}}, {{1, 2}}, {{1}, {2}}, {{1}, {1, 2, 3}, {1}}, {{math.NaN()}}, {{-1}}} {
		if _, err := Kernels([]LayerKernel{{1, norm}}, KernelsOptions{}); err == nil {
			t.Errorf("%v: want an error", norm)
		}
	}
	if _, err := Kernels(nil, KernelsOptions{}); err == nil {
		t.Error("no kernels: want an error")
	}
}

// A kernel whose largest weight is one token above the query.
func ExampleKernels() {
	f, err := Kernels([]LayerKernel{{Number: 1, Norm: [][]float64{{0, 2, 0}, {0.5, 1, 0.5}, {0, 0, 0}}}},
		KernelsOptions{})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(f.Alt)
	// Output: Kernels by shift. layer 1: largest norm 2 at shift (-1, 0).
}
