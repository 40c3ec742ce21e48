//go:build !purego

package kernel

//go:generate go run -C gen ./inplace -out ../inplace_amd64.s

var inPlaceAVX2 = inPlaceSet{
	tileRows: tileRowsAVX2, tileCols: tileColsAVX2, halfRows: halfRowsAVX2, halfCols: halfColsAVX2,
}

var inPlaceAVX512 = inPlaceSet{
	tileRows: tileRowsAVX512, tileCols: tileColsAVX512, halfRows: halfRowsAVX512, halfCols: halfColsAVX512,
}

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

func halfRowsAVX2(rows, k int, a []float32, lda int, b []float32, ldb int, c []float32, ldc int, add bool) {
	switch rows {
	case 6:
		rowsHalf6AVX2(k, a, lda, b, ldb, c, ldc, add)
	case 5:
		rowsHalf5AVX2(k, a, lda, b, ldb, c, ldc, add)
	case 4:
		rowsHalf4AVX2(k, a, lda, b, ldb, c, ldc, add)
	case 3:
		rowsHalf3AVX2(k, a, lda, b, ldb, c, ldc, add)
	case 2:
		rowsHalf2AVX2(k, a, lda, b, ldb, c, ldc, add)
	case 1:
		rowsHalf1AVX2(k, a, lda, b, ldb, c, ldc, add)
	}
}

