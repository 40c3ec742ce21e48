//go:build !purego

package kernel

//go:generate go run -C gen ./inplace -out ../inplace_amd64.s

var inPlaceAVX2 = inPlaceSet{tileRows: tileRowsAVX2, tileCols: tileColsAVX2}

var inPlaceAVX512 = inPlaceSet{tileRows: tileRowsAVX512, tileCols: tileColsAVX512}

func tileRowsAVX2(rows, k int, a []float32, lda int, b []float32, ldb int, c []float32, ldc int, add bool) {
	switch rows {
	case 6:
		rowsTile6AVX2(k, a, lda, b, ldb, c, ldc, add)
	case 5:
		rowsTile5AVX2(k, a, lda, b, ldb, c, ldc, add)
	case 4:
		rowsTile4AVX2(k, a, lda, b, ldb, c, ldc, add)
	case 3:
		rowsTile3AVX2(k, a, lda, b, ldb, c, ldc, add)
	case 2:
		rowsTile2AVX2(k, a, lda, b, ldb, c, ldc, add)
	case 1:
		rowsTile1AVX2(k, a, lda, b, ldb, c, ldc, add)
	}
}

func tileColsAVX2(rows, k int, a []float32, lda int, b []float32, ldb int, c []float32, ldc int, add bool) {
	switch rows {
	case 6:
		colsTile6AVX2(k, a, lda, b, ldb, c, ldc, add)
	case 5:
		colsTile5AVX2(k, a, lda, b, ldb, c, ldc, add)
	case 4:
		colsTile4AVX2(k, a, lda, b, ldb, c, ldc, add)
	case 3:
		colsTile3AVX2(k, a, lda, b, ldb, c, ldc, add)
	case 2:
		colsTile2AVX2(k, a, lda, b, ldb, c, ldc, add)
	case 1:
		colsTile1AVX2(k, a, lda, b, ldb, c, ldc, add)
	}
}

func tileRowsAVX512(rows, k int, a []float32, lda int, b []float32, ldb int, c []float32, ldc int, add bool) {
	switch rows {
	case 12:
		rowsTile12AVX512(k, a, lda, b, ldb, c, ldc, add)
	case 11:
		rowsTile11AVX512(k, a, lda, b, ldb, c, ldc, add)
	case 10:
		rowsTile10AVX512(k, a, lda, b, ldb, c, ldc, add)
	case 9:
		rowsTile9AVX512(k, a, lda, b, ldb, c, ldc, add)
	case 8:
		rowsTile8AVX512(k, a, lda, b, ldb, c, ldc, add)
	case 7:
		rowsTile7AVX512(k, a, lda, b, ldb, c, ldc, add)
	case 6:
		rowsTile6AVX512(k, a, lda, b, ldb, c, ldc, add)
	case 5:
		rowsTile5AVX512(k, a, lda, b, ldb, c, ldc, add)
	case 4:
		rowsTile4AVX512(k, a, lda, b, ldb, c, ldc, add)
	case 3:
		rowsTile3AVX512(k, a, lda, b, ldb, c, ldc, add)
	case 2:
		rowsTile2AVX512(k, a, lda, b, ldb, c, ldc, add)
	case 1:
		rowsTile1AVX512(k, a, lda, b, ldb, c, ldc, add)
	}
}

func tileColsAVX512(rows, k int, a []float32, lda int, b []float32, ldb int, c []float32, ldc int, add bool) {
	switch rows {
	case 12:
		colsTile12AVX512(k, a, lda, b, ldb, c, ldc, add)
	case 11:
		colsTile11AVX512(k, a, lda, b, ldb, c, ldc, add)
	case 10:
		colsTile10AVX512(k, a, lda, b, ldb, c, ldc, add)
	case 9:
		colsTile9AVX512(k, a, lda, b, ldb, c, ldc, add)
	case 8:
		colsTile8AVX512(k, a, lda, b, ldb, c, ldc, add)
	case 7:
		colsTile7AVX512(k, a, lda, b, ldb, c, ldc, add)
	case 6:
		colsTile6AVX512(k, a, lda, b, ldb, c, ldc, add)
	case 5:
		colsTile5AVX512(k, a, lda, b, ldb, c, ldc, add)
	case 4:
		colsTile4AVX512(k, a, lda, b, ldb, c, ldc, add)
	case 3:
		colsTile3AVX512(k, a, lda, b, ldb, c, ldc, add)
	case 2:
		colsTile2AVX512(k, a, lda, b, ldb, c, ldc, add)
	case 1:
		colsTile1AVX512(k, a, lda, b, ldb, c, ldc, add)
	}
}

// The routines below work like inPlaceGeneric for 16 or 32 columns of B and as many rows as their names say.

//go:noescape
func rowsTile6AVX2(k int, a []float32, lda int, b []float32, ldb int, c []float32, ldc int, add bool)

