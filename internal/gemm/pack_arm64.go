//go:build !purego

package gemm

// neonPackA packs strips of 4, 8 and 12 rows in assembly: one by rows is transposed four rows and steps at a time, one
// by columns copied.
func neonPackA(dst []float32, m, k int, a []float32, lda int, byCols bool) {
	switch n := k / 4; {
	case m == 12 && byCols:
		neonCopy12(k, dst, a, lda)
	case m == 8 && byCols:
		neonCopy8(k, dst, a, lda)
	case m%4 == 0 && !byCols && n > 0:
		for i := 0; i < m; i += 4 {
			neonTranspose4(n, dst[i:], m, a[i*lda:], lda)
		}
		packAPlain(dst[4*n*m:], m, k-4*n, a[4*n:], lda, false)
	default:
		packAPlain(dst, m, k, a, lda, byCols)
	}
}

// neonPackB copies whole panels of 8 columns by rows in assembly, and transposes four columns at a time of any panel.
func neonPackB(dst []float32, nr, n, k int, b []float32, ldb int, byCols bool) {
	steps := k / 4 * 4
	switch {
	case nr == 8 && n == nr && !byCols:
		neonCopy8(k, dst, b, ldb)
		return
	case !byCols || steps == 0:
		packBPlain(dst, nr, n, k, b, ldb, byCols)
		return
	}
	if n < nr {
		clear(dst[:nr*k])
	}
	whole := n / 4 * 4
	for j := 0; j < whole; j += 4 {
		neonTranspose4(steps/4, dst[j:], nr, b[j*ldb:], ldb)
	}
	for l := range k {
		first := 0
		if l < steps {
			first = whole
		}
		for j := first; j < n; j++ {
			dst[l*nr+j] = b[j*ldb+l]
		}
	}
}

// neonRounding is round in vectors; what is left over is plain Go.
func neonRounding(x []float32) {
	n := len(x) / 4
	if n > 0 {
		neonRound(n, x)
	}
	round(x[4*n:])
}
