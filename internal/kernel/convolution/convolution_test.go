package convolution

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/attnconv/attnconv/internal/kernel"
	"github.com/attnconv/attnconv/internal/kernel/kerneltest"
)

// convShapes stand on both sides of tiles, panels and blocks; strides, sizes and channels as networks have them.
var convShapes = []Shape{
	{Batch: 1, Rows: 1, Cols: 1, In: 1, Out: 1, Size: 3, Stride: 1},
	{Batch: 2, Rows: 5, Cols: 4, In: 3, Out: 7, Size: 3, Stride: 1},
	{Batch: 5, Rows: 4, Cols: 4, In: 16, Out: 32, Size: 3, Stride: 1},
	{Batch: 3, Rows: 4, Cols: 4, In: 32, Out: 80, Size: 3, Stride: 1},
	{Batch: 2, Rows: 9, Cols: 10, In: 20, Out: 33, Size: 3, Stride: 1},
	{Batch: 1, Rows: 16, Cols: 16, In: 64, Out: 64, Size: 3, Stride: 1},
	{Batch: 3, Rows: 5, Cols: 7, In: 32, Out: 48, Size: 3, Stride: 1},
	{Batch: 17, Rows: 9, Cols: 5, In: 16, Out: 16, Size: 3, Stride: 1},
	{Batch: 2, Rows: 6, Cols: 8, In: 96, Out: 112, Size: 3, Stride: 1},
	{Batch: 3, Rows: 9, Cols: 7, In: 24, Out: 40, Size: 3, Stride: 1},
	{Batch: 2, Rows: 5, Cols: 4, In: 136, Out: 104, Size: 3, Stride: 1},
	{Batch: 3, Rows: 16, Cols: 16, In: 5, Out: 40, Size: 3, Stride: 1},
	{Batch: 2, Rows: 12, Cols: 7, In: 5, Out: 6, Size: 3, Stride: 2},
	{Batch: 5, Rows: 8, Cols: 8, In: 33, Out: 48, Size: 3, Stride: 2},
	{Batch: 2, Rows: 7, Cols: 5, In: 17, Out: 9, Size: 1, Stride: 1},
	{Batch: 2, Rows: 7, Cols: 6, In: 17, Out: 40, Size: 1, Stride: 2},
	{Batch: 2, Rows: 5, Cols: 6, In: 4, Out: 5, Size: 2, Stride: 1},
	{Batch: 2, Rows: 3, Cols: 8, In: 4, Out: 5, Size: 4, Stride: 1},
	{Batch: 1, Rows: 9, Cols: 9, In: 2, Out: 3, Size: 5, Stride: 3},
	{Batch: 1, Rows: 4, Cols: 4, In: 410, Out: 3, Size: 1, Stride: 1},
	{Batch: 2, Rows: 6, Cols: 5, In: 3, Out: 24, Size: 2, Stride: 1, Valid: true},
	{Batch: 1, Rows: 3, Cols: 4, In: 16, Out: 16, Size: 3, Stride: 1, Valid: true},
	{Batch: 2, Rows: 9, Cols: 8, In: 4, Out: 5, Size: 4, Stride: 3, Valid: true},
	{Batch: 1, Rows: 1, Cols: 1, In: 2, Out: 3, Size: 3, Stride: 1, Replicate: true},
	{Batch: 2, Rows: 5, Cols: 4, In: 3, Out: 7, Size: 3, Stride: 1, Replicate: true},
	{Batch: 5, Rows: 4, Cols: 4, In: 16, Out: 32, Size: 3, Stride: 1, Replicate: true},
	{Batch: 2, Rows: 1, Cols: 9, In: 16, Out: 16, Size: 3, Stride: 1, Replicate: true},
	{Batch: 2, Rows: 3, Cols: 2, In: 16, Out: 16, Size: 3, Stride: 1, Replicate: true},
	{Batch: 3, Rows: 5, Cols: 7, In: 32, Out: 48, Size: 3, Stride: 1, Replicate: true},
	{Batch: 17, Rows: 9, Cols: 5, In: 16, Out: 16, Size: 3, Stride: 1, Replicate: true},
	{Batch: 2, Rows: 6, Cols: 8, In: 96, Out: 112, Size: 3, Stride: 1, Replicate: true},
	{Batch: 2, Rows: 12, Cols: 7, In: 5, Out: 6, Size: 3, Stride: 2, Replicate: true},
	{Batch: 2, Rows: 5, Cols: 6, In: 4, Out: 5, Size: 2, Stride: 1, Replicate: true},
	{Batch: 2, Rows: 3, Cols: 8, In: 4, Out: 5, Size: 4, Stride: 1, Replicate: true},
	{Batch: 2, Rows: 2, Cols: 2, In: 4, Out: 5, Size: 7, Stride: 1, Replicate: true},
	{Batch: 1, Rows: 9, Cols: 9, In: 2, Out: 3, Size: 5, Stride: 3, Replicate: true},
	{Batch: 5, Rows: 8, Cols: 8, In: 48, Out: 48, Size: 3, Stride: 1, Dilation: 2},
	{Batch: 2, Rows: 8, Cols: 7, In: 16, Out: 20, Size: 3, Stride: 1, Dilation: 3, Replicate: true},
	{Batch: 2, Rows: 5, Cols: 6, In: 3, Out: 4, Size: 4, Stride: 2, Dilation: 2, Replicate: true},
	{Batch: 1, Rows: 3, Cols: 2, In: 2, Out: 3, Size: 3, Stride: 1, Dilation: 9},
}

