package convolution

import (
	"github.com/attnconv/attnconv/internal/gemm"
	"github.com/attnconv/attnconv/internal/kernel/pool"
	"github.com/attnconv/attnconv/internal/kernel/threads"
	"github.com/attnconv/attnconv/internal/kernel/vec"
)

// winoGradFloats is GradFloats: for U in panels, for dU, and for the parts of dU with a small U. dU takes the place
// of U where that is not needed any more.
func (c Shape) winoGradFloats() int {
	n, u := winoPoints*c.Out*c.In, winoPoints*gemm.PackedBFloats(c.Out, c.In)
	switch {
	case c.In*c.Out <= winoSmall:
		return u + n + n*partsOf(c.tiles(), c.tileRows()*c.tileCols())
	case c.largeTiles() < c.tiles():
		return u + n
	}
	return u
}

// gradWino is Grad.
func (c Shape) gradWino(dx, dw, dy, x, w, memory []float32) {
	n := winoPoints * c.Out * c.In
	u, du := memory, memory[len(memory)-n:]
	if dx != nil {
		c.prepareWinoGrad(u, w)
	}
	if c.In*c.Out <= winoSmall {
		parts := memory[winoPoints*gemm.PackedBFloats(c.Out, c.In):]
		c.gradSmall(dx, du, dy, x, u, parts[:len(parts)-n])
	} else {
		c.gradLarge(dx, du, dy, x, u)
	}
	c.weightsOf(dw, du)
}

// pointOf is point p of du, or of as many numbers from there on.
func (c Shape) pointOf(du []float32, p int) gemm.Mat {
	return gemm.Matrix(du[p*c.Out*c.In:][:c.Out*c.In], c.Out, c.In)
}

// pointsOf is the matrices of all points of du.
func (c Shape) pointsOf(du []float32) gemm.Batch {
	return gemm.Strides(du, winoPoints, c.Out, c.In, c.Out*c.In)
}

// gradSmall goes over the batch part by part, each on one goroutine and with a dU of its own.
func (c Shape) gradSmall(dx, du, dy, x, u, parts []float32) {
	image, apart := c.tileRows()*c.tileCols(), c.Out*threads.RoundUp(c.In, gemm.NR())
	sumParts(du, parts, c.tiles(), image, func(sum []float32, first, end int) {
		v, dm := getPoints(winoTiles, c.In), getPoints(winoTiles, c.Out)
		if dx != nil {
			pixels := c.Rows * c.Cols * c.In
			clear(dx[first/image*pixels : end/image*pixels])
		}
		for lo := first; lo < end; lo += winoTiles {
			hi := min(end, lo+winoTiles)
			c.tilesOf(v, x, lo, hi)
			c.gradTiles(dm, dy, lo, hi)
			gemm.MulBatch(c.pointsOf(sum), dm.first(hi-lo).T(), v.first(hi-lo), lo > first)
			if dx != nil { // V is not needed any more: dV takes its place
				gemm.MulBatch(v.first(hi-lo), dm.first(hi-lo), panelsOf(u, c.Out, c.In, apart), false)
				c.addTiles(dx, v, lo, hi)
			}
		}
		pool.Put(v.data)
		pool.Put(dm.data)
	})
}

