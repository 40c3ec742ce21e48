package convolution

import (
	"github.com/attnconv/attnconv/internal/gemm"
	"github.com/attnconv/attnconv/internal/kernel/pool"
	"github.com/attnconv/attnconv/internal/kernel/threads"
	"github.com/attnconv/attnconv/internal/kernel/vec"
)

// How the gradients of the direct form go over the batch.
const (
	gradPixels  = 256     // about how many pixels of dy one task of gradX takes
	gradParts   = 16      // parts of the batch whose dW are summed apart, for a small W
	smallW      = 1 << 19 // elements of W up to which it is small
	sumFloats   = 1 << 14 // elements that one task of sumParts adds up
	gradPatches = 1 << 20 // elements of patches that are made at a time with a large W
)

// GradFloats is how many floats Grad needs.
func (c Shape) GradFloats() int {
	if c.winograd() {
		return c.winoGradFloats()
	}
	return c.directGradFloats()
}

func (c Shape) directGradFloats() int {
	if c.WeightFloats() > smallW {
		return 0
	}
	return c.WeightFloats() * partsOf(c.pixels(), gemm.MC)
}

// Grad sets dx and dw to the gradients by x and W, given the gradient dy by y. dx may be nil. It works in memory, of
// GradFloats.
func (c Shape) Grad(dx, dw, dy, x, w, memory []float32) {
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
func (c Shape) gradX(dx, dy, w []float32) {
	span, wide := c.span(), c.Out*threads.RoundUp(c.span(), gemm.NR())
	taps, panels := pool.Get(len(w)), pool.Get(c.Size*wide)
	defer pool.Put(taps)
	defer pool.Put(panels)
	c.toTaps(*taps, w, nil)
	threads.Parallel(c.Size, func(u int) {
		gemm.PackB(c.factor(gemm.Matrix(*taps, c.Out, c.Size*span).Cols(u*span, span)), (*panels)[u*wide:][:wide])
	})
	image, each := c.OutRows()*c.OutCols(), c.Rows*c.Cols*c.In
	threads.Blocks(c.Batch, max(1, gradPixels/image), func(first, end int) {
		clear(dx[first*each : end*each])
		lo, hi := first*image, end*image
		p := pool.Get((hi - lo) * span)
		for u := range c.Size {
			d, w := gemm.Matrix(dy[lo*c.Out:hi*c.Out], hi-lo, c.Out), gemm.Panels((*panels)[u*wide:], c.Out, span)
			timesPanels(gemm.Matrix(*p, hi-lo, span), c.factor(d), c.factor(w))
			c.addPatches(dx, *p, lo, hi, u)
		}
		pool.Put(p)
	})
}

// gradW sets dw: dyᵀ times the patches.
func (c Shape) gradW(dw, dy, x, parts []float32) {
	taps := pool.Get(len(dw))
	defer pool.Put(taps)
	if len(dw) <= smallW {
		c.gradSmallW(*taps, dy, x, parts)
	} else {
		c.gradLargeW(*taps, dy, x)
	}
	c.fromTaps(dw, *taps)
}

// gradSmallW goes over the batch part by part, each on one goroutine and with sums of its own.
func (c Shape) gradSmallW(dw, dy, x, parts []float32) {
	wide, pixels := c.Size*c.span(), c.pixels()
	sumParts(dw, parts, pixels, gemm.MC, func(sum []float32, first, end int) {
		p := pool.Get(gemm.MC*wide + gemm.PadFloats)
		for lo := first; lo < end; lo += gemm.MC {
			hi := min(end, lo+gemm.MC)
			for u := range c.Size {
				c.patches((*p)[u*c.span():], wide, x, lo, hi, u)
			}
			d := gemm.Matrix(dy[lo*c.Out:hi*c.Out], hi-lo, c.Out)
			patches := gemm.Padded((*p)[:(hi-lo)*wide+gemm.PadFloats], hi-lo, wide)
			gemm.Plan{Add: lo > first, Serial: true, InPlaceA: true, InPlaceB: true}.Mul(gemm.Matrix(sum, c.Out, wide),
				c.factor(d.T()), c.factor(patches))
		}
		pool.Put(p)
	})
}

// partSize cuts [0, n) into parts, each of whole units, and returns their size. partsOf is how many there are.
func partSize(n, unit int) int { return threads.RoundUp(threads.Count(n, gradParts), unit) }
func partsOf(n, unit int) int  { return threads.Count(n, partSize(n, unit)) }

// sumParts sets sum to what f makes of the parts of [0, n), added in order. parts holds a sum for each.
func sumParts(sum, parts []float32, n, unit int, f func(sum []float32, lo, hi int)) {
	size := partSize(n, unit)
	threads.Blocks(n, size, func(lo, hi int) { f(parts[lo/size*len(sum):][:len(sum)], lo, hi) })
	threads.Blocks(len(sum), sumFloats, func(lo, hi int) {
		copy(sum[lo:hi], parts[lo:hi])
		for p := 1; p < partsOf(n, unit); p++ {
			vec.AddSerial(sum[lo:hi], sum[lo:hi], parts[p*len(sum):][lo:hi])
		}
	})
}

// gradLargeW makes some patches at a time, and goes over all of W for them.
func (c Shape) gradLargeW(dw, dy, x []float32) {
	wide, pixels := c.Size*c.span(), c.pixels()
	size := min(pixels, max(gemm.MC, threads.RoundUp(gradPatches/wide, gemm.MC)))
	p := pool.Get(size * wide)
	defer pool.Put(p)
	for lo := 0; lo < pixels; lo += size {
		hi := min(pixels, lo+size)
		all := (*p)[:(hi-lo)*wide]
		threads.Blocks(hi-lo, gemm.MC, func(i, j int) {
			for u := range c.Size {
				c.patches(all[i*wide+u*c.span():], wide, x, lo+i, lo+j, u)
			}
		})
		gemm.Plan{Add: lo > 0}.Mul(gemm.Matrix(dw, c.Out, wide),
			c.factor(gemm.Matrix(dy[lo*c.Out:hi*c.Out], hi-lo, c.Out).T()),
			c.factor(gemm.Matrix(all, hi-lo, wide)))
	}
}