// eachTap calls f for every product of the definition: elements of y, x and W.
func (c Shape) eachTap(f func(y, x, w int)) {
	pad := (c.Size - 1) / 2
	if c.Valid {
		pad = 0
	}
	for i := range c.pixels() {
		b, r, q := i/(c.OutRows()*c.OutCols()), i/c.OutCols()%c.OutRows()*c.Stride, i%c.OutCols()*c.Stride
		for u := range c.Size {
			for v := range c.Size {
				row, col := r+max(1, c.Dilation)*(u-pad), q+max(1, c.Dilation)*(v-pad)
				if c.Replicate {
					row, col = max(0, min(c.Rows-1, row)), max(0, min(c.Cols-1, col))
				}
				if row < 0 || row >= c.Rows || col < 0 || col >= c.Cols {
					continue
				}
				for o := range c.Out {
					for ch := range c.In {
						f(i*c.Out+o, ((b*c.Rows+row)*c.Cols+col)*c.In+ch, ((o*c.In+ch)*c.Size+u)*c.Size+v)
					}
				}
			}
		}
	}
}

// Forward and both gradients must be what the definition says, whatever the memory held before.
func TestConvEqualsDefinition(t *testing.T) {
	for _, s := range kernel.Names() {
		for _, c := range convShapes {
			t.Run(fmt.Sprintf("%s/%+v", s, c), func(t *testing.T) {
				kerneltest.Use(t, s)
				x, w, dy := kerneltest.NewFence(c.InFloats(), 1), kerneltest.NewFence(c.WeightFloats(), 2),
					kerneltest.NewFence(c.OutFloats(), 3)
				y, dx, dw := kerneltest.NewFence(c.OutFloats(), 4), kerneltest.NewFence(c.InFloats(), 5),
					kerneltest.NewFence(c.WeightFloats(), 6)
				scale, shift, add := kerneltest.Sample(c.Out, 7), kerneltest.Sample(c.Out, 8),
					kerneltest.Sample(c.OutFloats(), 9)
				ready := kerneltest.Spoilt(c.PreparedFloats())
				wantY, wantX, wantW := make([]float64, len(y.In)), make([]float64, len(x.In)),
					make([]float64, len(w.In))
				c.eachTap(func(i, j, k int) {
					wantY[i] += float64(x.In[j]) * float64(w.In[k])
					wantX[j] += float64(dy.In[i]) * float64(w.In[k])
					wantW[k] += float64(dy.In[i]) * float64(x.In[j])
				})
				c.Prepare(ready, w.In, nil)
				c.Forward(y.In, x.In, ready, Epilogue{})
				c.Grad(dx.In, dw.In, dy.In, x.In, w.In, kerneltest.Spoilt(c.GradFloats()))
				sumsNear(t, "y", y.In, wantY)
				sumsNear(t, "dx", dx.In, wantX)
				sumsNear(t, "dW", dw.In, wantW)
				for i := range wantY {
					o := i % c.Out
					wantY[i] = max(0, wantY[i]*float64(scale[o])+float64(shift[o])+float64(add[i]))
				}
				c.Prepare(ready, w.In, scale)
				c.Forward(y.In, x.In, ready, Epilogue{Shift: shift, Add: add, ReLU: true})
				sumsNear(t, "relu(y·scale + shift + add)", y.In, wantY)
				for _, f := range []kerneltest.Fence{x, w, dy, y, dx, dw} {
					if f.Broken() {
						t.Fatal("wrote outside a slice")
					}
				}
			})
		}
	}
}

// The direct form gives an image the same bytes by itself, where the work is split by channels, and in a large batch.
func TestDirectConvOfOneImage(t *testing.T) {
	for _, s := range kernel.Names() {
		kerneltest.Use(t, s)
		for _, c := range []Shape{
			{Batch: 40, Rows: 8, Cols: 8, In: 50, Out: 72, Size: 3, Stride: 2},
			{Batch: 20, Rows: 7, Cols: 6, In: 140, Out: 70, Size: 3, Stride: 1},
			{Batch: 60, Rows: 4, Cols: 4, In: 17, Out: 40, Size: 1, Stride: 1},
		} {
			one := c
			one.Batch = 1
			x, w, shift := kerneltest.Sample(c.InFloats(), 1), kerneltest.Sample(c.WeightFloats(), 2),
				kerneltest.Sample(c.Out, 3)
			ready, y, want := make([]float32, c.PreparedFloats()), make([]float32, c.OutFloats()),
				make([]float32, one.OutFloats())
			c.prepareDirect(ready, w, nil)
			one.forwardDirect(want, x[:one.InFloats()], ready, Epilogue{Shift: shift, ReLU: true})
			c.forwardDirect(y, x, ready, Epilogue{Shift: shift, ReLU: true})
			if !slices.Equal(y[:len(want)], want) {
				t.Errorf("%s, %+v: an image by itself has other values", s, c)
			}
		}
	}
}

// sumsNear compares sums of many products with their values in float64, to a part of the largest.
func sumsNear(t *testing.T, what string, got []float32, want []float64) {
	t.Helper()
	largest := 0.0
	for _, v := range want {
		largest = max(largest, math.Abs(v))
	}
	for i, v := range want {
		if !kerneltest.Near(float64(got[i]), v, 4e-6*max(1, largest)) {
			t.Fatalf("%s[%d] = %v, want %v (largest %v)", what, i, got[i], v, largest)
		}
	}
}