// gradLarge goes over the batch a few images at a time, point by point. du may lie over u where all tiles are worked
// on at once: it comes last.
func (c Shape) gradLarge(dx, du, dy, x, u []float32) {
	image, apart, tiles := c.tileRows()*c.tileCols(), c.Out*threads.RoundUp(c.In, gemm.NR()), c.tiles()
	size := c.largeTiles()
	v, dm := getPoints(size, c.In), getPoints(size, c.Out) // V takes the place of dV
	defer pool.Put(v.data)
	defer pool.Put(dm.data)
	for first := 0; first < tiles; first += size {
		n := min(size, tiles-first)
		threads.Blocks(n, winoRun, func(lo, hi int) { c.gradTiles(dm.from(lo), dy, first+lo, first+hi) })
		if dx != nil {
			dm.times(v, n, u, apart)
			pixels := c.Rows * c.Cols * c.In
			threads.Parallel(n/image, func(i int) {
				at := first/image + i
				clear(dx[at*pixels : (at+1)*pixels])
				c.addTiles(dx, v.from(i*image), at*image, (at+1)*image)
			})
		}
		threads.Blocks(n, winoRun, func(lo, hi int) { c.tilesOf(v.from(lo), x, first+lo, first+hi) })
		threads.Parallel(winoPoints, func(p int) {
			gemm.Plan{Add: first > 0, Serial: true}.Mul(c.pointOf(du, p), dm.at(p, n).T(), v.at(p, n))
		})
	}
}

// gradTiles sets row t-lo of dm to what tile t of dy becomes.
func (c Shape) gradTiles(dm points, dy []float32, lo, hi int) {
	patch, tmp := pool.Get(16*c.Out), pool.Get(winoTmp)
	for t := lo; t < hi; t++ {
		image, row, col := c.tile(t)
		src, si, sj := c.window(*patch, dy, image, row, col, 4, c.Out, false)
		dst, di, dj := dm.square(t - lo)
		channels(best.OutGrad, c.Out, dst, di, dj, src, si, sj, *tmp)
	}
	pool.Put(patch)
	pool.Put(tmp)
}

// addTiles adds to dx what the rows of dv become for tiles [lo, hi), which overlap.
func (c Shape) addTiles(dx []float32, dv points, lo, hi int) {
	patch, tmp := pool.Get(winoPoints*c.In), pool.Get(winoTmp)
	for t := lo; t < hi; t++ {
		image, row, col := c.tile(t)
		src, si, sj := dv.square(t - lo)
		channels(best.InGrad, c.In, *patch, 6*c.In, c.In, src, si, sj, *tmp)
		first, end := max(0, col-1), min(c.Cols, col+5)
		if !c.Replicate {
			top, bottom := max(0, row-1), min(c.Rows, row+5)
			at := (image*c.Rows+top)*c.Cols + first
			from := (*patch)[((top-row+1)*6+first-col+1)*c.In:]
			vec.AddRows(dx[at*c.In:], c.Cols*c.In, from, 6*c.In, bottom-top, (end-first)*c.In)
			continue
		}
		for r := row - 1; r < min(c.Rows+1, row+5); r++ { // one pixel around the image
			at := (image*c.Rows + max(0, min(c.Rows-1, r))) * c.Cols
			from := (*patch)[(r-row+1)*6*c.In:][:6*c.In]
			d := dx[(at+first)*c.In:][:(end-first)*c.In]
			vec.AddSerial(d, d, from[(first-col+1)*c.In:][:len(d)])
			if col == 0 {
				vec.AddSerial(d[:c.In], d[:c.In], from[:c.In])
			}
			if last := d[len(d)-c.In:]; col+5 > c.Cols {
				vec.AddSerial(last, last, from[(c.Cols-col+1)*c.In:][:c.In])
			}
		}
	}
	pool.Put(patch)
	pool.Put(tmp)
}

// weightsOf sets dw to what du becomes.
func (c Shape) weightsOf(dw, du []float32) {
	apart := c.Out * c.In
	threads.Parallel(c.Out, func(o int) {
		taps, tmp := pool.Get(9*c.In), pool.Get(winoTmp)
		channels(best.WeightsGrad, c.In, *taps, 3*c.In, c.In, du[o*c.In:], 6*apart, apart, *tmp)
		w := dw[o*c.In*9:][:c.In*9]
		for ch := range c.In {
			for k := range 9 {
				w[ch*9+k] = (*taps)[k*c.In+ch]
			}
		}
		pool.Put(taps)
		pool.Put(tmp)
	})
}