func halfColsAVX2(rows, k int, a []float32, lda int, b []float32, ldb int, c []float32, ldc int, add bool) {
	switch rows {
	case 6:
		colsHalf6AVX2(k, a, lda, b, ldb, c, ldc, add)
	case 5:
		colsHalf5AVX2(k, a, lda, b, ldb, c, ldc, add)
	case 4:
		colsHalf4AVX2(k, a, lda, b, ldb, c, ldc, add)
	case 3:
		colsHalf3AVX2(k, a, lda, b, ldb, c, ldc, add)
	case 2:
		colsHalf2AVX2(k, a, lda, b, ldb, c, ldc, add)
	case 1:
		colsHalf1AVX2(k, a, lda, b, ldb, c, ldc, add)
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

func halfRowsAVX512(rows, k int, a []float32, lda int, b []float32, ldb int, c []float32, ldc int, add bool) {
	switch rows {
	case 12:
		rowsHalf12AVX512(k, a, lda, b, ldb, c, ldc, add)
	case 11:
		rowsHalf11AVX512(k, a, lda, b, ldb, c, ldc, add)
	case 10:
		rowsHalf10AVX512(k, a, lda, b, ldb, c, ldc, add)
	case 9:
		rowsHalf9AVX512(k, a, lda, b, ldb, c, ldc, add)
	case 8:
		rowsHalf8AVX512(k, a, lda, b, ldb, c, ldc, add)
	case 7:
		rowsHalf7AVX512(k, a, lda, b, ldb, c, ldc, add)
	case 6:
		rowsHalf6AVX512(k, a, lda, b, ldb, c, ldc, add)
	case 5:
		rowsHalf5AVX512(k, a, lda, b, ldb, c, ldc, add)
	case 4:
		rowsHalf4AVX512(k, a, lda, b, ldb, c, ldc, add)
	case 3:
		rowsHalf3AVX512(k, a, lda, b, ldb, c, ldc, add)
	case 2:
		rowsHalf2AVX512(k, a, lda, b, ldb, c, ldc, add)
	case 1:
		rowsHalf1AVX512(k, a, lda, b, ldb, c, ldc, add)
	}
}

func halfColsAVX512(rows, k int, a []float32, lda int, b []float32, ldb int, c []float32, ldc int, add bool) {
	switch rows {
	case 12:
		colsHalf12AVX512(k, a, lda, b, ldb, c, ldc, add)
	case 11:
		colsHalf11AVX512(k, a, lda, b, ldb, c, ldc, add)
	case 10:
		colsHalf10AVX512(k, a, lda, b, ldb, c, ldc, add)
	case 9:
		colsHalf9AVX512(k, a, lda, b, ldb, c, ldc, add)
	case 8:
		colsHalf8AVX512(k, a, lda, b, ldb, c, ldc, add)
	case 7:
		colsHalf7AVX512(k, a, lda, b, ldb, c, ldc, add)
	case 6:
		colsHalf6AVX512(k, a, lda, b, ldb, c, ldc, add)
	case 5:
		colsHalf5AVX512(k, a, lda, b, ldb, c, ldc, add)
	case 4:
		colsHalf4AVX512(k, a, lda, b, ldb, c, ldc, add)
	case 3:
		colsHalf3AVX512(k, a, lda, b, ldb, c, ldc, add)
	case 2:
		colsHalf2AVX512(k, a, lda, b, ldb, c, ldc, add)
	case 1:
		colsHalf1AVX512(k, a, lda, b, ldb, c, ldc, add)
	}
}

// The routines below work like inPlaceGeneric for 16 or 32 columns of B, half of them where their names say so, and as
// many rows as their names say.

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
func rowsHalf6AVX2(k int, a []float32, lda int, b []float32, ldb int, c []float32, ldc int, add bool)

//go:noescape
func rowsHalf5AVX2(k int, a []float32, lda int, b []float32, ldb int, c []float32, ldc int, add bool)

//go:noescape
func rowsHalf4AVX2(k int, a []float32, lda int, b []float32, ldb int, c []float32, ldc int, add bool)

//go:noescape
func rowsHalf3AVX2(k int, a []float32, lda int, b []float32, ldb int, c []float32, ldc int, add bool)

//go:noescape
func rowsHalf2AVX2(k int, a []float32, lda int, b []float32, ldb int, c []float32, ldc int, add bool)

//go:noescape
func rowsHalf1AVX2(k int, a []float32, lda int, b []float32, ldb int, c []float32, ldc int, add bool)

//go:noescape
func colsHalf6AVX2(k int, a []float32, lda int, b []float32, ldb int, c []float32, ldc int, add bool)

//go:noescape
func colsHalf5AVX2(k int, a []float32, lda int, b []float32, ldb int, c []float32, ldc int, add bool)

//go:noescape
func colsHalf4AVX2(k int, a []float32, lda int, b []float32, ldb int, c []float32, ldc int, add bool)

//go:noescape
func colsHalf3AVX2(k int, a []float32, lda int, b []float32, ldb int, c []float32, ldc int, add bool)

//go:noescape
func colsHalf2AVX2(k int, a []float32, lda int, b []float32, ldb int, c []float32, ldc int, add bool)

//go:noescape
func colsHalf1AVX2(k int, a []float32, lda int, b []float32, ldb int, c []float32, ldc int, add bool)

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

//go:noescape
func rowsHalf12AVX512(k int, a []float32, lda int, b []float32, ldb int, c []float32, ldc int, add bool)

//go:noescape
func rowsHalf11AVX512(k int, a []float32, lda int, b []float32, ldb int, c []float32, ldc int, add bool)

//go:noescape
func rowsHalf10AVX512(k int, a []float32, lda int, b []float32, ldb int, c []float32, ldc int, add bool)

//go:noescape
func rowsHalf9AVX512(k int, a []float32, lda int, b []float32, ldb int, c []float32, ldc int, add bool)

//go:noescape
func rowsHalf8AVX512(k int, a []float32, lda int, b []float32, ldb int, c []float32, ldc int, add bool)

//go:noescape
func rowsHalf7AVX512(k int, a []float32, lda int, b []float32, ldb int, c []float32, ldc int, add bool)

//go:noescape
func rowsHalf6AVX512(k int, a []float32, lda int, b []float32, ldb int, c []float32, ldc int, add bool)

//go:noescape
func rowsHalf5AVX512(k int, a []float32, lda int, b []float32, ldb int, c []float32, ldc int, add bool)

//go:noescape
func rowsHalf4AVX512(k int, a []float32, lda int, b []float32, ldb int, c []float32, ldc int, add bool)

//go:noescape
func rowsHalf3AVX512(k int, a []float32, lda int, b []float32, ldb int, c []float32, ldc int, add bool)

//go:noescape
func rowsHalf2AVX512(k int, a []float32, lda int, b []float32, ldb int, c []float32, ldc int, add bool)

//go:noescape
func rowsHalf1AVX512(k int, a []float32, lda int, b []float32, ldb int, c []float32, ldc int, add bool)

//go:noescape
func colsHalf12AVX512(k int, a []float32, lda int, b []float32, ldb int, c []float32, ldc int, add bool)

//go:noescape
func colsHalf11AVX512(k int, a []float32, lda int, b []float32, ldb int, c []float32, ldc int, add bool)

//go:noescape
func colsHalf10AVX512(k int, a []float32, lda int, b []float32, ldb int, c []float32, ldc int, add bool)

//go:noescape
func colsHalf9AVX512(k int, a []float32, lda int, b []float32, ldb int, c []float32, ldc int, add bool)

//go:noescape
func colsHalf8AVX512(k int, a []float32, lda int, b []float32, ldb int, c []float32, ldc int, add bool)

//go:noescape
func colsHalf7AVX512(k int, a []float32, lda int, b []float32, ldb int, c []float32, ldc int, add bool)

//go:noescape
func colsHalf6AVX512(k int, a []float32, lda int, b []float32, ldb int, c []float32, ldc int, add bool)

//go:noescape
func colsHalf5AVX512(k int, a []float32, lda int, b []float32, ldb int, c []float32, ldc int, add bool)

//go:noescape
func colsHalf4AVX512(k int, a []float32, lda int, b []float32, ldb int, c []float32, ldc int, add bool)

//go:noescape
func colsHalf3AVX512(k int, a []float32, lda int, b []float32, ldb int, c []float32, ldc int, add bool)

//go:noescape
func colsHalf2AVX512(k int, a []float32, lda int, b []float32, ldb int, c []float32, ldc int, add bool)

//go:noescape
func colsHalf1AVX512(k int, a []float32, lda int, b []float32, ldb int, c []float32, ldc int, add bool)
