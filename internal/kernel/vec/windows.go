package vec

import (
	"fmt"
	"math"

	"github.com/attnconv/attnconv/internal/kernel/threads"
)

// Windows cut images of Rows × Cols pixels into windows of High × Wide, without overlap. Pixels that fill no window are
// in none.
type Windows struct {
	Rows, Cols, Channels int
	High, Wide           int
}

// rows and cols are how many windows an image has.
func (w Windows) rows() int { return w.Rows / w.High }
func (w Windows) cols() int { return w.Cols / w.Wide }

// Max sets y to the largest of each window, and at to which of its pixels that is, counted row by row; of equal ones
// the first. A NaN counts as the largest.
//
// x (batch, Rows, Cols, Channels) -> y, at (batch, ⌊Rows/High⌋, ⌊Cols/Wide⌋, Channels)
func (w Windows) Max(y, at, x []float32) {
	equal(len(y), at)
	w.each(y, x, func(window, pixel int) {
		d := w.Channels
		largest, which := y[window:window+d], at[window:window+d]
		copy(largest, x[pixel:pixel+d])
		clear(which)
		w.eachPixel(func(k, from int) { best.TakeMax(largest, which, x[pixel+from:][:d], float32(k)) })
	})
}

// MaxGrad is the backward of Max: dy of each window goes to the pixel that at names, and the others get zero.
func (w Windows) MaxGrad(dx, dy, at []float32) {
	equal(len(dy), at)
	rows, cols, d := w.rows(), w.cols(), w.Channels
	w.each(dy, dx, func(window, pixel int) {
		g, which := dy[window:window+d], at[window:window+d]
		best.Where(dx[pixel:pixel+d], g, which, 0)
		w.eachPixel(func(k, from int) { best.Where(dx[pixel+from:][:d], g, which, float32(k)) })
	})
	if rows*w.High == w.Rows && cols*w.Wide == w.Cols {
		return
	}
	line := w.Cols * d
	threads.Blocks(len(dx)/max(1, line), rowsIn(line, blockFloats), func(lo, hi int) {
		for r := lo; r < hi; r++ {
			from := cols * w.Wide * d
			if r%w.Rows >= rows*w.High {
				from = 0
			}
			clear(dx[r*line+from : (r+1)*line])
		}
	})
}

// each calls f for every window, with where its channels begin in small, and those of its first pixel in large. Rows of
// windows run in parallel.
func (w Windows) each(small, large []float32, f func(window, pixel int)) {
	rows, cols, d := w.rows(), w.cols(), w.Channels
	image := w.Rows * w.Cols * d
	if rows*cols*d == 0 || len(small)*image != len(large)*rows*cols*d {
		panic(fmt.Sprintf("vec: %+v: %d elements of windows, %d of images", w, len(small), len(large)))
	}
	lines := len(small) / (cols * d)
	threads.Blocks(lines, rowsIn(w.High*w.Cols*d, blockFloats), func(lo, hi int) {
		for r := lo; r < hi; r++ {
			first := r/rows*image + r%rows*w.High*w.Cols*d
			for j := range cols {
				f((r*cols+j)*d, first+j*w.Wide*d)
			}
		}
	})
}

// eachPixel calls f for every pixel of a window but the first, with its number and its place behind the first.
func (w Windows) eachPixel(f func(k, from int)) {
	for k := 1; k < w.High*w.Wide; k++ {
		f(k, (k/w.Wide*w.Cols+k%w.Wide)*w.Channels)
	}
}

func takeMaxPlain(y, at, x []float32, k float32) {
	for i, v := range x {
		if v > y[i] || math.IsNaN(float64(v)) {
			y[i], at[i] = v, k
		}
	}
}

func wherePlain(y, x, at []float32, k float32) {
	for i, v := range x {
		if at[i] != k {
			v = 0
		}
		y[i] = v
	}
}
