package convolution

import (
	"github.com/attnconv/attnconv/internal/gemm"
	"github.com/attnconv/attnconv/internal/kernel/pool"
	"github.com/attnconv/attnconv/internal/kernel/threads"
	"github.com/attnconv/attnconv/internal/kernel/vec"
)

// A 3 × 3 convolution of stride 1 is cut into tiles of 4 × 4 pixels. Winograd's transforms make of each tile 36 values
// a channel, and for each of the 36 points there is one product of matrices:
//
//	forward   M_p = V_p·U_pᵀ                       V of x, U of W, M becomes y
//	backward  dU_p = dM_pᵀ·V_p, dV_p = dM_p·U_p    dM of dy, dU becomes dW, dV becomes dx
//
// V (tiles, in), M (tiles, out), U (out, in). Where U is small it is multiplied by a few tiles at a time, on one
// goroutine, while these are in the second-level cache; else by those of several images, point by point.
const (
	winoSmall  = 1 << 13 // elements of U_p up to which it is small
	winoTiles  = 48      // tiles at a time with a small U; fewer if there are few
	winoFloats = 1 << 21 // elements of V or M made at a time with a large one
	winoPad    = 16      // elements between points, lest all be in one set of the cache
	winoRun    = 16      // tiles that one task transforms; fewer if there are few
)

// winograd reports whether Winograd's algorithm does c. It depends on nothing but an image's shape, so that an image's
// result is the same in a batch of any size.
//
// A tap's gradient is exactly 0 if each of its products is: where x is not 0, dy is. The transforms make rounding
// errors of such a 0, and a solver that divides by the size of gradients, as AdamW does, makes whole steps of these.
// Channels that are 0 everywhere stay 0. Other zeros are common in maps of less than a tile, which are summed directly.
func (c Shape) winograd() bool {
	return c.Size == 3 && c.Stride == 1 && c.apart() == 1 && !c.Valid && min(c.Rows, c.Cols) >= 4 &&
		min(c.In, c.Out) >= winoLanes && c.In%winoStep == 0 && c.Out%winoStep == 0
}

// tileRows, tileCols and tiles count an image's tiles, and the batch's.
func (c Shape) tileRows() int { return threads.Count(c.Rows, 4) }
func (c Shape) tileCols() int { return threads.Count(c.Cols, 4) }
func (c Shape) tiles() int    { return c.Batch * c.tileRows() * c.tileCols() }

// tile returns the image of tile t and its first pixel.
func (c Shape) tile(t int) (image, row, col int) {
	rows, cols := c.tileRows(), c.tileCols()
	return t / (rows * cols), t / cols % rows * 4, t % cols * 4
}

// points is a buffer with a matrix of rows × cols for each point.
type points struct {
	data       *[]float32
	rows, cols int
	apart      int // elements from one point to the next
}

func getPoints(rows, cols int) points {
	apart := rows*cols + winoPad
	return points{pool.Get(winoPoints * apart), rows, cols, apart}
}

// at returns the first rows of the matrix of point p.
func (v points) at(p, rows int) gemm.Mat {
	return gemm.Matrix((*v.data)[p*v.apart:][:rows*v.cols], rows, v.cols)
}

// first returns the first rows of the matrices of all points.
func (v points) first(rows int) gemm.Batch {
	return gemm.Strides(*v.data, winoPoints, rows, v.cols, v.apart)
}

// panelsOf is a packed (rows, cols) matrix for each point, apart floats from one to the next.
func panelsOf(data []float32, rows, cols, apart int) gemm.Batch {
	return gemm.PanelStrides(data, winoPoints, rows, cols, apart)
}

// square returns the elements from row i on, and how far apart those of its 6 × 6 points are.
func (v points) square(i int) (data []float32, di, dj int) {
	return (*v.data)[i*v.cols:], 6 * v.apart, v.apart
}

// prepareWino makes panels of U_pᵀ, point after point, each output multiplied by its scale.
func (c Shape) prepareWino(memory, w, scale []float32) {
	width := gemm.NR()
	apart := c.In * threads.RoundUp(c.Out, width)
	threads.Parallel(threads.Count(c.Out, width), func(panel int) {
		j := panel * width
		cols := min(width, c.Out-j)
		taps, tmp := pool.Get(9*c.In*width), pool.Get(winoTmp)
		gemm.PackB(gemm.Matrix(w[j*9*c.In:][:cols*9*c.In], cols, 9*c.In).T(), *taps)
		if scale != nil {
			for l := range 9 * c.In {
				row := (*taps)[l*width:][:cols]
				vec.MulSerial(row, row, scale[j:j+cols])
			}
		}
		for l := range c.In {
			best.Weights(width, memory[j*c.In+l*width:], 6*apart, apart, (*taps)[9*l*width:], 3*width, width, *tmp)
		}
		pool.Put(taps)
		pool.Put(tmp)
	})
}

// prepareWinoGrad makes panels of U_p.
func (c Shape) prepareWinoGrad(memory, w []float32) {
	width := gemm.NR()
	apart := c.Out * threads.RoundUp(c.In, width)
	threads.Parallel(threads.Count(c.In, width), func(panel int) {
		j := panel * width
		taps, tmp := pool.Get(9*width), pool.Get(winoTmp)
		for o := range c.Out {
			cols := min(width, c.In-j)
			gemm.PackB(gemm.Matrix(w[(o*c.In+j)*9:][:cols*9], cols, 9).T(), *taps)
			best.Weights(width, memory[j*c.Out+o*width:], 6*apart, apart, *taps, 3*width, width, *tmp)
		}
		pool.Put(taps)
		pool.Put(tmp)
	})
}

