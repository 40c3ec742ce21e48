package kernel

// A Small is a matrix of few columns, packed once to be multiplied with many others: the weights along one axis.
type Small struct {
	rows, cols int
	panels     []float32
}

// Pack makes s the matrix a.
func (s *Small) Pack(a Mat) {
	s.rows, s.cols = a.rows, a.cols
	if n := a.rows * a.cols; cap(s.panels) < n {
		s.panels = make([]float32, n)
	}
	s.panels = s.panels[:a.rows*a.cols]
	packStrips(s.panels, a, panelHeight(a.rows))
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
	w, h := best.width, panelHeight(a.rows)
	whole := c.cols / w * w
	for j := 0; j < whole; j += w {
		panel(c, j, a.panels, h, a.cols, b.data[j:], b.stride, add)
	}
	if rest := c.cols - whole; rest > 0 {
		last := lend(a.cols * w)
		packPanels(*last, b.Block(0, whole, a.cols, rest))
		panel(c, whole, a.panels, h, a.cols, *last, w, add)
		takeBack(last)
	}
}
