package kernel

import "fmt"

// A Conv is the shape of a convolution of images, channels last, with zeros around each image, or its edge repeated:
//
//	y[b, i, j, o] = Σ_{u,v,c} W[o, c, u, v]·x[b, s·i+u-p, s·j+v-p, c],  0 ≤ u, v < k,  p = ⌊(k-1)/2⌋
//
// x (batch, rows, cols, in), W (out, in, k, k) -> y (batch, ⌈rows/s⌉, ⌈cols/s⌉, out)
//
// The product is one of matrices: patches of x, a row of k·k·in numbers for each pixel of y, and W with the channels
// of a tap side by side. Patches are made a few at a time, where they are multiplied. 3 × 3 taps of stride 1 go by
// Winograd's algorithm: see conv_wino.go.
type Conv struct {
	Batch, Rows, Cols int
	In, Out           int
	Size, Stride      int // k and s
	Replicate         bool
}

// OutRows and OutCols are the extent of y.
func (c Conv) OutRows() int { return count(c.Rows, c.Stride) }
func (c Conv) OutCols() int { return count(c.Cols, c.Stride) }

// InFloats, OutFloats and WeightFloats are the sizes of x, y and W.
func (c Conv) InFloats() int     { return c.Batch * c.Rows * c.Cols * c.In }
func (c Conv) OutFloats() int    { return c.pixels() * c.Out }
func (c Conv) WeightFloats() int { return c.Out * c.Size * c.line() }

// pixels is the number of y's pixels, line the length of what one row of taps reads.
func (c Conv) pixels() int { return c.Batch * c.OutRows() * c.OutCols() }
func (c Conv) line() int   { return c.Size * c.In }

// check panics unless x and y have the numbers that they should, and w has as many as weights says.
func (c Conv) check(x, y, w []float32, weights int) {
	if len(x) != c.InFloats() || len(y) != c.OutFloats() || len(w) != weights {
		panic(fmt.Sprintf("kernel: a convolution %+v of %d numbers into %d with %d of weights, not %d",
			c, len(x), len(y), len(w), weights))
	}
}

// ConvAfter is what becomes of a convolution's result while it is in cache: y + Shift a channel, + Add, and no less
// than zero if ReLU. Shift and Add may be nil.
type ConvAfter struct {
	Shift []float32 // (out)
	Add   []float32 // like y
	ReLU  bool
}

// do works on pixels [lo, hi) of y, on n of their channels from j on.
func (a *ConvAfter) do(y []float32, lo, hi, out, j, n int) {
	for i := lo*out + j; i < hi*out; i += out {
		row := y[i : i+n]
		if a.Shift != nil {
			best.add(row, row, a.Shift[j:j+n])
		}
		if a.Add != nil {
			best.add(row, row, a.Add[i:i+n])
		}
		if a.ReLU {
			best.relu(row, row)
		}
	}
}

// fewBlocks is up to how many blocks of pixels a direct convolution is cut by channels too.
const fewBlocks = 4

// PreparedFloats is how many numbers Prepare needs.
func (c Conv) PreparedFloats() int {
	if c.winograd() {
		return winoPoints * c.In * roundUp(c.Out, widest)
	}
	return c.Size * c.line() * roundUp(c.Out, widest)
}

// Prepare makes w ready for Forward. It works in memory, of PreparedFloats. Each channel of y is multiplied by its
// scale on the way; scale may be nil.
func (c Conv) Prepare(memory, w, scale []float32) {
	if c.winograd() {
		c.prepareWino(memory, w, scale)
		return
	}
	c.prepareDirect(memory, w, scale)
}

func (c Conv) prepareDirect(memory, w, scale []float32) {
	line, kc := c.line(), split(c.line(), depth, 8)
	wide := roundUp(c.Out, best.width)
	taps := Borrow(len(w))
	defer GiveBack(taps)
	c.toTaps(*taps, w, scale)
	Parallel(c.Size, func(u int) {
		for l := 0; l < line; l += kc {
			n, at := min(kc, line-l), u*line+l
			b := Matrix(*taps, c.Out, c.Size*line).T().Block(at, 0, n, c.Out)
			packPanels(memory[at*wide:][:n*wide], b)
		}
	})
}

// Forward sets y to the convolution of x with the weights that Prepare made, and then does what after says.
func (c Conv) Forward(y, x, prepared []float32, after ConvAfter) {
	c.check(x, y, prepared, c.PreparedFloats())
	if c.winograd() {
		c.forwardWino(y, x, prepared, after)
		return
	}
	c.forwardDirect(y, x, prepared, after)
}

func (c Conv) forwardDirect(y, x, prepared []float32, after ConvAfter) {
	pixels, size := c.pixels(), split(c.pixels(), blockRows, best.height)
	if count(pixels, size) <= fewBlocks {
		c.forwardFew(y, x, prepared, after)
		return
	}
	line := c.line()
	Parallel(count(pixels, size), func(t int) {
		lo := t * size
		hi := min(pixels, lo+size)
		p := Borrow((hi - lo) * line)
		defer GiveBack(p)
		yy := Matrix(y, pixels, c.Out).Block(lo, 0, hi-lo, c.Out)
		for u := range c.Size {
			c.patches(*p, line, x, lo, hi, u)
			c.mulTaps(yy, Matrix(*p, hi-lo, line), prepared, u, 0)
		}
		after.do(y, lo, hi, c.Out, 0, c.Out)
	})
}

