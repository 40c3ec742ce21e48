package vec

import (
	"math"
	"slices"
	"testing"

	"github.com/attnconv/attnconv/internal/kernel"
	"github.com/attnconv/attnconv/internal/kernel/kerneltest"
)

// plainMax is Windows.Max and MaxGrad by their definition, pixel by pixel.
func plainMax(w Windows, dy, x []float32) (y, dx []float32) {
	y, dx = make([]float32, len(dy)), make([]float32, len(x))
	rows, cols := w.Rows/w.High, w.Cols/w.Wide
	for i := range y {
		c, q, r, b := i%w.Channels, i/w.Channels%cols, i/w.Channels/cols%rows, i/w.Channels/cols/rows
		first := -1
		for u := range w.High {
			for v := range w.Wide {
				at := ((b*w.Rows+r*w.High+u)*w.Cols+q*w.Wide+v)*w.Channels + c
				if first < 0 || x[at] > x[first] {
					first = at
				}
			}
		}
		y[i], dx[first] = x[first], dy[i]
	}
	return y, dx
}

// Windows that fill the image and that do not, of one pixel and of the whole image, with many equal pixels: y and dx
// must be those of the definition, whatever they held, and no element outside of them is written.
func TestWindowsMax(t *testing.T) {
	for _, set := range kernel.Names() {
		t.Run(set, func(t *testing.T) {
			kerneltest.Use(t, set)
			for _, w := range []Windows{
				{4, 6, 3, 2, 2}, {31, 31, 64, 2, 2}, {15, 15, 9, 2, 2}, {3, 3, 256, 3, 3}, {5, 7, 1, 3, 2},
				{2, 3, 5, 1, 1}, {7, 4, 2, 7, 4},
			} {
				const batch = 3
				x, y := kerneltest.NewFence(batch*w.Rows*w.Cols*w.Channels, 1),
					kerneltest.NewFence(batch*w.rows()*w.cols()*w.Channels, 2)
				dx, dy := kerneltest.NewFence(len(x.In), 3), kerneltest.Sample(len(y.In), 4)
				for i, v := range x.In {
					x.In[i] = float32(math.Round(float64(v)))
				}
				at := kerneltest.NewFence(len(y.In), 5)
				w.Max(y.In, at.In, x.In)
				w.MaxGrad(dx.In, dy, at.In)
				wantY, wantDX := plainMax(w, dy, x.In)
				if !slices.Equal(y.In, wantY) || !slices.Equal(dx.In, wantDX) {
					t.Errorf("%+v: not the largest, or not its gradient", w)
				}
				if y.Broken() || dx.Broken() || at.Broken() || x.Broken() {
					t.Errorf("%+v: writes outside", w)
				}
			}
		})
	}
}

// A NaN must not disappear among numbers, wherever in the window and in a row of channels it is.
func TestWindowsMaxKeepsNaN(t *testing.T) {
	for _, set := range kernel.Names() {
		kerneltest.Use(t, set)
		for k := range 4 {
			x, y, at := make([]float32, 4*17), make([]float32, 17), make([]float32, 17)
			for c := range 17 {
				x[k*17+c] = float32(math.NaN())
			}
			Windows{2, 2, 17, 2, 2}.Max(y, at, x)
			if slices.ContainsFunc(y, func(v float32) bool { return v == v }) {
				t.Errorf("%s, pixel %d: %v, want NaN alone", set, k, y)
			}
		}
	}
}
