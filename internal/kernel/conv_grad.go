package kernel

// How the gradients of the direct form go over the batch.
const (
	gradPixels  = 256     // about how many pixels of dy one task of gradX takes
	gradParts   = 16      // parts of the batch whose dW are summed apart, for a small W
	smallW      = 1 << 19 // numbers of W up to which it is small
	gradPatches = 1 << 20 // numbers of patches that are made at a time beside a large W
)

// GradFloats is how many numbers Grad needs.
func (c Conv) GradFloats() int {
	if c.winograd() {
		return c.winoGradFloats()
	}
	return c.directGradFloats()
}

func (c Conv) directGradFloats() int {
	if c.WeightFloats() > smallW {
		return 0
	}
	return c.WeightFloats() * partsOf(c.pixels(), blockRows)
}

// Grad sets dx and dw to the gradients by x and W, given the gradient dy by y. dx may be nil. It works in memory, of
// GradFloats.
func (c Conv) Grad(dx, dw, dy, x, w, memory []float32) {
	c.check(x, dy, w, c.WeightFloats())
	if c.winograd() {
		c.gradWino(dx, dw, dy, x, w, memory)
		return
	}
	c.gradW(dw, dy, x, memory)
	if dx != nil {
		c.gradX(dx, dy, w)
	}
}

// gradX sets dx: the patches' gradient dy·W, added up where patches overlap.
func (c Conv) gradX(dx, dy, w []float32) {
	line, wide := c.line(), c.Out*roundUp(c.line(), best.width)
	taps, panels := Borrow(len(w)), Borrow(c.Size*wide)
	defer GiveBack(taps)
	defer GiveBack(panels)
	c.toTaps(*taps, w, nil)
	Parallel(c.Size, func(u int) {
		packPanels((*panels)[u*wide:][:wide], Matrix(*taps, c.Out, c.Size*line).Block(0, u*line, c.Out, line))
	})
	image, each := c.OutRows()*c.OutCols(), c.Rows*c.Cols*c.In
	Blocks(c.Batch, max(1, gradPixels/image), func(first, end int) {
		clear(dx[first*each : end*each])
		lo, hi := first*image, end*image
		p := Borrow((hi - lo) * line)
		for u := range c.Size {
			mulPanels(Matrix(*p, hi-lo, line), Matrix(dy[lo*c.Out:hi*c.Out], hi-lo, c.Out), (*panels)[u*wide:])
			c.addPatches(dx, *p, lo, hi, u)
		}
		GiveBack(p)
	})
}

// gradW sets dw: dyᵀ times the patches.
func (c Conv) gradW(dw, dy, x, parts []float32) {
	taps := Borrow(len(dw))
	defer GiveBack(taps)
	if len(dw) <= smallW {
		c.gradSmallW(*taps, dy, x, parts)
	} else {
		c.gradLargeW(*taps, dy, x)
	}
	c.fromTaps(dw, *taps)
}

// gradSmallW goes over the batch part by part, each on one goroutine and with sums of its own.
func (c Conv) gradSmallW(dw, dy, x, parts []float32) {
	wide, pixels := c.Size*c.line(), c.pixels()
	sumParts(dw, parts, pixels, blockRows, func(sum []float32, first, end int) {
		p := Borrow(blockRows*wide + widest) // panels of patches are read where they lie, the last one beyond its columns
		for lo := first; lo < end; lo += blockRows {
			hi := min(end, lo+blockRows)
			for u := range c.Size {
				c.patches((*p)[u*c.line():], wide, x, lo, hi, u)
			}
			d := Matrix(dy[lo*c.Out:hi*c.Out], hi-lo, c.Out)
			mulInPlace(Matrix(sum, c.Out, wide), d.T(), *p, best.width, wide, lo > first)
		}
		GiveBack(p)
	})
}

// partSize cuts [0, n) into parts, each of whole units, and returns their size. partsOf is how many there are.
func partSize(n, unit int) int { return roundUp(count(n, gradParts), unit) }
func partsOf(n, unit int) int  { return count(n, partSize(n, unit)) }

// sumParts sets sum to what f makes of the parts of [0, n), added in order. parts holds a sum for each.
func sumParts(sum, parts []float32, n, unit int, f func(sum []float32, lo, hi int)) {
	size := partSize(n, unit)
	Blocks(n, size, func(lo, hi int) { f(parts[lo/size*len(sum):][:len(sum)], lo, hi) })
	Blocks(len(sum), blockFloats, func(lo, hi int) {
		copy(sum[lo:hi], parts[lo:hi])
		for p := 1; p < partsOf(n, unit); p++ {
			best.add(sum[lo:hi], sum[lo:hi], parts[p*len(sum):][lo:hi])
		}
	})
}

// gradLargeW makes some patches at a time, and goes over all of W for them.
func (c Conv) gradLargeW(dw, dy, x []float32) {
	wide, pixels := c.Size*c.line(), c.pixels()
	size := min(pixels, max(blockRows, roundUp(gradPatches/wide, blockRows)))
	p := Borrow(size * wide)
	defer GiveBack(p)
	for lo := 0; lo < pixels; lo += size {
		hi := min(pixels, lo+size)
		all := (*p)[:(hi-lo)*wide]
		Blocks(hi-lo, blockRows, func(i, j int) {
			for u := range c.Size {
				c.patches(all[i*wide+u*c.line():], wide, x, lo+i, lo+j, u)
			}
		})
		mul := MulAdd
		if lo == 0 {
			mul = Mul
		}
		mul(Matrix(dw, c.Out, wide), Matrix(dy[lo*c.Out:hi*c.Out], hi-lo, c.Out).T(), Matrix(all, hi-lo, wide))
	}
}
