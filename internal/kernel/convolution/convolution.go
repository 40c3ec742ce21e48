// Package convolution convolves images, channels last, and has the gradients: 3 × 3 kernels of stride 1 by Winograd's
// algorithm, others as products of patches and weights.
package convolution

import (
	"fmt"

	"github.com/attnconv/attnconv/internal/gemm"
	"github.com/attnconv/attnconv/internal/kernel/pool"
	"github.com/attnconv/attnconv/internal/kernel/threads"
	"github.com/attnconv/attnconv/internal/kernel/vec"
)

// A Shape is that of a convolution, with zeros around each image, or its edge repeated:
//
//	y[b, i, j, o] = Σ_{u,v,c} W[o, c, u, v]·x[b, s·i+d(u-p), s·j+d(v-p), c],  0 ≤ u, v < k,  p = ⌊(k-1)/2⌋
//
// with the dilation d.
//
// x (batch, rows, cols, in), W (out, in, k, k) -> y (batch, ⌈rows/s⌉, ⌈cols/s⌉, out)
//
// or with patches only inside the image: p = 0, d = 1, y (batch, ⌊(rows-k)/s⌋+1, ⌊(cols-k)/s⌋+1, out).
//
// The product is one of matrices: patches of x, a row of k·k·in elements for each pixel of y, and W with the channels
// of a tap side by side. Patches are made a few at a time, where they are multiplied. 3 × 3 taps of stride 1 go by
// Winograd's algorithm: see winograd.go.
type Shape struct {
	Batch, Rows, Cols int
	In, Out           int
	Size, Stride      int // k and s
	Dilation          int // d, pixels from one tap to the next; 0: 1
	Replicate         bool
	Valid             bool // patches only inside the image
	BF16              bool // the factors of the direct form are bfloat16; Winograd's would lose too much
}

// factor is m as a factor of the direct form.
func (c Shape) factor(m gemm.Mat) gemm.Mat {
	if c.BF16 {
		return m.BF16()
	}
	return m
}

// OutRows and OutCols are the extent of y.
func (c Shape) OutRows() int { return c.outOf(c.Rows) }
func (c Shape) OutCols() int { return c.outOf(c.Cols) }

// outOf is the extent of y along an axis of n pixels of x.
func (c Shape) outOf(n int) int {
	if c.Valid {
		n = max(0, n-c.Size+1)
	}
	return threads.Count(n, c.Stride)
}

// apart is d.
func (c Shape) apart() int { return max(1, c.Dilation) }

// pad is p: how far the first patch reaches beyond the image.
func (c Shape) pad() int {
	if c.Valid {
		return 0
	}
	return (c.Size - 1) / 2
}

// InFloats, OutFloats and WeightFloats are the sizes of x, y and W.
func (c Shape) InFloats() int     { return c.Batch * c.Rows * c.Cols * c.In }
func (c Shape) OutFloats() int    { return c.pixels() * c.Out }
func (c Shape) WeightFloats() int { return c.Out * c.Size * c.span() }

// pixels is the number of y's pixels, span the elements of x that one row of taps reads: they are neighbors.
func (c Shape) pixels() int { return c.Batch * c.OutRows() * c.OutCols() }
func (c Shape) span() int   { return c.Size * c.In }

// check panics unless x and y have the sizes that they should, and w has the one that weights says.
func (c Shape) check(x, y, w []float32, weights int) {
	if len(x) != c.InFloats() || len(y) != c.OutFloats() || len(w) != weights {
		panic(fmt.Sprintf("convolution: a convolution %+v of %d elements into %d with %d of weights, not %d",
			c, len(x), len(y), len(w), weights))
	}
}

// An Epilogue is what becomes of a convolution's result while it is in cache: y + Shift a channel, + Add, and no less
// than zero if ReLU. Shift and Add may be nil.
type Epilogue struct {
	Shift []float32 // (out)
	Add   []float32 // like y
	ReLU  bool
}

