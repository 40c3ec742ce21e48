//go:build !purego

package gemm

// avx2PackA packs strips of 6 rows in assembly: one by rows is transposed eight steps at a time, one by columns copied.
func avx2PackA(dst []float32, m, k int, a []float32, lda int, byCols bool) {
	switch n := k / 8; {
	case m == 6 && byCols:
		avx2Copy6(k, dst, a, lda)
	case m == 6 && n > 0:
		avx2Transpose6(n, dst, 6, a, lda)
		packAPlain(dst[8*n*m:], m, k-8*n, a[8*n:], lda, false)
	default:
		packAPlain(dst, m, k, a, lda, byCols)
	}
}

// avx512PackA does the same for strips of 12, 8 and 4 rows.
func avx512PackA(dst []float32, m, k int, a []float32, lda int, byCols bool) {
	switch n := k / 8; {
	case m == 12 && byCols:
		avx2Copy12(k, dst, a, lda)
	case m == 12 && n > 0:
		avx2Transpose4(n, dst[8:], 12, a[8*lda:], lda)
		avx2Transpose8(n, dst, 12, a, lda)
		packAPlain(dst[8*n*m:], m, k-8*n, a[8*n:], lda, false)
	case m == 8 && !byCols && n > 0:
		avx2Transpose8(n, dst, 8, a, lda)
		packAPlain(dst[8*n*m:], m, k-8*n, a[8*n:], lda, false)
	case m == 4 && !byCols && n > 0:
		avx2Transpose4(n, dst, 4, a, lda)
		packAPlain(dst[8*n*m:], m, k-8*n, a[8*n:], lda, false)
	default:
		avx2PackA(dst, m, k, a, lda, byCols)
	}
}

// avx2PackB copies whole panels of 16 columns by rows in assembly, and transposes eight columns at a time of any panel.
func avx2PackB(dst []float32, nr, n, k int, b []float32, ldb int, byCols bool) {
	blocks := k / 8
	switch {
	case nr == 16 && n == nr && !byCols:
		avx2Copy16(k, dst, b, ldb)
		return
	case !byCols || blocks == 0:
		packBPlain(dst, nr, n, k, b, ldb, byCols)
		return
	}
	if n < nr {
		clear(dst[:nr*k])
	}
	whole := n / 8 * 8
	for j := 0; j < whole; j += 8 {
		avx2Transpose8(blocks, dst[j:], nr, b[j*ldb:], ldb)
	}
	for l := range k {
		first := 0
		if l < 8*blocks {
			first = whole
		}
		for j := first; j < n; j++ {
			dst[l*nr+j] = b[j*ldb+l]
		}
	}
}

// avx512PackB does the same for panels of 32 columns.
func avx512PackB(dst []float32, nr, n, k int, b []float32, ldb int, byCols bool) {
	if nr == 32 && n == nr && !byCols {
		avx512Copy32(k, dst, b, ldb)
		return
	}
	avx2PackB(dst, nr, n, k, b, ldb, byCols)
}
