package kernel

// gemmSet is the part of a Set that multiplies matrices: C is made tile by tile, height × width, from packed panels.
type gemmSet struct {
	height, width int

	// tile sets C (rows, width) = A·B, or adds to it, with 1 ≤ rows ≤ height. A is packed: its k columns of rows
	// numbers follow one another. B (k, width) and C have rows ldb and ldc numbers apart. Each number of C is one sum
	// over k, in order.
	tile func(rows, k int, a, b []float32, ldb int, c []float32, ldc int, add bool)

	// packA sets dst[l·rows+i] = A[i,l] for rows ≤ height and k columns; turned says that a holds A's transpose.
	packA func(dst []float32, rows, k int, a []float32, lda int, turned bool)

	// packB sets dst[l·width+j] = B[l,j] for k rows and cols ≤ width columns, and zeros beyond cols.
	packB func(dst []float32, cols, k int, b []float32, ldb int, turned bool)

	spin   func(n int) // n rounds of multiplying and adding without touching memory, of spinOp operations each
	spinOp int
}

const heightGeneric, widthGeneric = 4, 4

var gemmGeneric = gemmSet{
	height: heightGeneric, width: widthGeneric,
	tile: tileGeneric, packA: packAGeneric,
	packB: func(dst []float32, cols, k int, b []float32, ldb int, turned bool) {
		packBGeneric(dst, widthGeneric, cols, k, b, ldb, turned)
	},
	spin: spinGeneric, spinOp: 2,
}

// tileGeneric is inPlace for a packed A, a tenth faster for it: processors without a set of their own live by it.
func tileGeneric(rows, k int, a, b []float32, ldb int, c []float32, ldc int, add bool) {
	for i := range rows {
		var s [widthGeneric]float32
		for l := range k {
			x, r := a[l*rows+i], (*[widthGeneric]float32)(b[l*ldb:])
			s[0] += x * r[0]
			s[1] += x * r[1]
			s[2] += x * r[2]
			s[3] += x * r[3]
		}
		row := (*[widthGeneric]float32)(c[i*ldc:])
		for j, v := range s {
			if add {
				v += row[j]
			}
			row[j] = v
		}
	}
}

func packAGeneric(dst []float32, rows, k int, a []float32, lda int, turned bool) {
	di, dl := lda, 1
	if turned {
		di, dl = 1, lda
	}
	for l := range k {
		for i := range rows {
			dst[l*rows+i] = a[i*di+l*dl]
		}
	}
}

func packBGeneric(dst []float32, width, cols, k int, b []float32, ldb int, turned bool) {
	for l := range k {
		row := dst[l*width : (l+1)*width]
		if !turned {
			copy(row, b[l*ldb:l*ldb+cols])
		} else {
			for j := range cols {
				row[j] = b[j*ldb+l]
			}
		}
		clear(row[cols:])
	}
}

func spinGeneric(n int) {
	var s, x float32
	for range n {
		s += x * x
	}
	if s != 0 {
		panic("kernel: zero is not zero")
	}
}
