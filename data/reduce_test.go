package data

import (
	"math"
	"slices"
	"testing"
)

// Sizes that divide: the mean of squares, by channel; others: parts of pixels, by their area.
func TestReduction(t *testing.T) {
	reduce := func(src []float32, rows, cols, channels, toRows, toCols int) []float32 {
		t.Helper()
		r, err := NewReduction(rows, cols, channels, toRows, toCols)
		if err != nil {
			t.Fatal(err)
		}
		from, to := r.Size()
		dst := slices.Repeat([]float32{7}, len(src)/from*to)
		r.Images(dst, src)
		return dst
	}
	two := []float32{0, 10, 4, 20, 8, 30, 4, 40, 1, 1, 1, 1, 1, 1, 1, 1} // two images of 2 × 2 × 2
	if got, want := reduce(two, 2, 2, 2, 1, 1), []float32{4, 25, 1, 1}; !slices.Equal(got, want) {
		t.Errorf("2 × 2 to 1: %v, want %v", got, want)
	}
	if got := reduce(two, 2, 2, 2, 2, 2); !slices.Equal(got, two) {
		t.Errorf("to the same size: %v", got)
	}
	close := func(got, want []float32) bool {
		return slices.EqualFunc(got, want, func(a, b float32) bool { return math.Abs(float64(a-b)) < 1e-6 })
	}
	if got, want := reduce([]float32{3, 6, 9}, 1, 3, 1, 1, 2), []float32{4, 8}; !close(got, want) { // ⅔·3 + ⅓·6
		t.Errorf("3 to 2: %v, want %v", got, want)
	}
	if got, want := reduce([]float32{3, 6, 9}, 3, 1, 1, 2, 1), []float32{4, 8}; !close(got, want) {
		t.Errorf("3 rows to 2: %v, want %v", got, want)
	}
	for _, n := range []int{1, 7, 16, 24, 31, 32} {
		if got := reduce(slices.Repeat([]float32{0.3}, 32*32), 32, 32, 1, n, n); !close(got,
			slices.Repeat([]float32{0.3}, n*n)) {
			t.Errorf("32 to %d: an even image is no longer even", n)
		}
	}
	for _, bad := range [][2]int{{0, 1}, {3, 1}, {1, 3}} {
		if _, err := NewReduction(2, 2, 1, bad[0], bad[1]); err == nil {
			t.Errorf("2 × 2 to %v: no error", bad)
		}
	}
}
