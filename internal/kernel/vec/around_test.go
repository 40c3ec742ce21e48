package vec

import (
	"math"
	"slices"
	"testing"

	"github.com/attnconv/attnconv/internal/kernel"
	"github.com/attnconv/attnconv/internal/kernel/kerneltest"
)

// plainAround is Around.Max and MaxGrad by their definition: a loop over the pixels of an image for each window.
func plainAround(w Around, dy, x []float32) (y, dx []float32) {
	y, dx = make([]float32, len(dy)), make([]float32, len(x))
	rows, cols := (w.Rows+w.Step-1)/w.Step, (w.Cols+w.Step-1)/w.Step
	for i := range y {
		c, q, r, b := i%w.Channels, i/w.Channels%cols, i/w.Channels/cols%rows, i/w.Channels/cols/rows
		best := -1
		for u := range w.Rows {
			for v := range w.Cols {
				far := max(u-r*w.Step, r*w.Step-u, v-q*w.Step, q*w.Step-v)
				at := ((b*w.Rows+u)*w.Cols+v)*w.Channels + c
				if far <= w.Size/2 && (best < 0 || x[at] > x[best]) {
					best = at
				}
			}
		}
		y[i] = x[best]
		dx[best] += dy[i]
	}
	return y, dx
}

// Windows that overlap and that do not, larger than the image, with many equal pixels: y and dx are those of the
// definition, whatever they held, and no element outside of them is written.
func TestAroundMax(t *testing.T) {
	for _, set := range kernel.Names() {
		t.Run(set, func(t *testing.T) {
			kerneltest.Use(t, set)
			for _, w := range []Around{
				{4, 6, 3, 3, 2}, {7, 5, 17, 3, 2}, {5, 4, 64, 3, 1}, {6, 7, 2, 5, 3}, {2, 3, 5, 1, 1}, {1, 1, 4, 3, 2},
				{2, 3, 9, 7, 2}, {9, 9, 3, 3, 4},
			} {
				const batch = 3
				x, y := kerneltest.NewFence(batch*w.Rows*w.Cols*w.Channels, 1),
					kerneltest.NewFence(batch*w.rows()*w.cols()*w.Channels, 2)
				dx, dy := kerneltest.NewFence(len(x.In), 3), kerneltest.Sample(len(y.In), 4)
				for i, v := range x.In {
					x.In[i] = float32(math.Round(float64(v)))
				}
				for i, v := range dy { // sums of them are exact, in any order
					dy[i] = float32(math.Round(8*float64(v))) / 8
				}
				at := kerneltest.NewFence(len(y.In), 5)
				w.Max(y.In, at.In, x.In)
				w.MaxGrad(dx.In, dy, at.In)
				wantY, wantDX := plainAround(w, dy, x.In)
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

// A NaN does not disappear among numbers.
func TestAroundMaxKeepsNaN(t *testing.T) {
	w := Around{Rows: 3, Cols: 3, Channels: 2, Size: 3, Step: 2}
	for k := range 9 {
		x, y, at := make([]float32, 18), make([]float32, 8), make([]float32, 8)
		x[2*k] = float32(math.NaN())
		w.Max(y, at, x)
		for i := range 4 {
			row, col := i/2*2, i%2*2
			near := max(row-k/3, k/3-row, col-k%3, k%3-col) <= 1
			if nan := y[2*i] != y[2*i]; nan != near || y[2*i+1] != 0 {
				t.Errorf("NaN in pixel %d: window %d has %v", k, i, y[2*i:][:2])
			}
		}
	}
}