// forwardFew is forwardDirect for few pixels: it makes all patches first, and then some channels of y at a time.
func (c Conv) forwardFew(y, x, prepared []float32, after ConvAfter) {
	pixels, line := c.pixels(), c.line()
	all := Borrow(pixels * c.Size * line)
	defer GiveBack(all)
	p := Matrix(*all, pixels, c.Size*line)
	Blocks(pixels, count(pixels, tasks), func(lo, hi int) {
		for u := range c.Size {
			c.patches(p.data[lo*p.stride+u*line:], p.stride, x, lo, hi, u)
		}
	})
	rows, across := split(pixels, blockRows, best.height), count(c.Out, best.width)
	Parallel(count(pixels, rows)*across, func(t int) {
		lo, j := t/across*rows, t%across*best.width
		m, n := min(rows, pixels-lo), min(best.width, c.Out-j)
		yy := Matrix(y, pixels, c.Out).Block(lo, j, m, n)
		for u := range c.Size {
			c.mulTaps(yy, p.Block(lo, u*line, m, line), prepared, u, j)
		}
		after.do(y, lo, lo+m, c.Out, j, n)
	})
}

// mulTaps sets yy, channels of y from j on, to patches times row u of taps, or adds it beyond the first row.
func (c Conv) mulTaps(yy, patches Mat, prepared []float32, u, j int) {
	line, kc, wide := c.line(), split(c.line(), depth, 8), roundUp(c.Out, best.width)
	for l := 0; l < line; l += kc {
		n, at := min(kc, line-l), u*line+l
		mulInPlace(yy, patches.Block(0, l, yy.rows, n), prepared[at*wide+j*n:], n*best.width, best.width, at > 0)
	}
}

// patches sets row i of p, rows ld numbers apart, to what the taps of row u read for pixel lo+i of y.  p (hi-lo, k·in)
func (c Conv) patches(p []float32, ld int, x []float32, lo, hi, u int) {
	line := c.line()
	c.eachReach(lo, hi, u, func(i, at, from, to int) {
		row, in := p[(i-lo)*ld:][:line], x[at:at+to-from]
		copy(row[from:], in)
		if !c.Replicate {
			clear(row[:from])
			clear(row[to:])
			return
		}
		c.eachBeyond(from, to, len(in), func(j, edge int) { copy(row[j:j+c.In], in[edge:edge+c.In]) })
	})
}

// eachBeyond calls f for each pixel of a line of taps that lies outside [from, to), of n numbers, where the image is: the
// pixel is at j, and the one at the edge that stands for it at edge of those n.
func (c Conv) eachBeyond(from, to, n int, f func(j, edge int)) {
	for j := 0; j < from; j += c.In {
		f(j, 0)
	}
	for j := to; j < c.line(); j += c.In {
		f(j, n-c.In)
	}
}

// addPatches is the transpose of patches: it adds p to dx.
func (c Conv) addPatches(dx, p []float32, lo, hi, u int) {
	line := c.line()
	c.eachReach(lo, hi, u, func(i, at, from, to int) {
		d, row := dx[at:at+to-from], p[(i-lo)*line:][:line]
		best.add(d, d, row[from:to])
		if c.Replicate {
			c.eachBeyond(from, to, len(d), func(j, edge int) {
				best.add(d[edge:edge+c.In], d[edge:edge+c.In], row[j:j+c.In])
			})
		}
	})
}

// eachReach calls f for every pixel i of y in [lo, hi), with the numbers [from, to) of the line of row u of taps that lie
// in the image, and where the first of them stands in x. With Replicate some always do.
func (c Conv) eachReach(lo, hi, u int, f func(i, at, from, to int)) {
	rows, cols, pad := c.OutRows(), c.OutCols(), (c.Size-1)/2
	for i := lo; i < hi; {
		image, r, end := i/(rows*cols), i/cols%rows*c.Stride+u-pad, min(hi, i/cols*cols+cols)
		if c.Replicate {
			r = max(0, min(c.Rows-1, r))
		}
		inside := r >= 0 && r < c.Rows
		row := (image*c.Rows + r) * c.Cols
		for q := i%cols*c.Stride - pad; i < end; i, q = i+1, q+c.Stride {
			first, last := max(0, q), min(c.Cols, q+c.Size)
			if !inside || first >= last {
				f(i, 0, 0, 0)
				continue
			}
			f(i, (row+first)*c.In, (first-q)*c.In, (last-q)*c.In)
		}
	}
}

// toTaps sets t[o, u, v, c] = w[o, c, u, v]·scale[o], fromTaps w[o, c, u, v] = t[o, u, v, c]. scale may be nil.
func (c Conv) toTaps(t, w, scale []float32) {
	taps := c.Size * c.Size
	Parallel(c.Out, func(o int) {
		t, w := t[o*taps*c.In:][:taps*c.In], w[o*taps*c.In:][:taps*c.In]
		for ch := range c.In {
			for k, v := range w[ch*taps:][:taps] {
				t[k*c.In+ch] = v
			}
		}
		if scale != nil {
			best.scale(scale[o], t)
		}
	})
}

func (c Conv) fromTaps(w, t []float32) {
	taps := c.Size * c.Size
	Parallel(c.Out, func(o int) {
		t, w := t[o*taps*c.In:][:taps*c.In], w[o*taps*c.In:][:taps*c.In]
		for ch := range c.In {
			for k := range taps {
				w[ch*taps+k] = t[k*c.In+ch]
			}
		}
	})
}
