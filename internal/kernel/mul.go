package kernel

import (
	"fmt"
	"math/bits"
	"sync"
)

// The product works as in BLIS (van Zee, van de Geijn 2015): B is cut into blocks of depth kc, packed in panels as wide
// as a tile, and shared; A is cut into blocks of mc × kc, packed in panels as high as a tile, that stay in the second-level
// cache while they pass over B. All splits follow from the shapes, and each number of C is summed in order of k, so the
// number of threads changes nothing.
const (
	depth     = 384  // kc: a panel of A and a panel of B fill the first-level cache
	blockRows = 144  // mc: a block of A fills half the second-level cache; a multiple of every tile's height
	blockCols = 4080 // nc: a packed block of B stays in the third-level cache
	tasks     = 32   // pieces of work that a product is cut into, at least, where it is large enough

	packedSize = 6 << 20 // numbers of B that are packed at a time: as much of it as the third-level cache holds
)

// Mul sets c = a·b.  a (m, k), b (k, n) -> c (m, n). c may not overlap a or b, nor be transposed.
func Mul(c, a, b Mat) { mul(c, a, b, false, nil) }

// MulAdd adds a·b to c.
func MulAdd(c, a, b Mat) { mul(c, a, b, true, nil) }

// MulEach sets c = a·b and calls done for every block of c, once it is finished and while it is in cache. Calls come
// from several goroutines.
func MulEach(c, a, b Mat, done func(i, j, rows, cols int)) { mul(c, a, b, false, done) }

// MulSerial and MulAddSerial are Mul and MulAdd on the calling goroutine, for use inside Parallel.
func MulSerial(c, a, b Mat)    { mulSerial(c, a, b, false) }
func MulAddSerial(c, a, b Mat) { mulSerial(c, a, b, true) }

func checkDims(c, a, b Mat) {
	if a.rows != c.rows || b.cols != c.cols || a.cols != b.rows || c.turned {
		panic(fmt.Sprintf("kernel: no product of %d × %d and %d × %d into %d × %d (transposed: %t)",
			a.rows, a.cols, b.rows, b.cols, c.rows, c.cols, c.turned))
	}
}

// split cuts n into pieces of at most size, as even as multiples of unit allow.
func split(n, size, unit int) int {
	pieces := max(1, (n+size-1)/size)
	return roundUp((n+pieces-1)/pieces, unit)
}

func roundUp(n, unit int) int { return (n + unit - 1) / unit * unit }

// pieces cuts a block of C into tasks of rows × cols.
func pieces(m, n int) (rows, cols int) {
	rows = split(m, blockRows, best.height)
	across := max(1, tasks/((m+rows-1)/rows))
	cols = split(n, max(240, (n+across-1)/across), best.width)
	if all := ((m + rows - 1) / rows) * ((n + cols - 1) / cols); all < tasks/4 {
		rows = split(m, max(4*best.height, m*all*4/tasks/max(1, (m+rows-1)/rows)), best.height)
	}
	return rows, cols
}

func mul(c, a, b Mat, add bool, done func(i, j, rows, cols int)) {
	checkDims(c, a, b)
	m, n, k := c.rows, c.cols, a.cols
	if m == 0 || n == 0 {
		return
	}
	if k == 0 {
		zero(c, add)
		if done != nil {
			done(0, 0, m, n)
		}
		return
	}
	kc, nc, w := split(k, depth, 8), split(n, blockCols, best.width), best.width
	span := min((k+kc-1)/kc, max(1, packedSize/(kc*nc))) * kc // steps of k that are packed at a time
	packed := lend(span * (nc + w))
	defer takeBack(packed)
	for j := 0; j < n; j += nc {
		cols := min(nc, n-j)
		panels := (cols + w - 1) / w
		pr, pc := pieces(m, cols)
		across, down := (cols+pc-1)/pc, (m+pr-1)/pr
		for first := 0; first < k; first += span {
			end := min(k, first+span)
			Parallel(panels*((end-first+kc-1)/kc), func(t int) {
				l, p := first+t/panels*kc, t%panels
				steps, at := min(kc, k-l), (l-first)*panels*w
				packPanel((*packed)[at+p*w*steps:at+(p+1)*w*steps], b, l, j+p*w, steps, min(w, cols-p*w))
			})
			Parallel(down*across, func(t int) {
				i, jj := t/across*pr, t%across*pc
				rows, wide := min(pr, m-i), min(pc, cols-jj)
				for l := first; l < end; l += kc { // the piece of C stays in the second-level cache
					steps := min(kc, k-l)
					block(c.Block(i, j+jj, rows, wide), a.Block(i, l, rows, steps),
						(*packed)[(l-first)*panels*w+jj*steps:], add || l > 0)
				}
				if done != nil && end == k {
					done(i, j+jj, rows, wide)
				}
			})
		}
	}
}