// do works on pixels [lo, hi) of y, on n of their channels from j on.
func (e *Epilogue) do(y []float32, lo, hi, out, j, n int) {
	if n == out { // pixels lie one behind the other: they are one row
		e.row(y[lo*out:hi*out], lo*out, 0, n)
		return
	}
	for i := lo*out + j; i < hi*out; i += out {
		e.row(y[i:i+n], i, j, n)
	}
}

// row works on a row of y that begins at element i, of whole pixels with n channels from j on.
func (e *Epilogue) row(row []float32, i, j, n int) {
	if e.Shift != nil {
		vec.AddRowSerial(row, row, e.Shift[j:j+n])
	}
	if e.Add != nil {
		vec.AddSerial(row, row, e.Add[i:i+len(row)])
	}
	if e.ReLU {
		vec.ReLUSerial(row, row)
	}
}

// fewBlocks is up to how many blocks of pixels a direct convolution is cut by channels too.
const fewBlocks = 4

// PreparedFloats is how many floats Prepare needs.
func (c Shape) PreparedFloats() int {
	if c.winograd() {
		return winoPoints * gemm.PackedBFloats(c.In, c.Out)
	}
	return gemm.PackedBFloats(c.Size*c.span(), c.Out)
}

// Prepare makes w ready for Forward. It works in memory, of PreparedFloats. Each channel of y is multiplied by its
// scale on the way; scale may be nil.
func (c Shape) Prepare(memory, w, scale []float32) {
	if c.winograd() {
		c.prepareWino(memory, w, scale)
		return
	}
	c.prepareDirect(memory, w, scale)
}

func (c Shape) prepareDirect(memory, w, scale []float32) {
	span, kc := c.span(), gemm.BlockSteps(c.span(), c.BF16)
	wide := threads.RoundUp(c.Out, gemm.NR())
	taps := pool.Get(len(w))
	defer pool.Put(taps)
	c.toTaps(*taps, w, scale)
	threads.Parallel(c.Size, func(u int) {
		for l := 0; l < span; l += kc {
			n, at := min(kc, span-l), u*span+l
			b := gemm.Matrix(*taps, c.Out, c.Size*span).T().Block(at, 0, n, c.Out)
			gemm.PackB(c.factor(b), memory[at*wide:][:n*wide])
		}
	})
}

// Forward sets y to the convolution of x with the weights that Prepare made, and then does what after says.
func (c Shape) Forward(y, x, prepared []float32, after Epilogue) {
	c.check(x, y, prepared, c.PreparedFloats())
	if c.winograd() {
		c.forwardWino(y, x, prepared, after)
		return
	}
	c.forwardDirect(y, x, prepared, after)
}

func (c Shape) forwardDirect(y, x, prepared []float32, after Epilogue) {
	pixels, size := c.pixels(), threads.Split(c.pixels(), gemm.MC, gemm.MR())
	if threads.Count(pixels, size) <= fewBlocks {
		c.forwardFew(y, x, prepared, after)
		return
	}
	span := c.span()
	threads.Parallel(threads.Count(pixels, size), func(t int) {
		lo := t * size
		hi := min(pixels, lo+size)
		p := pool.Get((hi - lo) * span)
		defer pool.Put(p)
		yy := gemm.Matrix(y, pixels, c.Out).Block(lo, 0, hi-lo, c.Out)
		for u := range c.Size {
			c.patches(*p, span, x, lo, hi, u)
			c.mulTaps(yy, gemm.Matrix(*p, hi-lo, span), prepared, u, 0)
		}
		after.do(y, lo, hi, c.Out, 0, c.Out)
	})
}

