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

var gemmAVX512 = gemmSet{
	width:  32,
	height: 12,
	tile:   tileAVX512,
	packA:  packAAVX512,
	packB:  packBAVX512,
	spin:   spinAVX512,
	spinOp: 4 * 12 * 16 * 2,
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

func tileAVX512(rows, k int, a, b []float32, ldb int, c []float32, ldc int, add bool) {
	switch rows {
	case 12:
		tile12AVX512(k, a, b, ldb, c, ldc, add)
	case 11:
		tile11AVX512(k, a, b, ldb, c, ldc, add)
	case 10:
		tile10AVX512(k, a, b, ldb, c, ldc, add)
	case 9:
		tile9AVX512(k, a, b, ldb, c, ldc, add)
	case 8:
		tile8AVX512(k, a, b, ldb, c, ldc, add)
	case 7:
		tile7AVX512(k, a, b, ldb, c, ldc, add)
	case 6:
		tile6AVX512(k, a, b, ldb, c, ldc, add)
	case 5:
		tile5AVX512(k, a, b, ldb, c, ldc, add)
	case 4:
		tile4AVX512(k, a, b, ldb, c, ldc, add)
	case 3:
		tile3AVX512(k, a, b, ldb, c, ldc, add)
	case 2:
		tile2AVX512(k, a, b, ldb, c, ldc, add)
	case 1:
		tile1AVX512(k, a, b, ldb, c, ldc, add)
	}
}

// packAAVX2 works like packAGeneric, eight steps of k at a time where the panel has all its rows.
func packAAVX2(dst []float32, rows, k int, a []float32, lda int, turned bool) {
	switch n := k / 8; {
	case rows == 6 && turned:
		copy6AVX2(k, dst, a, lda)
	case rows == 6 && n > 0:
		turn6AVX2(n, dst, 6, a, lda)
		if 8*n < k {
			packAGeneric(dst[48*n:], rows, k-8*n, a[8*n:], lda, false)
		}
	default:
		packAGeneric(dst, rows, k, a, lda, turned)
	}
}

// packBAVX2 works like packBGeneric for panels of 16 columns.
func packBAVX2(dst []float32, cols, k int, b []float32, ldb int, turned bool) {
	if cols == 16 && !turned {
		copy16AVX2(k, dst, b, ldb)
		return
	}
	packPart(dst, 16, cols, k, b, ldb, turned)
}

// packPart packs a panel of width columns of which cols are there: as rows, or turning eight columns at a time.
func packPart(dst []float32, width, cols, k int, b []float32, ldb int, turned bool) {
	n := k / 8
	if !turned || n == 0 {
		packBGeneric(dst, width, cols, k, b, ldb, turned)
		return
	}
	if cols < width {
		clear(dst[:width*k])
	}
	whole := cols / 8 * 8
	for j := 0; j < whole; j += 8 {
		turn8AVX2(n, dst[j:], width, b[j*ldb:], ldb)
	}
	for l := range k {
		first := 0
		if l < 8*n {
			first = whole
		}
		for j := first; j < cols; j++ {
			dst[l*width+j] = b[j*ldb+l]
		}
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

// turn6AVX2 and turn8AVX2 set dst[j·ldd+i] = src[i·lds+j] for 6 or 8 rows i of 8·n numbers j.
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

// packAAVX512 works like packAAVX2.
func packAAVX512(dst []float32, rows, k int, a []float32, lda int, turned bool) {
	switch n := k / 8; {
	case rows == 12 && turned:
		copy12AVX2(k, dst, a, lda)
	case rows == 12 && n > 0:
		turn4AVX2(n, dst[8:], 12, a[8*lda:], lda)
		turn8AVX2(n, dst, 12, a, lda)
		if 8*n < k {
			packAGeneric(dst[96*n:], rows, k-8*n, a[8*n:], lda, false)
		}
	case rows == 8 && !turned && n > 0:
		turn8AVX2(n, dst, 8, a, lda)
		if 8*n < k {
			packAGeneric(dst[64*n:], rows, k-8*n, a[8*n:], lda, false)
		}
	default:
		packAGeneric(dst, rows, k, a, lda, turned)
	}
}

// packBAVX512 works like packBGeneric for panels of 32 columns.
func packBAVX512(dst []float32, cols, k int, b []float32, ldb int, turned bool) {
	if cols == 32 && !turned {
		copy32AVX512(k, dst, b, ldb)
		return
	}
	packPart(dst, 32, cols, k, b, ldb, turned)
}

// tile12AVX512 works like tileGeneric with 12 rows of 32 columns; the others with fewer rows.
//
//go:noescape
func tile12AVX512(k int, a, b []float32, ldb int, c []float32, ldc int, add bool)

//go:noescape
func tile11AVX512(k int, a, b []float32, ldb int, c []float32, ldc int, add bool)

//go:noescape
func tile10AVX512(k int, a, b []float32, ldb int, c []float32, ldc int, add bool)

//go:noescape
func tile9AVX512(k int, a, b []float32, ldb int, c []float32, ldc int, add bool)

//go:noescape
func tile8AVX512(k int, a, b []float32, ldb int, c []float32, ldc int, add bool)

//go:noescape
func tile7AVX512(k int, a, b []float32, ldb int, c []float32, ldc int, add bool)

//go:noescape
func tile6AVX512(k int, a, b []float32, ldb int, c []float32, ldc int, add bool)

//go:noescape
func tile5AVX512(k int, a, b []float32, ldb int, c []float32, ldc int, add bool)

//go:noescape
func tile4AVX512(k int, a, b []float32, ldb int, c []float32, ldc int, add bool)

//go:noescape
func tile3AVX512(k int, a, b []float32, ldb int, c []float32, ldc int, add bool)

//go:noescape
func tile2AVX512(k int, a, b []float32, ldb int, c []float32, ldc int, add bool)

//go:noescape
func tile1AVX512(k int, a, b []float32, ldb int, c []float32, ldc int, add bool)

// turn4AVX2 is turn8AVX2 for 4 rows, copy12AVX2 and copy32AVX512 are copy6AVX2 for rows of 12 and 32.
//
//go:noescape
func turn4AVX2(n int, dst []float32, ldd int, src []float32, lds int)

//go:noescape
func copy12AVX2(n int, dst, src []float32, lds int)

//go:noescape
func copy32AVX512(n int, dst, src []float32, lds int)

// spinAVX512 does n rounds of 48 multiply-adds of sixteen numbers.
//
//go:noescape
func spinAVX512(n int)
