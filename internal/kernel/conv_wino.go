package kernel

// A 3 × 3 convolution of stride 1 is cut into tiles of 4 × 4 pixels. Winograd's transforms make of each tile 36 numbers
// a channel, and for each of the 36 points there is one product of matrices:
//
//	forward   M_p = V_p·U_pᵀ                       V of x, U of W, M becomes y
//	backward  dU_p = dM_pᵀ·V_p, dV_p = dM_p·U_p    dM of dy, dU becomes dW, dV becomes dx
//
// V (tiles, in), M (tiles, out), U (out, in). Where U is small it is multiplied by a few tiles at a time, on one
// goroutine, while these are in the second-level cache; else by those of several images, point by point.
const (
	winoSmall  = 1 << 13 // numbers of U_p up to which it is small
	winoTiles  = 48      // tiles at a time beside a small U; fewer if there are few
	winoFloats = 1 << 21 // numbers of V or M made at a time beside a large one
	winoPad    = 16      // numbers between points, lest all lie in one set of the cache; a last panel reads into them
	winoRun    = 16      // tiles that one task transforms; fewer if there are few
)

// winograd reports whether Winograd's algorithm does c. It depends on nothing but an image's shape, so that an image's
// numbers are the same in a batch of any size.
func (c Conv) winograd() bool {
	return c.Size == 3 && c.Stride == 1 && c.In%winoLanes == 0 && c.Out%winoLanes == 0
}

// tileRows, tileCols and tiles count an image's tiles, and the batch's.
func (c Conv) tileRows() int { return count(c.Rows, 4) }
func (c Conv) tileCols() int { return count(c.Cols, 4) }
func (c Conv) tiles() int    { return c.Batch * c.tileRows() * c.tileCols() }

// tile returns the image of tile t and its first pixel.
func (c Conv) tile(t int) (image, row, col int) {
	rows, cols := c.tileRows(), c.tileCols()
	return t / (rows * cols), t / cols % rows * 4, t % cols * 4
}

// points is a buffer with a matrix of rows × cols for each point.
type points struct {
	data       *[]float32
	rows, cols int
	apart      int // numbers from one point to the next
}

func borrowPoints(rows, cols int) points {
	apart := rows*cols + winoPad
	return points{Borrow(winoPoints * apart), rows, cols, apart}
}

// at returns the first rows of the matrix of point p.
func (v points) at(p, rows int) Mat { return Matrix((*v.data)[p*v.apart:][:rows*v.cols], rows, v.cols) }

// square returns the numbers from row i on, and how far apart those of its 6 × 6 points are.
func (v points) square(i int) (data []float32, di, dj int) {
	return (*v.data)[i*v.cols:], 6 * v.apart, v.apart
}

// prepareWino makes panels of U_pᵀ, point after point, each output multiplied by its scale.
func (c Conv) prepareWino(memory, w, scale []float32) {
	width := best.width
	apart := c.In * roundUp(c.Out, width)
	Parallel(count(c.Out, width), func(panel int) {
		j := panel * width
		cols := min(width, c.Out-j)
		taps, tmp := Borrow(9*c.In*width), Borrow(winoTmp)
		best.packB(*taps, cols, 9*c.In, w[j*9*c.In:], 9*c.In, true)
		if scale != nil {
			for l := range 9 * c.In {
				row := (*taps)[l*width:][:cols]
				best.mul(row, row, scale[j:j+cols])
			}
		}
		for l := range c.In {
			best.winoWeights(width, memory[j*c.In+l*width:], 6*apart, apart, (*taps)[9*l*width:], 3*width, width, *tmp)
		}
		GiveBack(taps)
		GiveBack(tmp)
	})
}

// prepareWinoGrad makes panels of U_p.
func (c Conv) prepareWinoGrad(memory, w []float32) {
	width := best.width
	apart := c.Out * roundUp(c.In, width)
	Parallel(count(c.In, width), func(panel int) {
		j := panel * width
		taps, tmp := Borrow(9*width), Borrow(winoTmp)
		for o := range c.Out {
			best.packB(*taps, min(width, c.In-j), 9, w[(o*c.In+j)*9:], 9, true)
			best.winoWeights(width, memory[j*c.Out+o*width:], 6*apart, apart, *taps, 3*width, width, *tmp)
		}
		GiveBack(taps)
		GiveBack(tmp)
	})
}

