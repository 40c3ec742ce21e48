package kernel

// packPanels packs b panel after panel, each b.rows rows of best.width numbers.
func packPanels(dst []float32, b Mat) {
	w := best.width
	for j := 0; j < b.cols; j += w {
		v := b.Block(0, j, b.rows, min(w, b.cols-j))
		best.packB(dst[j*b.rows:][:w*b.rows], v.cols, v.rows, v.data, v.stride, v.turned)
	}
}

// packStrips packs a strip after strip, each a.cols columns of height numbers, the last one of what rows are left.
func packStrips(dst []float32, a Mat, height int) {
	k := a.cols
	for i := 0; i < a.rows; i += height {
		rows := min(height, a.rows-i)
		v := a.Block(i, 0, rows, k)
		best.packA(dst[i*k:][:rows*k], rows, k, v.data, v.stride, v.turned)
	}
}

// panelHeight is the height of the strips that rows are cut into: for a tile of 12, 16 rows make two strips of 8 rather
// than 12 and 4. Packing is fast for heights like these alone.
func panelHeight(rows int) int { return split(rows, best.height, max(1, best.height/3)) }

// block sets c = a·b, or adds it, with b packed.
func block(c, a Mat, b []float32, add bool) {
	packed := Borrow(a.rows * a.cols)
	defer GiveBack(packed)
	h := panelHeight(a.rows)
	packStrips(*packed, a, h)
	tiles(c, *packed, h, a.cols, b, add)
}

// tiles sets c = a·b, or adds it, over k steps, with a packed in strips of height rows and b in panels.
func tiles(c Mat, a []float32, height, k int, b []float32, add bool) {
	w := best.width
	for j := 0; j < c.cols; j += w {
		panel(c, j, a, height, k, b[j*k:], w, add)
	}
}

// fitting returns the narrowest tile that cols columns, no more than best.width, fit into, and how wide it is.
func fitting(cols int) (tile func(rows, k int, a, b []float32, ldb int, c []float32, ldc int, add bool), width int) {
	if best.halfCols != nil && cols <= best.width/2 {
		return halfTile, best.width / 2
	}
	return best.tile, best.width
}

// halfTile is tile for the left half of the columns: a packed strip's columns are rows numbers apart.
func halfTile(rows, k int, a, b []float32, ldb int, c []float32, ldc int, add bool) {
	best.halfCols(rows, k, a, rows, b, ldb, c, ldc, add)
}

// panel works down the columns of c from j on, with a packed in strips of height rows and b a panel of rows ldb apart.
func panel(c Mat, j int, a []float32, height, k int, b []float32, ldb int, add bool) {
	cols := min(best.width, c.cols-j)
	tile, w := fitting(cols)
	if cols == w {
		for i := 0; i < c.rows; i += height {
			tile(min(height, c.rows-i), k, a[i*k:], b, ldb, c.data[i*c.stride+j:], c.stride, add)
		}
		return
	}
	beside := Borrow(height * w) // the whole tile
	defer GiveBack(beside)
	for i := 0; i < c.rows; i += height {
		rows := min(height, c.rows-i)
		tile(rows, k, a[i*k:], b, ldb, *beside, w, false)
		takeTile(c, i, j, rows, cols, *beside, w, add)
	}
}

// takeTile sets rows × cols numbers of c from (i, j) on to those of a tile with rows of w that was made beside it, or adds
// them.
func takeTile(c Mat, i, j, rows, cols int, tile []float32, w int, add bool) {
	for r := range rows {
		row, sums := c.data[(i+r)*c.stride+j:][:cols], tile[r*w:][:cols]
		if add {
			best.add(row, row, sums)
		} else {
			copy(row, sums)
		}
	}
}
