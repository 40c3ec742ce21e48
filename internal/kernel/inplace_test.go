package kernel

import (
	"fmt"
	"testing"
)

// Products whose A and B lie where they lie: every height of a tile, columns that fill panels and columns that do not,
// A by rows and by columns, set and added.
func TestMulInPlace(t *testing.T) {
	for _, s := range sets {
		t.Run(s.Name, func(t *testing.T) {
			use(t, s)
			for _, tt := range []struct{ m, k, n int }{
				{1, 1, 1}, {2, 3, 16}, {3, 4, 32}, {4, 5, 33}, {5, 9, 64}, {6, 8, 48}, {7, 16, 32}, {8, 7, 20}, {9, 12, 32},
				{10, 2, 31}, {11, 6, 64}, {12, 21, 32}, {25, 17, 70}, {48, 64, 64},
			} {
				for _, turned := range []bool{false, true} {
					for _, add := range []bool{false, true} {
						mulInPlaceCase(t, tt.m, tt.k, tt.n, turned, add)
					}
				}
			}
		})
	}
}

func mulInPlaceCase(t *testing.T, m, k, n int, turned, add bool) {
	t.Helper()
	lda, ldc := k+3, n+5
	a, c := newFence(m*lda-3, 1), newFence(m*ldc-5, 3)
	left := Mat{data: a.in, rows: m, cols: k, stride: lda}
	if turned {
		lda = m + 3
		a = newFence(k*lda-3, 1)
		left = Mat{data: a.in, rows: m, cols: k, stride: lda, turned: true}
	}
	b := sample(k*n, 2)
	w := best.width
	panels := make([]float32, k*roundUp(n, w))
	packPanels(panels, Matrix(b, k, n))
	want := make([]float64, m*n)
	for i := range m {
		for j := range n {
			if add {
				want[i*n+j] = float64(c.in[i*ldc+j])
			}
			for l := range k {
				at := i*lda + l
				if turned {
					at = l*lda + i
				}
				want[i*n+j] += float64(a.in[at]) * float64(b[l*n+j])
			}
		}
	}
	mulInPlace(Mat{data: c.in, rows: m, cols: n, stride: ldc}, left, panels, k*w, w, add)
	got := make([]float32, m*n)
	for i := range m {
		copy(got[i*n:], c.in[i*ldc:][:n])
	}
	sumsNear(t, fmt.Sprintf("%d × %d × %d, turned %t, add %t", m, k, n, turned, add), got, want)
	if a.broken() || c.broken() {
		t.Fatalf("%d × %d × %d, turned %t, add %t: wrote outside a slice", m, k, n, turned, add)
	}
}
