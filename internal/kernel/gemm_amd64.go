//go:build !purego

package kernel

//go:generate sh -c "cd gen && go run ./gemm -out ../gemm_amd64.s"

var gemmAVX2 = gemmSet{
	width:  16,
	height: 6,
	tile:   tileAVX2,
	packA:  packAAVX2,
	packB:  packBAVX2,
	spin:   spinAVX2,
	spinOp: 4 * 12 * 8 * 2,
}

func tileAVX2(rows, k int, a, b []float32, ldb int, c []float32, ldc int, add bool) {
	switch rows {
	case 6:
		tile6AVX2(k, a, b, ldb, c, ldc, add)
	case 5:
		tile5AVX2(k, a, b, ldb, c, ldc, add)
	case 4:
		tile4AVX2(k, a, b, ldb, c, ldc, add)
	case 3:
		tile3AVX2(k, a, b, ldb, c, ldc, add)
	case 2:
		tile2AVX2(k, a, b, ldb, c, ldc, add)
	case 1:
		tile1AVX2(k, a, b, ldb, c, ldc, add)
	}
}

// packAAVX2 works like packAGeneric, eight steps of k at a time where the block has all its rows.
func packAAVX2(dst []float32, rows, k int, a []float32, lda int, turned bool) {
	switch {
	case rows == 6 && turned:
		copy6AVX2(k, dst, a, lda)
	case rows == 6 && !turned && k > 8:
		n := (k - 1) / 8 // the last step's two numbers too many must not be the block's last
		turn6AVX2(n, dst, 6, a, lda)
		packAGeneric(dst[48*n:], rows, k-8*n, a[8*n:], lda, false)
	default:
		packAGeneric(dst, rows, k, a, lda, turned)
	}
}

// packBAVX2 works like packB16.
func packBAVX2(dst []float32, cols, k int, b []float32, ldb int, turned bool) {
	switch {
	case cols == 16 && !turned:
		copy16AVX2(k, dst, b, ldb)
	case cols == 16 && k >= 8:
		n := k / 8
		turn8AVX2(n, dst, 16, b, ldb)
		turn8AVX2(n, dst[8:], 16, b[8*ldb:], ldb)
		if 8*n < k {
			packB16(dst[128*n:], 16, k-8*n, b[8*n:], ldb, true)
		}
	default:
		packB16(dst, cols, k, b, ldb, turned)
	}
}

// tile6AVX2 works like tileGeneric with 6 rows of 16 columns; tile5AVX2 to tile1AVX2 with fewer rows.
//
//go:noescape
func tile6AVX2(k int, a, b []float32, ldb int, c []float32, ldc int, add bool)

//go:noescape
func tile5AVX2(k int, a, b []float32, ldb int, c []float32, ldc int, add bool)

//go:noescape
func tile4AVX2(k int, a, b []float32, ldb int, c []float32, ldc int, add bool)

//go:noescape
func tile3AVX2(k int, a, b []float32, ldb int, c []float32, ldc int, add bool)

//go:noescape
func tile2AVX2(k int, a, b []float32, ldb int, c []float32, ldc int, add bool)

//go:noescape
func tile1AVX2(k int, a, b []float32, ldb int, c []float32, ldc int, add bool)

// turn6AVX2 and turn8AVX2 set dst[j·ldd+i] = src[i·lds+j] for 6 or 8 rows i of 8·n numbers j. With 6 rows the last step
// writes two numbers behind its own.
//
//go:noescape
func turn6AVX2(n int, dst []float32, ldd int, src []float32, lds int)

//go:noescape
func turn8AVX2(n int, dst []float32, ldd int, src []float32, lds int)

// copy6AVX2 and copy16AVX2 copy n rows of 6 or 16 numbers, lds apart, to dst, where they follow one another.
//
//go:noescape
func copy6AVX2(n int, dst, src []float32, lds int)

//go:noescape
func copy16AVX2(n int, dst, src []float32, lds int)

// spinAVX2 does n rounds of 48 multiply-adds of eight numbers without touching memory.
//
//go:noescape
func spinAVX2(n int)

var packB16 = packBWidth(16)