// forwardWino is Forward.
func (c Shape) forwardWino(y, x, prepared []float32, after Epilogue) {
	apart, tiles := c.In*threads.RoundUp(c.Out, gemm.NR()), c.tiles()
	if c.In*c.Out <= winoSmall {
		size := min(winoTiles, max(gemm.MR(), threads.RoundUp(threads.Count(tiles, threads.Tasks), gemm.MR())))
		threads.Blocks(tiles, size, func(lo, hi int) {
			v, m := getPoints(hi-lo, c.In), getPoints(hi-lo, c.Out)
			c.tilesOf(v, x, lo, hi)
			gemm.MulBatch(m.first(hi-lo), v.first(hi-lo), panelsOf(prepared, c.In, c.Out, apart), false)
			c.untile(y, m, lo, hi, after)
			pool.Put(v.data)
			pool.Put(m.data)
		})
		return
	}
	size := c.largeTiles()
	v, m := getPoints(size, c.In), getPoints(size, c.Out)
	defer pool.Put(v.data)
	defer pool.Put(m.data)
	for first := 0; first < tiles; first += size {
		n := min(size, tiles-first)
		run := min(winoRun, threads.Count(n, threads.Tasks))
		threads.Blocks(n, run, func(lo, hi int) { c.tilesOf(v.from(lo), x, first+lo, first+hi) })
		v.times(m, n, prepared, apart)
		threads.Blocks(n, run, func(lo, hi int) { c.untile(y, m.from(lo), first+lo, first+hi, after) })
	}
}

// times sets the first n rows of m: point by point those of v times the panels, apart floats from one point's to the
// next's.
func (v points) times(m points, n int, panels []float32, apart int) {
	rows := threads.Split(n, gemm.MC, gemm.MR())
	across := threads.Count(n, rows)
	threads.Parallel(winoPoints*across, func(t int) {
		p, i := t/across, t%across*rows
		k := min(rows, n-i)
		u := gemm.Panels(panels[p*apart:], v.cols, m.cols)
		timesPanels(m.at(p, n).Block(i, 0, k, m.cols), v.at(p, n).Block(i, 0, k, v.cols), u)
	})
}

// largeTiles is how many tiles are worked on at a time with a large U: those of whole images.
func (c Shape) largeTiles() int {
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

// timesPanels sets c = a·b on the calling goroutine, for a packed b.
func timesPanels(c, a, b gemm.Mat) { gemm.Plan{Serial: true, InPlaceA: true}.Mul(c, a, b) }

// tilesOf sets row t-lo of v to what tile t of x becomes, for tiles [lo, hi).
func (c Shape) tilesOf(v points, x []float32, lo, hi int) {
	patch, tmp := pool.Get(winoPoints*c.In), pool.Get(winoTmp)
	for t := lo; t < hi; t++ {
		image, row, col := c.tile(t)
		src, si, sj := c.window(*patch, x, image, row-1, col-1, 6, c.In, c.Replicate)
		dst, di, dj := v.square(t - lo)
		channels(best.In, c.In, dst, di, dj, src, si, sj, *tmp)
	}
	pool.Put(patch)
	pool.Put(tmp)
}

// window returns the side × side pixels of x from (row, col) on, of d channels, and how far apart their rows and
// columns are. Where they reach over the edge they are copied into patch, with zeros outside, or with the edge
// repeated.
func (c Shape) window(patch, x []float32, image, row, col, side, d int, repeat bool) (at []float32, si, sj int) {
	if row >= 0 && col >= 0 && row+side <= c.Rows && col+side <= c.Cols {
		return x[((image*c.Rows+row)*c.Cols+col)*d:], c.Cols * d, d
	}
	first, end := max(0, col), min(c.Cols, col+side)
	for i := range side {
		pixels, r := patch[i*side*d:][:side*d], row+i
		if repeat {
			r = max(0, min(c.Rows-1, r))
		}
		if r < 0 || r >= c.Rows {
			clear(pixels)
			continue
		}
		in := x[((image*c.Rows+r)*c.Cols+first)*d:][:(end-first)*d]
		copy(pixels[(first-col)*d:], in)
		if !repeat {
			clear(pixels[:(first-col)*d])
			clear(pixels[(end-col)*d:])
			continue
		}
		for j := range first - col {
			copy(pixels[j*d:], in[:d])
		}
		for j := end - col; j < side; j++ {
			copy(pixels[j*d:], in[len(in)-d:])
		}
	}
	return patch, side * d, d
}

// untile sets the pixels of tiles [lo, hi) of y to what the rows of m become, and then does what after says.
func (c Shape) untile(y []float32, m points, lo, hi int, after Epilogue) {
	patch, tmp := pool.Get(16*c.Out), pool.Get(winoTmp)
	for t := lo; t < hi; t++ {
		image, row, col := c.tile(t)
		src, si, sj := m.square(t - lo)
		rows, cols := min(4, c.Rows-row), min(4, c.Cols-col)
		first := (image*c.Rows+row)*c.Cols + col
		if rows == 4 && cols == 4 {
			channels(best.Out, c.Out, y[first*c.Out:], c.Cols*c.Out, c.Out, src, si, sj, *tmp)
		} else {
			channels(best.Out, c.Out, *patch, 4*c.Out, c.Out, src, si, sj, *tmp)
			for i := range rows {
				copy(y[(first+i*c.Cols)*c.Out:], (*patch)[4*i*c.Out:][:cols*c.Out])
			}
		}
		for i := range rows {
			after.do(y, first+i*c.Cols, first+i*c.Cols+cols, c.Out, 0, c.Out)
		}
	}
	pool.Put(patch)
	pool.Put(tmp)
}