// forwardFew is forwardDirect for few pixels: it makes all patches first, and then some channels of y at a time.
func (c Shape) forwardFew(y, x, prepared []float32, after Epilogue) {
	pixels, span := c.pixels(), c.span()
	all := pool.Get(pixels * c.Size * span)
	defer pool.Put(all)
	p := gemm.Matrix(*all, pixels, c.Size*span)
	threads.Blocks(pixels, threads.Count(pixels, threads.Tasks), func(lo, hi int) {
		for u := range c.Size {
			c.patches((*all)[lo*c.Size*span+u*span:], c.Size*span, x, lo, hi, u)
		}
	})
	rows, across := threads.Split(pixels, gemm.MC, gemm.MR()), threads.Count(c.Out, gemm.NR())
	threads.Parallel(threads.Count(pixels, rows)*across, func(t int) {
		lo, j := t/across*rows, t%across*gemm.NR()
		m, n := min(rows, pixels-lo), min(gemm.NR(), c.Out-j)
		yy := gemm.Matrix(y, pixels, c.Out).Block(lo, j, m, n)
		for u := range c.Size {
			c.mulTaps(yy, p.Block(lo, u*span, m, span), prepared, u, j)
		}
		after.do(y, lo, lo+m, c.Out, j, n)
	})
}

// mulTaps sets yy, channels of y from j on, to patches times row u of taps, or adds it beyond the first row.
func (c Shape) mulTaps(yy, patches gemm.Mat, prepared []float32, u, j int) {
	_, cols := yy.Dims()
	span, kc, wide := c.span(), gemm.BlockSteps(c.span(), c.BF16), threads.RoundUp(c.Out, gemm.NR())
	for l := 0; l < span; l += kc {
		n, at := min(kc, span-l), u*span+l
		w := c.factor(gemm.Panels(prepared[at*wide:][:n*wide], n, c.Out)).Cols(j, cols)
		gemm.Plan{Add: at > 0, Serial: true, InPlaceA: true}.Mul(yy, c.factor(patches.Cols(l, n)), w)
	}
}

// patches sets row i of p, rows ld elements apart, to what the taps of row u read for pixel lo+i of y.  p (hi-lo, k·in)
func (c Shape) patches(p []float32, ld int, x []float32, lo, hi, u int) {
	span, step := c.span(), c.Stride*c.In
	if c.apart() > 1 {
		c.eachTapOf(lo, hi, u, func(at, tap int) {
			if to := p[tap/span*ld+tap%span:][:c.In]; at < 0 {
				clear(to)
			} else {
				copy(to, x[at:at+c.In])
			}
		})
		return
	}
	c.eachReach(lo, hi, u, func(i, n, at, from, to int) {
		for j := range n {
			row, in := p[(i+j-lo)*ld:][:span], x[at+j*step:][:to-from]
			copy(row[from:], in)
			if len(in) == span {
				continue
			}
			if !c.Replicate {
				clear(row[:from])
				clear(row[to:])
				continue
			}
			c.eachBeyond(from, to, len(in), func(j, edge int) { copy(row[j:j+c.In], in[edge:edge+c.In]) })
		}
	})
}

// eachBeyond calls f for each pixel of a row of taps that lies outside [from, to), of n elements, where the image is:
// the pixel is at j, and the one at the edge that stands for it at edge of those n.
func (c Shape) eachBeyond(from, to, n int, f func(j, edge int)) {
	for j := 0; j < from; j += c.In {
		f(j, 0)
	}
	for j := to; j < c.span(); j += c.In {
		f(j, n-c.In)
	}
}

// addPatches is the transpose of patches: it adds p to dx.
func (c Shape) addPatches(dx, p []float32, lo, hi, u int) {
	span, step := c.span(), c.Stride*c.In
	if c.apart() > 1 {
		c.eachTapOf(lo, hi, u, func(at, tap int) {
			if at >= 0 {
				vec.AddSerial(dx[at:at+c.In], dx[at:at+c.In], p[tap:tap+c.In])
			}
		})
		return
	}
	c.eachReach(lo, hi, u, func(i, n, at, from, to int) {
		rows := p[(i-lo)*span:]
		vec.AddRows(dx[at:], step, rows[from:], span, n, to-from)
		if c.Replicate && to-from < span {
			for j := range n {
				d, row := dx[at+j*step:][:to-from], rows[j*span:][:span]
				c.eachBeyond(from, to, len(d), func(j, edge int) {
					vec.AddSerial(d[edge:edge+c.In], d[edge:edge+c.In], row[j:j+c.In])
				})
			}
		}
	})
}

