package vec

import (
	"fmt"

	"github.com/attnconv/attnconv/internal/kernel/threads"
)

// Around are windows of Size × Size pixels, Size odd, around every Step-th pixel of images along each axis. They may
// overlap. Pixels outside of the image are in none.
type Around struct {
	Rows, Cols, Channels int
	Size, Step           int
}

// rows and cols are how many windows an image has.
func (w Around) rows() int { return (w.Rows + w.Step - 1) / w.Step }
func (w Around) cols() int { return (w.Cols + w.Step - 1) / w.Step }

// Max sets y to the largest of each window, and at to which of its Size² places that is, counted row by row; of equal
// ones the first. A NaN counts as the largest.
//
// x (batch, Rows, Cols, Channels) -> y, at (batch, ⌈Rows/Step⌉, ⌈Cols/Step⌉, Channels)
func (w Around) Max(y, at, x []float32) {
	equal(len(y), at)
	d := w.Channels
	w.each(y, x, func(i, image, row, col int) {
		largest, which := y[i:i+d], at[i:i+d]
		first := true
		w.inside(row, col, func(k, pixel int) {
			from := x[image+pixel*d:][:d]
			if first {
				copy(largest, from)
				for c := range which {
					which[c] = float32(k)
				}
				first = false
				return
			}
			best.TakeMax(largest, which, from, float32(k))
		})
	})
}

// MaxGrad is the backward of Max: dy of each window is added to the pixel that at names.
func (w Around) MaxGrad(dx, dy, at []float32) {
	equal(len(dy), at)
	clear(dx)
	d := w.Channels
	w.each(dy, dx, func(i, image, row, col int) {
		for c := range d {
			k := int(at[i+c])
			r, q := row+k/w.Size-w.Size/2, col+k%w.Size-w.Size/2
			dx[image+(r*w.Cols+q)*d+c] += dy[i+c]
		}
	})
}

// each calls f for every window, with where its channels begin in small, where its image begins in large, and its
// middle. Images run in parallel.
func (w Around) each(small, large []float32, f func(i, image, row, col int)) {
	rows, cols, d := w.rows(), w.cols(), w.Channels
	size := w.Rows * w.Cols * d
	if rows*cols*d == 0 || len(small)*size != len(large)*rows*cols*d {
		panic(fmt.Sprintf("vec: %+v: %d elements of windows, %d of images", w, len(small), len(large)))
	}
	threads.Blocks(len(large)/size, 1, func(lo, hi int) {
		for b := lo; b < hi; b++ {
			for i := range rows * cols {
				f((b*rows*cols+i)*d, b*size, i/cols*w.Step, i%cols*w.Step)
			}
		}
	})
}

// inside calls f for every pixel of a window inside the image, with its place in the window.
func (w Around) inside(row, col int, f func(k, pixel int)) {
	half := w.Size / 2
	for k := range w.Size * w.Size {
		r, q := row+k/w.Size-half, col+k%w.Size-half
		if r >= 0 && r < w.Rows && q >= 0 && q < w.Cols {
			f(k, r*w.Cols+q)
		}
	}
}
