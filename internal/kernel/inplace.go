package kernel

// An inPlaceSet is the part of a Set that multiplies without packing A: worth it where B has few columns, or A few
// rows, so that a packed A would hardly be used.
type inPlaceSet struct {
	// tileRows is tile for an A whose rows are lda numbers apart, tileCols for one whose columns are.
	tileRows, tileCols inPlaceTile
	// halfRows and halfCols are the same for the left half of the columns. They are nil where a tile is as narrow as a
	// register.
	halfRows, halfCols inPlaceTile
}

type inPlaceTile = func(rows, k int, a []float32, lda int, b []float32, ldb int, c []float32, ldc int, add bool)

var inPlaceGeneric = inPlaceSet{
	tileRows: func(rows, k int, a []float32, lda int, b []float32, ldb int, c []float32, ldc int, add bool) {
		inPlace(rows, k, a, lda, 1, b, ldb, c, ldc, add)
	},
	tileCols: func(rows, k int, a []float32, lda int, b []float32, ldb int, c []float32, ldc int, add bool) {
		inPlace(rows, k, a, 1, lda, b, ldb, c, ldc, add)
	},
}

func inPlace(rows, k int, a []float32, di, dl int, b []float32, ldb int, c []float32, ldc int, add bool) {
	for i := range rows {
		var s [widthGeneric]float32
		for l := range k {
			x, r := a[i*di+l*dl], (*[widthGeneric]float32)(b[l*ldb:])
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

// mulInPlace sets c = a·b, or adds it, on the calling goroutine. a is read where it lies. b is its panels, apart numbers
// from one to the next, and rows ldb numbers apart in each.
func mulInPlace(c, a Mat, b []float32, apart, ldb int, add bool) {
	h, whole, half, di := panelHeight(a.rows), best.tileRows, best.halfRows, a.stride
	if a.turned {
		whole, half, di = best.tileCols, best.halfCols, 1
	}
	for j := 0; j < c.cols; j += best.width {
		b, tile, w := b[j/best.width*apart:], whole, best.width
		cols := min(w, c.cols-j)
		if half != nil && cols <= w/2 {
			tile, w = half, w/2
		}
		out, ldc := c.data[j:], c.stride
		var beside *[]float32
		if cols < w { // whole tiles are made beside c
			beside = Borrow(c.rows * w)
			out, ldc = *beside, w
		}
		for i := 0; i < c.rows; i += h {
			tile(min(h, c.rows-i), a.cols, a.data[i*di:], a.stride, b, ldb, out[i*ldc:], ldc, add && beside == nil)
		}
		if beside != nil {
			takeTile(c, 0, j, c.rows, cols, *beside, w, add)
			GiveBack(beside)
		}
	}
}