// eachReach calls f for the pixels of y in [lo, hi), n at a time from pixel i on, with the elements [from, to) of the
// span of row u of taps that are in the image for each of them, and the place in x of the first for the first of them.
// The others' are a stride apart. With Replicate some always are.
func (c Shape) eachReach(lo, hi, u int, f func(i, n, at, from, to int)) {
	rows, cols, pad := c.OutRows(), c.OutCols(), c.pad()
	for i := lo; i < hi; {
		image, r, end := i/(rows*cols), i/cols%rows*c.Stride+u-pad, min(hi, i/cols*cols+cols)
		if c.Replicate {
			r = max(0, min(c.Rows-1, r))
		}
		if r < 0 || r >= c.Rows {
			f(i, end-i, 0, 0, 0)
			i = end
			continue
		}
		row := (image*c.Rows + r) * c.Cols
		for q, n := i%cols*c.Stride-pad, 0; i < end; i, q = i+n, q+n*c.Stride {
			first, last := max(0, q), min(c.Cols, q+c.Size)
			n = 1
			switch {
			case first >= last:
				f(i, n, 0, 0, 0)
				continue
			case last-first == c.Size: // so it is for all but those at the edges
				n = min(end-i, (c.Cols-last)/c.Stride+1)
			}
			f(i, n, (row+first)*c.In, (first-q)*c.In, (last-q)*c.In)
		}
	}
}

// eachTapOf calls f for the taps of row u of each pixel of y in [lo, hi), where they are apart. tap is the first
// element of the tap in rows of span. at is the first element of the pixel of x that the tap reads, or -1 where there
// are zeros.
func (c Shape) eachTapOf(lo, hi, u int, f func(at, tap int)) {
	inside := func(i, n int) int { // the pixel along an axis
		switch {
		case c.Replicate:
			return max(0, min(n-1, i))
		case i < 0 || i >= n:
			return -1
		}
		return i
	}
	rows, cols, pad := c.OutRows(), c.OutCols(), c.pad()
	for i := lo; i < hi; i++ {
		r := inside(i/cols%rows*c.Stride+c.apart()*(u-pad), c.Rows)
		for v := range c.Size {
			at, q := -1, inside(i%cols*c.Stride+c.apart()*(v-pad), c.Cols)
			if r >= 0 && q >= 0 {
				at = ((i/(rows*cols)*c.Rows+r)*c.Cols + q) * c.In
			}
			f(at, (i-lo)*c.span()+v*c.In)
		}
	}
}

// toTaps sets t[o, u, v, c] = w[o, c, u, v]·scale[o], fromTaps w[o, c, u, v] = t[o, u, v, c]. scale may be nil.
func (c Shape) toTaps(t, w, scale []float32) {
	taps := c.Size * c.Size
	threads.Parallel(c.Out, func(o int) {
		t, w := t[o*taps*c.In:][:taps*c.In], w[o*taps*c.In:][:taps*c.In]
		for ch := range c.In {
			for k, v := range w[ch*taps:][:taps] {
				t[k*c.In+ch] = v
			}
		}
		if scale != nil {
			vec.ScaleSerial(scale[o], t)
		}
	})
}

func (c Shape) fromTaps(w, t []float32) {
	taps := c.Size * c.Size
	threads.Parallel(c.Out, func(o int) {
		t, w := t[o*taps*c.In:][:taps*c.In], w[o*taps*c.In:][:taps*c.In]
		for ch := range c.In {
			for k := range taps {
				w[ch*taps+k] = t[k*c.In+ch]
			}
		}
	})
}

// Products counts the multiply-adds of the products that Forward computes: an image's pixels times its taps, or by
// Winograd's algorithm 36 points for each tile.
func (c Shape) Products() int {
	if c.winograd() {
		return winoPoints * c.tiles() * c.In * c.Out
	}
	return c.pixels() * c.Size * c.span() * c.Out
}
