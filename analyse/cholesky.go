package analyse

import (
	"context"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/lapack/lapack64"

	"github.com/attnconv/attnconv/internal/kernel/threads"
)

// Blocks of the factor. gonum multiplies up to 3 blocks of 64 × 64 on the calling goroutine, in an order of its own
// choice; each product here is no larger, and is one task, so that no sum depends on the number of threads.
const (
	panel = 64  // columns that are factored together
	tall  = 192 // rows of a task
	deep  = 256 // steps of a product: with slim rows of the other factor they take 32 KB of first-level cache
	slim  = 16
)

// A system is a matrix A, and the right-hand sides B of equations A·W = B below it, by rows:
//
//	A   (n, n), of which the lower half counts
//	Bᵀ  (out, n)
type system struct {
	n, out int
	data   []float64
}

func newSystem(n, out int) system { return system{n, out, make([]float64, (n+out)*n)} }

// block is rows × cols elements from (i, j) on.
func (s system) block(i, j, rows, cols int) blas64.General {
	return blas64.General{Rows: rows, Cols: cols, Stride: s.n, Data: s.data[i*s.n+j:]}
}

// corner is the lower half of the diagonal block from (j, j) on.
func (s system) corner(j, cols int) blas64.Triangular {
	return blas64.Triangular{Uplo: blas.Lower, Diag: blas.NonUnit, N: cols, Stride: s.n, Data: s.data[j*s.n+j:]}
}

// factor replaces A by its Cholesky factor L, with A = L·Lᵀ, and Bᵀ by Zᵀ = Bᵀ·L⁻ᵀ, panel after panel from the left. It
// returns false if A is not positive definite, and the error of ctx once that is done.
func (s system) factor(ctx context.Context) (ok bool, err error) {
	rows := s.n + s.out
	for j := 0; j < s.n; j += panel {
		if err := ctx.Err(); err != nil {
			return false, err
		}
		cols := min(panel, s.n-j)
		threads.Blocks(rows-j, tall, func(lo, hi int) { s.subtract(j+lo, hi-lo, j, cols) })
		t := s.corner(j, cols)
		if t, ok = lapack64.Potrf(blas64.Symmetric{Uplo: blas.Lower, N: cols, Stride: s.n, Data: t.Data}); !ok {
			return false, nil
		}
		below := j + cols
		threads.Blocks(rows-below, tall, func(lo, hi int) {
			blas64.Trsm(blas.Right, blas.Trans, 1, t, s.block(below+lo, j, hi-lo, cols))
		})
	}
	return true, nil
}

// subtract takes L_i·L_jᵀ, of the columns before j, from the block at (i, j).
func (s system) subtract(i, rows, j, cols int) {
	for k := 0; k < j; k += deep {
		steps := min(deep, j-k)
		for c := j; c < j+cols; c += slim {
			n := min(slim, j+cols-c)
			blas64.Gemm(blas.NoTrans, blas.Trans, -1, s.block(i, k, rows, steps), s.block(c, k, n, steps), 1,
				s.block(i, c, rows, n))
		}
	}
}

// solve returns Wᵀ (out, n) for the first n equations and unknowns, Wᵀ·L = Zᵀ, panel after panel from the right.
func (s system) solve(n int) system {
	w := system{n, 0, make([]float64, s.out*n)}
	for o := range s.out {
		copy(w.data[o*n:(o+1)*n], s.data[(s.n+o)*s.n:])
	}
	for j := (n - 1) / panel * panel; j >= 0; j -= panel {
		cols := min(panel, n-j)
		blas64.Trsm(blas.Right, blas.NoTrans, 1, s.corner(j, cols), w.block(0, j, s.out, cols))
		threads.Blocks(j, panel, func(lo, hi int) {
			for o := 0; o < s.out; o += tall {
				rows := min(tall, s.out-o)
				blas64.Gemm(blas.NoTrans, blas.NoTrans, -1, w.block(o, j, rows, cols), s.block(j, lo, cols, hi-lo), 1,
					w.block(o, lo, rows, hi-lo))
			}
		})
	}
	return w
}
