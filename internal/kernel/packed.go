package kernel

import "fmt"

// A Left is a matrix packed once to be the left factor of many products on one goroutine.
type Left struct {
	rows, cols int
	strips     []float32
}

// Pack makes l the matrix a. It works in memory, which must have room for a's numbers; nil makes memory of l's own.
func (l *Left) Pack(a Mat, memory []float32) {
	n := a.rows * a.cols
	switch {
	case memory != nil:
		l.strips = memory[:n]
	case cap(l.strips) < n:
		l.strips = make([]float32, n)
	}
	l.rows, l.cols, l.strips = a.rows, a.cols, l.strips[:n]
	packStrips(l.strips, a, panelHeight(a.rows))
}

// A Right is a matrix packed once to be the right factor of many products.
type Right struct {
	rows, cols int
	panels     []float32
}

// widest is the width of the widest tile of any set.
const widest = 32

// RightSize returns how many numbers Right.Pack needs for a rows × cols matrix.
func RightSize(rows, cols int) int { return rows * roundUp(cols, widest) }

// Pack makes r the matrix b, on the calling goroutine. It works in memory, which has RightSize numbers.
func (r *Right) Pack(b Mat, memory []float32) {
	r.rows, r.cols, r.panels = b.rows, b.cols, memory[:b.rows*roundUp(b.cols, best.width)]
	packPanels(r.panels, b)
}

// Cols returns n columns of r from column j on. j must be a multiple of 32.
func (r *Right) Cols(j, n int) Right {
	if j%widest != 0 || j+n > r.cols {
		panic(fmt.Sprintf("kernel: no columns %d to %d in a packed matrix of %d", j, j+n, r.cols))
	}
	return Right{r.rows, n, r.panels[j*r.rows:]}
}

// MulPacked sets c = a·b, or adds it to c, on the calling goroutine. a has few hundred columns: they are not split.
func MulPacked(c Mat, a *Left, b *Right, add bool) {
	checkDims(c, Mat{rows: a.rows, cols: a.cols}, Mat{rows: b.rows, cols: b.cols})
	if a.cols == 0 {
		zero(c, add)
		return
	}
	tiles(c, a.strips, panelHeight(a.rows), a.cols, b.panels, add)
}

// MulLeft sets c = a·b, or adds it to c, on the calling goroutine, for an a of few columns. b is read where it lies:
// packing it would cost as much as the product. Neither b nor c may be transposed.
func MulLeft(c Mat, a *Left, b Mat, add bool) {
	checkDims(c, Mat{rows: a.rows, cols: a.cols}, b)
	if b.turned {
		panic("kernel: MulLeft reads b row by row; it cannot be transposed")
	}
	mulLeft(c, a, b, add)
}

// MulLefts sets c_p = a·b_p for all parts p of c and b, which begin step numbers apart: each has rows of n numbers, that
// lie ld apart.
func MulLefts(c []float32, a *Left, b []float32, n, ld, parts, step int) {
	if last := (parts - 1) * step; parts < 1 || n > ld || len(c) < last+(a.rows-1)*ld+n || len(b) < last+(a.cols-1)*ld+n {
		panic(fmt.Sprintf("kernel: no %d products with %d × %d of %d columns, %d apart, %d to a row, in %d and %d numbers",
			parts, a.rows, a.cols, n, step, ld, len(c), len(b)))
	}
	for p := range parts {
		mulLeft(Mat{data: c[p*step:], rows: a.rows, cols: n, stride: ld}, a,
			Mat{data: b[p*step:], rows: a.cols, cols: n, stride: ld}, false)
	}
}

func mulLeft(c Mat, a *Left, b Mat, add bool) {
	if a.cols == 0 {
		zero(c, add)
		return
	}
	h := panelHeight(a.rows)
	for j := 0; j < c.cols; {
		rest := c.cols - j
		if _, w := fitting(min(best.width, rest)); rest >= w {
			panel(c, j, a.strips, h, a.cols, b.data[j:], b.stride, add)
			j += w
			continue
		}
		last := Borrow(a.cols * best.width)
		packPanels(*last, b.Block(0, j, a.cols, rest))
		panel(c, j, a.strips, h, a.cols, *last, best.width, add)
		GiveBack(last)
		return
	}
}
