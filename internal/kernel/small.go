package kernel

// A Small is a matrix of few columns, packed once to be multiplied with many others: the weights along one axis.
type Small struct {
	rows, cols int
	panels     []float32
}

// Pack makes s the matrix a.
func (s *Small) Pack(a Mat) {
	s.rows, s.cols = a.rows, a.cols
	if n := a.rows*a.cols + slack; cap(s.panels) < n {
		s.panels = make([]float32, n)
	}
	s.panels = s.panels[:a.rows*a.cols+slack]
	h := panelHeight(a.rows)
	for i := 0; i < a.rows; i += h {
		rows := min(h, a.rows-i)
		v := a.Block(i, 0, rows, a.cols)
		best.packA(s.panels[i*a.cols:(i+rows)*a.cols], rows, a.cols, v.data, v.stride, v.turned)
	}
}

// MulSmall sets c = a·b, or adds it to c, on the calling goroutine. b is read where it lies: packing it would cost as
// much as the product. Neither b nor c may be transposed.
func MulSmall(c Mat, a *Small, b Mat, add bool) {
	checkDims(c, Mat{rows: a.rows, cols: a.cols}, b)
	if b.turned {
		panic("kernel: MulSmall reads b row by row; it cannot be transposed")
	}
	if a.cols == 0 {
		zero(c, add)
		return
	}
	w := best.width
	whole := c.cols / w * w
	for j := 0; j < whole; j += w {
		panels(c, j, a.panels, a.cols, b.data[j:], b.stride, add)
	}
	if rest := c.cols - whole; rest > 0 {
		last := lend(a.cols * w)
		packPanel(*last, b, 0, whole, a.cols, rest)
		panels(c, whole, a.panels, a.cols, *last, w, add)
		takeBack(last)
	}
}