// forwardWino is Forward.
func (c Conv) forwardWino(y, x, prepared []float32, after ConvAfter) {
	apart, tiles := c.In*roundUp(c.Out, best.width), c.tiles()
	if c.In*c.Out <= winoSmall {
		size := min(winoTiles, max(best.height, roundUp(count(tiles, tasks), best.height)))
		Blocks(tiles, size, func(lo, hi int) {
			v, m := borrowPoints(hi-lo, c.In), borrowPoints(hi-lo, c.Out)
			c.tilesOf(v, x, lo, hi)
			for p := range winoPoints {
				mulPanels(m.at(p, hi-lo), v.at(p, hi-lo), prepared[p*apart:])
			}
			c.untile(y, m, lo, hi, after)
			GiveBack(v.data)
			GiveBack(m.data)
		})
		return
	}
	size := c.largeTiles()
	v, m := borrowPoints(size, c.In), borrowPoints(size, c.Out)
	defer GiveBack(v.data)
	defer GiveBack(m.data)
	for first := 0; first < tiles; first += size {
		n := min(size, tiles-first)
		run := min(winoRun, count(n, tasks))
		Blocks(n, run, func(lo, hi int) { c.tilesOf(v.from(lo), x, first+lo, first+hi) })
		rows := split(n, blockRows, best.height)
		across := count(n, rows)
		Parallel(winoPoints*across, func(t int) {
			p, i := t/across, t%across*rows
			k := min(rows, n-i)
			mulPanels(m.at(p, n).Block(i, 0, k, c.Out), v.at(p, n).Block(i, 0, k, c.In), prepared[p*apart:])
		})
		Blocks(n, run, func(lo, hi int) { c.untile(y, m.from(lo), first+lo, first+hi, after) })
	}
}

// largeTiles is how many tiles are worked on at a time beside a large U: those of whole images.
func (c Conv) largeTiles() int {
	image := c.tileRows() * c.tileCols()
	images := max(1, winoFloats/(winoPoints*image*max(c.In, c.Out)))
	return min(c.Batch, images) * image
}

// from is the buffer without its first i rows.
func (v points) from(i int) points {
	data := (*v.data)[i*v.cols:]
	v.data = &data
	return v
}

// mulPanels sets c = a·b on the calling goroutine, for b in panels over all steps.
func mulPanels(c, a Mat, b []float32) {
	kc, w := split(a.cols, depth, 8), best.width
	for l := 0; l < a.cols; l += kc {
		mulInPlace(c, a.Block(0, l, a.rows, min(kc, a.cols-l)), b[l*w:], a.cols*w, w, l > 0)
	}
}

// tilesOf sets row t-lo of v to what tile t of x becomes, for tiles [lo, hi).
func (c Conv) tilesOf(v points, x []float32, lo, hi int) {
	patch, tmp := Borrow(winoPoints*c.In), Borrow(winoTmp)
	for t := lo; t < hi; t++ {
		image, row, col := c.tile(t)
		src, si, sj := c.window(*patch, x, image, row-1, col-1, 6, c.In, c.Replicate)
		dst, di, dj := v.square(t - lo)
		best.winoIn(c.In, dst, di, dj, src, si, sj, *tmp)
	}
	GiveBack(patch)
	GiveBack(tmp)
}

// window returns the side × side pixels of x from (row, col) on, of d channels, and how far apart their rows and
// columns are. Where they reach over the edge they are copied into patch, with zeros outside, or with the edge repeated.
func (c Conv) window(patch, x []float32, image, row, col, side, d int, repeat bool) (at []float32, si, sj int) {
	if row >= 0 && col >= 0 && row+side <= c.Rows && col+side <= c.Cols {
		return x[((image*c.Rows+row)*c.Cols+col)*d:], c.Cols * d, d
	}
	first, end := max(0, col), min(c.Cols, col+side)
	for i := range side {
		line, r := patch[i*side*d:][:side*d], row+i
		if repeat {
			r = max(0, min(c.Rows-1, r))
		}
		if r < 0 || r >= c.Rows {
			clear(line)
			continue
		}
		in := x[((image*c.Rows+r)*c.Cols+first)*d:][:(end-first)*d]
		copy(line[(first-col)*d:], in)
		if !repeat {
			clear(line[:(first-col)*d])
			clear(line[(end-col)*d:])
			continue
		}
		for j := range first - col {
			copy(line[j*d:], in[:d])
		}
		for j := end - col; j < side; j++ {
			copy(line[j*d:], in[len(in)-d:])
		}
	}
	return patch, side * d, d
}

// untile sets the pixels of tiles [lo, hi) of y to what the rows of m become, and then does what after says.
func (c Conv) untile(y []float32, m points, lo, hi int, after ConvAfter) {
	patch, tmp := Borrow(16*c.Out), Borrow(winoTmp)
	for t := lo; t < hi; t++ {
		image, row, col := c.tile(t)
		src, si, sj := m.square(t - lo)
		rows, cols := min(4, c.Rows-row), min(4, c.Cols-col)
		first := (image*c.Rows+row)*c.Cols + col
		if rows == 4 && cols == 4 {
			best.winoOut(c.Out, y[first*c.Out:], c.Cols*c.Out, c.Out, src, si, sj, *tmp)
		} else {
			best.winoOut(c.Out, *patch, 4*c.Out, c.Out, src, si, sj, *tmp)
			for i := range rows {
				copy(y[(first+i*c.Cols)*c.Out:], (*patch)[4*i*c.Out:][:cols*c.Out])
			}
		}
		for i := range rows {
			after.do(y, first+i*c.Cols, first+i*c.Cols+cols, c.Out, 0, c.Out)
		}
	}
	GiveBack(patch)
	GiveBack(tmp)
}
