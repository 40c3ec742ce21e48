//go:build !purego

package gemm

import (
	"math"

	"github.com/attnconv/attnconv/internal/kernel/pool"
)

// avx2Rounding is Convert in vectors; what is left over is plain Go.
func avx2Rounding(x []float32, k, width int) { roundVectors(x, 8, avx2Round, k, width) }

// avx512Rounding is the same with wider vectors.
func avx512Rounding(x []float32, k, width int) { roundVectors(x, 16, avx512Round, k, width) }

func roundVectors(x []float32, lanes int, f func(n int, x []float32), k, width int) {
	n := len(x) / lanes
	if n > 0 {
		f(n, x)
	}
	round(x[n*lanes:], k, width)
}

// avx512Pairing makes k rows ⌈k/2⌉ rows of pairs, the even one in the lower half.
func avx512Pairing(x []float32, k, width int) {
	if n := k / 2; n > 0 {
		for j := 0; j < width; j += 16 {
			avx512Interleave(n, min(16, width-j), width, x[j:])
		}
	}
	if k%2 != 0 {
		from, to := x[(k-1)*width:], x[k/2*width:]
		for j := range width {
			to[j] = math.Float32frombits(math.Float32bits(rounded(from[j])) >> 16)
		}
	}
}

// amxStrip makes k columns of rows elements rows of ⌈k/2⌉ pairs each.
func amxStrip(x []float32, k, rows int) {
	avx512Pairing(x, k, rows)
	pairs := (k + 1) / 2
	columns := pool.Get(pairs * rows)
	copy(*columns, x)
	for i := range rows {
		to := x[i*pairs:][:pairs]
		for l := range to {
			to[l] = (*columns)[l*rows+i]
		}
	}
	pool.Put(columns)
}
