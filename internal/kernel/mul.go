package kernel

import "fmt"

// The product works as in BLIS (van Zee, van de Geijn 2015): k is cut into blocks of depth kc; B is packed in panels as
// wide as a tile, and shared; A is packed in strips as high as a tile, that stay in the second-level cache while they
// pass over B. A strip and a panel fill the first-level cache. All splits follow from the shapes, and each number of C
// is summed in order of k, so the number of threads changes nothing.
const (
	depth     = 400     // kc; the paper's hidden size is one block
	blockRows = 144     // rows of A that are packed at a time; a multiple of every tile's height
	blockCols = 4080    // columns of B that are packed at a time
	oneThread = 1 << 18 // products of up to so many multiplications are not worth waking anyone for
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
	return roundUp(count(n, max(1, count(n, size))), unit)
}

// count is the number of pieces of a size that hold n.
func count(n, size int) int { return (n + size - 1) / size }

func roundUp(n, unit int) int { return count(n, unit) * unit }

func mul(c, a, b Mat, add bool, done func(i, j, rows, cols int)) {
	checkDims(c, a, b)
	m, n, k := c.rows, c.cols, a.cols
	switch {
	case m == 0 || n == 0:
		return
	case m*n*k > oneThread:
		mulParallel(c, a, b, add, done)
		return
	}
	mulSerial(c, a, b, add)
	if done != nil {
		done(0, 0, m, n)
	}
}

func mulSerial(c, a, b Mat, add bool) {
	checkDims(c, a, b)
	m, n, k := c.rows, c.cols, a.cols
	if k == 0 {
		zero(c, add)
		return
	}
	kc, nc := split(k, depth, 8), split(n, blockCols, best.width)
	packed := Borrow(kc * nc)
	defer GiveBack(packed)
	for j := 0; j < n; j += nc {
		cols := min(nc, n-j)
		for l := 0; l < k; l += kc {
			steps := min(kc, k-l)
			packPanels(*packed, b.Block(l, j, steps, cols))
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

// AddRowBlock adds b to every row of c, on the calling goroutine: what MulEach's done does for a bias.
func AddRowBlock(c Mat, b []float32) {
	equal(c.cols, b)
	for i := range c.rows {
		row := c.data[i*c.stride:][:c.cols]
		best.add(row, row, b)
	}
}
