//go:build !purego

package gemm

import (
	"math"

	"github.com/attnconv/attnconv/internal/kernel/pool"
)

// avx2Rounding is round in vectors; what is left over is plain Go.
func avx2Rounding(x []float32) { roundVectors(x, 8, avx2Round) }

// avx512Rounding is the same with wider vectors.
func avx512Rounding(x []float32) { roundVectors(x, 16, avx512Round) }

func roundVectors(x []float32, lanes int, f func(n int, x []float32)) {
	n := len(x) / lanes
	if n > 0 {
		f(n, x)
	}
	round(x[n*lanes:])
}

// avx512PairsA packs k columns of A as ⌈k/2⌉ columns of pairs, the even one in the lower halves.
func avx512PairsA(dst []float32, m, k int, a []float32, lda int, byCols bool) {
	if byCols {
		steps := k / 2 * 2
		if steps > 0 {
			avx512PairRows(steps/2, m, m, dst, m, a, lda)
		}
		pairsPlain(dst[steps/2*m:], m, m, m, k-steps, behind(a, steps*lda), 1, lda)
		return
	}
	steps := 0
	if m%4 == 0 {
		steps = k / 16 * 16
	}
	for i := 0; i < m && steps > 0; i += 8 {
		columns := avx512PairColumns8
		if m-i < 8 {
			columns = avx512PairColumns4
		}
		columns(steps/16, dst[i:], m, a[i*lda:], lda)
	}
	pairsPlain(dst[steps/2*m:], m, m, m, k-steps, behind(a, steps), lda, 1)
}

// avx512PairsB packs k rows of B as ⌈k/2⌉ rows of pairs.
func avx512PairsB(dst []float32, nr, n, k int, b []float32, ldb int, byCols bool) {
	if !byCols {
		steps := k / 2 * 2
		for j := 0; j < nr && steps > 0; j += 16 {
			avx512PairRows(steps/2, max(0, min(16, n-j)), 16, dst[j:], nr, behind(b, j), ldb)
		}
		pairsPlain(dst[steps/2*nr:], nr, nr, n, k-steps, behind(b, steps*ldb), 1, ldb)
		return
	}
	steps, whole := k/16*16, n/8*8
	for j := 0; j < whole && steps > 0; j += 8 {
		avx512PairColumns8(steps/16, dst[j:], nr, b[j*ldb:], ldb)
	}
	pairsPlain(dst[whole:], nr, nr-whole, n-whole, steps, behind(b, whole*ldb), ldb, 1)
	pairsPlain(dst[steps/2*nr:], nr, nr, n, k-steps, behind(b, steps), ldb, 1)
}

// behind is x[i:], or empty where x ends before i.
func behind(x []float32, i int) []float32 { return x[min(i, len(x)):] }

// pairsPlain packs k steps of n elements, element i of step l at x[i·di + l·dl], as rows of width pairs that are ld
// apart, with zeros beyond n.
func pairsPlain(dst []float32, ld, width, n, k int, x []float32, di, dl int) {
	half := func(i, l int) uint32 {
		if i >= n || l >= k {
			return 0
		}
		return math.Float32bits(rounded(x[i*di+l*dl])) >> 16
	}
	for l := 0; l < k; l += 2 {
		for i := range width {
			dst[l/2*ld+i] = math.Float32frombits(half(i, l) | half(i, l+1)<<16)
		}
	}
}

// amxPackA packs m rows of ⌈k/2⌉ pairs.
func amxPackA(dst []float32, m, k int, a []float32, lda int, byCols bool) {
	pairs := (k + 1) / 2
	columns := pool.Get(pairs * m)
	avx512PairsA(*columns, m, k, a, lda, byCols)
	avx512PackA(dst, pairs, m, *columns, m, false)
	pool.Put(columns)
}