//go:noescape
func rowsTile5AVX2(k int, a []float32, lda int, b []float32, ldb int, c []float32, ldc int, add bool)

//go:noescape
func rowsTile4AVX2(k int, a []float32, lda int, b []float32, ldb int, c []float32, ldc int, add bool)

//go:noescape
func rowsTile3AVX2(k int, a []float32, lda int, b []float32, ldb int, c []float32, ldc int, add bool)

//go:noescape
func rowsTile2AVX2(k int, a []float32, lda int, b []float32, ldb int, c []float32, ldc int, add bool)

//go:noescape
func rowsTile1AVX2(k int, a []float32, lda int, b []float32, ldb int, c []float32, ldc int, add bool)

//go:noescape
func colsTile6AVX2(k int, a []float32, lda int, b []float32, ldb int, c []float32, ldc int, add bool)

//go:noescape
func colsTile5AVX2(k int, a []float32, lda int, b []float32, ldb int, c []float32, ldc int, add bool)

//go:noescape
func colsTile4AVX2(k int, a []float32, lda int, b []float32, ldb int, c []float32, ldc int, add bool)

//go:noescape
func colsTile3AVX2(k int, a []float32, lda int, b []float32, ldb int, c []float32, ldc int, add bool)

//go:noescape
func colsTile2AVX2(k int, a []float32, lda int, b []float32, ldb int, c []float32, ldc int, add bool)

//go:noescape
func colsTile1AVX2(k int, a []float32, lda int, b []float32, ldb int, c []float32, ldc int, add bool)

//go:noescape
func rowsTile12AVX512(k int, a []float32, lda int, b []float32, ldb int, c []float32, ldc int, add bool)

//go:noescape
func rowsTile11AVX512(k int, a []float32, lda int, b []float32, ldb int, c []float32, ldc int, add bool)

//go:noescape
func rowsTile10AVX512(k int, a []float32, lda int, b []float32, ldb int, c []float32, ldc int, add bool)

//go:noescape
func rowsTile9AVX512(k int, a []float32, lda int, b []float32, ldb int, c []float32, ldc int, add bool)

//go:noescape
func rowsTile8AVX512(k int, a []float32, lda int, b []float32, ldb int, c []float32, ldc int, add bool)

//go:noescape
func rowsTile7AVX512(k int, a []float32, lda int, b []float32, ldb int, c []float32, ldc int, add bool)

//go:noescape
func rowsTile6AVX512(k int, a []float32, lda int, b []float32, ldb int, c []float32, ldc int, add bool)

//go:noescape
func rowsTile5AVX512(k int, a []float32, lda int, b []float32, ldb int, c []float32, ldc int, add bool)

//go:noescape
func rowsTile4AVX512(k int, a []float32, lda int, b []float32, ldb int, c []float32, ldc int, add bool)

//go:noescape
func rowsTile3AVX512(k int, a []float32, lda int, b []float32, ldb int, c []float32, ldc int, add bool)

//go:noescape
func rowsTile2AVX512(k int, a []float32, lda int, b []float32, ldb int, c []float32, ldc int, add bool)

//go:noescape
func rowsTile1AVX512(k int, a []float32, lda int, b []float32, ldb int, c []float32, ldc int, add bool)

//go:noescape
func colsTile12AVX512(k int, a []float32, lda int, b []float32, ldb int, c []float32, ldc int, add bool)

//go:noescape
func colsTile11AVX512(k int, a []float32, lda int, b []float32, ldb int, c []float32, ldc int, add bool)

//go:noescape
func colsTile10AVX512(k int, a []float32, lda int, b []float32, ldb int, c []float32, ldc int, add bool)

//go:noescape
func colsTile9AVX512(k int, a []float32, lda int, b []float32, ldb int, c []float32, ldc int, add bool)

//go:noescape
func colsTile8AVX512(k int, a []float32, lda int, b []float32, ldb int, c []float32, ldc int, add bool)

//go:noescape
func colsTile7AVX512(k int, a []float32, lda int, b []float32, ldb int, c []float32, ldc int, add bool)

//go:noescape
func colsTile6AVX512(k int, a []float32, lda int, b []float32, ldb int, c []float32, ldc int, add bool)

//go:noescape
func colsTile5AVX512(k int, a []float32, lda int, b []float32, ldb int, c []float32, ldc int, add bool)

//go:noescape
func colsTile4AVX512(k int, a []float32, lda int, b []float32, ldb int, c []float32, ldc int, add bool)

//go:noescape
func colsTile3AVX512(k int, a []float32, lda int, b []float32, ldb int, c []float32, ldc int, add bool)

//go:noescape
func colsTile2AVX512(k int, a []float32, lda int, b []float32, ldb int, c []float32, ldc int, add bool)

//go:noescape
func colsTile1AVX512(k int, a []float32, lda int, b []float32, ldb int, c []float32, ldc int, add bool)
