package kernel

// gradPixels is about how many pixels of dy one task of gradX takes.
const gradPixels = 256

// Grad sets dx and dw to the gradients by x and W, given the gradient dy by y. dx may be nil.
func (c Conv) Grad(dx, dw, dy, x, w []float32) {
	c.check(x, dy, w)
	if c.winograd() {
		c.gradWino(dx, dw, dy, x, w)
		return
	}
	c.gradW(dw, dy, x)
	if dx != nil {
		c.gradX(dx, dy, w)
	}
}

// gradX sets dx: the patches' gradient dy·W, added up where patches
// overlap.
func (c Conv) gradX(dx, dy, w []float32) {
	line := c.line()
	taps, packed := Borrow(len(w)), Borrow(c.Size*RightSize(c.Out, line))
	defer GiveBack(taps)
	defer GiveBack(packed)
	c.toTaps(*taps, w, nil)
	rights := make([]Right, c.Size)
	Parallel(c.Size, func(u int) {
		b := Matrix(*taps, c.Out, c.Size*line).Block(0, u*line, c.Out, line)
		rights[u].Pack(b, (*packed)[u*RightSize(c.Out, line):][:RightSize(c.Out, line)])
	})
	picture, each := c.OutRows()*c.OutCols(), c.Rows*c.Cols*c.In
	size := max(1, gradPixels/picture)
	Blocks(c.Batch, size, func(first, end int) {
		clear(dx[first*each : end*each])
		lo, hi := first*picture, end*picture
		left, p := Borrow((hi-lo)*c.Out), Borrow((hi-lo)*line)
		defer GiveBack(left)
		defer GiveBack(p)
		var l Left
		l.Pack(Matrix(dy[lo*c.Out:hi*c.Out], hi-lo, c.Out), *left)
		for u := range c.Size {
			MulPacked(Matrix(*p, hi-lo, line), &l, &rights[u], false)
			c.addPatches(dx, *p, lo, hi, u)
		}
	})
}

// gradPatches is how many numbers of patches are made at a time for gradW.
const gradPatches = 1 << 20

// gradW sets dw: dyᵀ times the patches.
func (c Conv) gradW(dw, dy, x []float32) {
	line, pixels := c.line(), c.pixels()
	wide := c.Size * line
	size := min(pixels, max(blockRows, roundUp(gradPatches/max(1, wide), blockRows)))
	taps, p := Borrow(len(dw)), Borrow(size*wide)
	defer GiveBack(taps)
	defer GiveBack(p)
	for lo := 0; lo < pixels; lo += size {
		hi := min(pixels, lo+size)
		all := (*p)[:(hi-lo)*wide]
		Blocks(hi-lo, blockRows, func(i, j int) {
			for u := range c.Size {
				c.patches(all[i*wide+u*line:], wide, x, lo+i, lo+j, u)
			}
		})
		mul := MulAdd
		if lo == 0 {
			mul = Mul
		}
		mul(Matrix(*taps, c.Out, wide), Matrix(dy[lo*c.Out:hi*c.Out], hi-lo, c.Out).T(), Matrix(all, hi-lo, wide))
	}
	c.fromTaps(dw, *taps)
}
