package vec

import (
	"slices"
	"testing"

	"github.com/attnconv/attnconv/internal/kernel"
	"github.com/attnconv/attnconv/internal/kernel/kerneltest"
)

// With integers the order of the sums changes nothing. What the results held before must not count.
func TestOuter(t *testing.T) {
	for _, set := range kernel.Names() {
		t.Run(set, func(t *testing.T) {
			kerneltest.Use(t, set)
			x := []float32{1, 2, 3, 4, 5, 6}
			row, col := []float32{7, 7}, []float32{8, 8, 8}
			SumOuter(row, col, x)
			if !slices.Equal(row, []float32{6, 15}) || !slices.Equal(col, []float32{5, 7, 9}) {
				t.Errorf("SumOuter: rows %v and columns %v, want 6 15 and 5 7 9", row, col)
			}
			AddOuter(x, []float32{10, 20}, []float32{1, 2, 3})
			if want := []float32{12, 14, 16, 25, 27, 29}; !slices.Equal(x, want) {
				t.Errorf("AddOuter: %v, want %v", x, want)
			}
		})
	}
}