func mulSerial(c, a, b Mat, add bool) {
	checkDims(c, a, b)
	m, n, k := c.rows, c.cols, a.cols
	if k == 0 {
		zero(c, add)
		return
	}
	kc, nc, w := split(k, depth, 8), split(n, blockCols, best.width), best.width
	packed := lend((kc + 8) * (nc + w))
	defer takeBack(packed)
	for j := 0; j < n; j += nc {
		cols := min(nc, n-j)
		for l := 0; l < k; l += kc {
			steps := min(kc, k-l)
			for p := 0; p < cols; p += w {
				packPanel((*packed)[p*steps:(p+w)*steps], b, l, j+p, steps, min(w, cols-p))
			}
			for i := 0; i < m; i += blockRows {
				rows := min(blockRows, m-i)
				block(c.Block(i, j, rows, cols), a.Block(i, l, rows, steps), *packed, add || l > 0)
			}
		}
	}
}

func zero(c Mat, add bool) {
	if add {
		return
	}
	for i := range c.rows {
		clear(c.data[i*c.stride:][:c.cols])
	}
}

// packPanel packs cols columns of b from (l, j) on.
func packPanel(dst []float32, b Mat, l, j, steps, cols int) {
	v := b.Block(l, j, steps, cols)
	best.packB(dst, cols, steps, v.data, v.stride, v.turned)
}

// block sets c = a·b, or adds it, with b packed: panel after panel, each a.cols rows of best.width numbers.
func block(c, a Mat, b []float32, add bool) {
	h, k := panelHeight(a.rows), a.cols
	packed := lend(a.rows*k + slack)
	defer takeBack(packed)
	for i := 0; i < a.rows; i += h {
		rows := min(h, a.rows-i)
		v := a.Block(i, 0, rows, k)
		best.packA((*packed)[i*k:(i+rows)*k], rows, k, v.data, v.stride, v.turned)
	}
	w := best.width
	for j := 0; j < c.cols; j += w {
		panels(c, j, *packed, k, b[j*k:], w, add)
	}
}

// panelHeight is the height of the panels that rows are cut into: 16 rows make two panels of 8 rather than 12 and 4.
func panelHeight(rows int) int { return split(rows, best.height, 1) }

// panels works down the columns of c from j on, with a packed and b a panel of rows ldb apart.
func panels(c Mat, j int, a []float32, k int, b []float32, ldb int, add bool) {
	h, cols := panelHeight(c.rows), min(best.width, c.cols-j)
	if cols < best.width {
		edge(c, j, cols, a, k, b, ldb, add)
		return
	}
	for i := 0; i < c.rows; i += h {
		best.tile(min(h, c.rows-i), k, a[i*k:], b, ldb, c.data[i*c.stride+j:], c.stride, add)
	}
}

// edge is panels for the last cols columns, fewer than a tile has: tiles are made aside, and what counts is copied.
func edge(c Mat, j, cols int, a []float32, k int, b []float32, ldb int, add bool) {
	h, w := panelHeight(c.rows), best.width
	tile := lend(h * w)
	defer takeBack(tile)
	for i := 0; i < c.rows; i += h {
		rows := min(h, c.rows-i)
		best.tile(rows, k, a[i*k:], b, ldb, *tile, w, false)
		for r := range rows {
			row, sums := c.data[(i+r)*c.stride+j:][:cols], (*tile)[r*w:]
			if add {
				best.add(row, row, sums[:cols])
			} else {
				copy(row, sums)
			}
		}
	}
}

// lend and takeBack keep buffers from being made anew for every product: one pool for each power of two, so that a small
// buffer never stands where a large one is wanted.
func lend(n int) *[]float32 {
	class := bits.Len(uint(max(n, 1) - 1))
	b, ok := buffers[class].Get().(*[]float32)
	if !ok {
		s := make([]float32, 1<<class)
		b = &s
	}
	*b = (*b)[:n]
	return b
}

func takeBack(b *[]float32) { buffers[bits.Len(uint(cap(*b)-1))].Put(b) }

var buffers [bits.UintSize]sync.Pool

// AddRowBlock adds b to every row of c, on the calling goroutine: what MulEach's done does for a bias.
func AddRowBlock(c Mat, b []float32) {
	equal(c.cols, b)
	for i := range c.rows {
		row := c.data[i*c.stride:][:c.cols]
		best.add(row, row, b)
	}
}
