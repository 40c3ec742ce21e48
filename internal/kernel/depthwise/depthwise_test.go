package depthwise

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/attnconv/attnconv/internal/kernel"
	"github.com/attnconv/attnconv/internal/kernel/kerneltest"
	"github.com/attnconv/attnconv/internal/kernel/threads"
)

// shapes have channels on both sides of 16, each size from 1 to 9 and 11, sides on both sides of blocks and strips,
// images smaller than a filter, and images of one row or column.
func shapes() (all []Shape) {
	for _, edge := range []bool{false, true} {
		for size := 1; size <= 11; size++ {
			if size == 10 {
				continue
			}
			all = append(all, Shape{2, 6, 7, 20, size, edge}, Shape{1, 1, 9, 16, size, edge},
				Shape{3, 4, 1, 3, size, edge})
		}
		all = append(all, Shape{1, 1, 1, 1, 3, edge}, Shape{1, 2, 2, 17, 7, edge}, Shape{2, 3, 2, 33, 8, edge},
			Shape{19, 5, 5, 32, 3, edge}, Shape{33, 4, 3, 40, 2, edge}, Shape{1, 16, 16, 48, 5, edge},
			Shape{1, 32, 31, 16, 5, edge})
		for cols := 1; cols <= 25; cols++ {
			all = append(all, Shape{1, cols%7 + 1, cols, 16, 3, edge})
		}
	}
	return all
}

// eachTap calls f for every product of the definition: elements of y, x and W.
func (c Shape) eachTap(f func(y, x, w int)) {
	pad := (c.Size - 1) / 2
	for i := range c.Batch * c.Rows * c.Cols {
		n, r, q := i/(c.Rows*c.Cols), i/c.Cols%c.Rows, i%c.Cols
		for u := range c.Size {
			for v := range c.Size {
				row, col := r+u-pad, q+v-pad
				if c.Replicate {
					row, col = max(0, min(c.Rows-1, row)), max(0, min(c.Cols-1, col))
				}
				if row < 0 || row >= c.Rows || col < 0 || col >= c.Cols {
					continue
				}
				for ch := range c.Channels {
					f(i*c.Channels+ch, ((n*c.Rows+row)*c.Cols+col)*c.Channels+ch, (ch*c.Size+u)*c.Size+v)
				}
			}
		}
	}
}

// The forward pass and all gradients are what the definition says, whatever the memory held before.
func TestEqualsDefinition(t *testing.T) {
	for _, s := range kernel.Names() {
		t.Run(s, func(t *testing.T) {
			kerneltest.Use(t, s)
			for _, c := range shapes() {
				checkDefinition(t, c)
			}
		})
	}
}

func checkDefinition(t *testing.T, c Shape) {
	t.Helper()
	n, m := c.Batch*c.image(), c.Channels*c.taps()
	x, w, b, dy := kerneltest.NewFence(n, 1), kerneltest.NewFence(m, 2), kerneltest.NewFence(c.Channels, 3),
		kerneltest.NewFence(n, 4)
	y, dx, dw, db := kerneltest.NewFence(n, 5), kerneltest.NewFence(n, 6), kerneltest.NewFence(m, 7),
		kerneltest.NewFence(c.Channels, 8)
	wantY, wantX, wantW, wantB := make([]float64, n), make([]float64, n), make([]float64, m),
		make([]float64, c.Channels)
	c.eachTap(func(i, j, k int) {
		wantY[i] += float64(x.In[j]) * float64(w.In[k])
		wantX[j] += float64(dy.In[i]) * float64(w.In[k])
		wantW[k] += float64(dy.In[i]) * float64(x.In[j])
	})
	for i, v := range dy.In {
		wantB[i%c.Channels] += float64(v)
	}
	c.Forward(y.In, x.In, w.In, nil, kerneltest.Spoilt(c.ForwardFloats()))
	near(t, c, "y without bias", y.In, wantY)
	for i := range wantY {
		wantY[i] += float64(b.In[i%c.Channels])
	}
	c.Forward(y.In, x.In, w.In, b.In, kerneltest.Spoilt(c.ForwardFloats()))
	near(t, c, "y", y.In, wantY)
	c.Grad(dx.In, dw.In, db.In, dy.In, x.In, w.In, kerneltest.Spoilt(c.GradFloats()))
	near(t, c, "dx", dx.In, wantX)
	near(t, c, "dW", dw.In, wantW)
	near(t, c, "db", db.In, wantB)
	again := slices.Clone(dw.In)
	clear(dw.In)
	c.Grad(nil, dw.In, nil, dy.In, x.In, w.In, kerneltest.Spoilt(c.GradFloats()))
	if !slices.Equal(dw.In, again) {
		t.Errorf("%+v: dW is another where nobody asks for dx and db", c)
	}
	for _, f := range []kerneltest.Fence{x, w, b, dy, y, dx, dw, db} {
		if f.Broken() {
			t.Fatalf("%+v: wrote outside a slice", c)
		}
	}
}

// near compares sums of many products with their values in float64, to a part of the largest.
func near(t *testing.T, c Shape, what string, got []float32, want []float64) {
	t.Helper()
	largest := 0.0
	for _, v := range want {
		largest = max(largest, math.Abs(v))
	}
	for i, v := range want {
		if !kerneltest.Near(float64(got[i]), v, 2e-6*max(1, largest)) {
			t.Fatalf("%+v: %s[%d] = %v, want %v (largest %v)", c, what, i, got[i], v, largest)
		}
	}
}

// An image has the same bytes in a batch as by itself, and a batch has them on any number of threads.
func TestThreadsDoNotCount(t *testing.T) {
	for _, c := range []Shape{{37, 9, 8, 40, 5, false}, {5, 7, 7, 100, 4, true}, {1, 12, 12, 160, 3, false}} {
		run := func() (y, dx, dw, db []float32) {
			n, m := c.Batch*c.image(), c.Channels*c.taps()
			x, w, b := kerneltest.Sample(n, 1), kerneltest.Sample(m, 2), kerneltest.Sample(c.Channels, 3)
			y, dx, dw, db = make([]float32, n), make([]float32, n), make([]float32, m), make([]float32, c.Channels)
			c.Forward(y, x, w, b, kerneltest.Spoilt(c.ForwardFloats()))
			c.Grad(dx, dw, db, y, x, w, kerneltest.Spoilt(c.GradFloats()))
			return y, dx, dw, db
		}
		all := func() (s []string) {
			y, dx, dw, db := run()
			for _, v := range [][]float32{y, dx, dw, db} {
				s = append(s, fmt.Sprint(v))
			}
			return s
		}
		before := threads.Limit()
		defer threads.SetLimit(before)
		threads.SetLimit(1)
		want := all()
		for _, n := range []int{2, 3, 8} {
			threads.SetLimit(n)
			if !slices.Equal(all(), want) {
				t.Errorf("%+v: %d threads give other bytes than one", c, n)
			}
		}
		one := c
		one.Batch = 1
		x, w := kerneltest.Sample(c.Batch*c.image(), 1), kerneltest.Sample(c.Channels*c.taps(), 2)
		y, by := make([]float32, len(x)), make([]float32, c.image())
		c.Forward(y, x, w, nil, kerneltest.Spoilt(c.ForwardFloats()))
		one.Forward(by, x[len(x)-len(by):], w, nil, kerneltest.Spoilt(one.ForwardFloats()))
		if !slices.Equal(y[len(y)-len(by):], by) {
			t.Errorf("%+v: the last image has other bytes by itself", c)
		}
	}
}

// A routine of each set does what the plain one does, to the elements that it should, also past the caches.
func TestRoutines(t *testing.T) {
	const rows, cols, high, wide = 5, 19, 4, 3
	const xi, wi = (cols+wide+1)*lanes + 8, wide*lanes + 16
	const yj, yi = 3 * lanes, (cols*3 + 1) * lanes
	x, w, b := kerneltest.Sample((rows+high)*xi, 1), kerneltest.Sample(high*wi, 2), kerneltest.Sample(lanes, 3)
	line := func(seed uint64) []float32 { // 64 bytes are 16 elements
		y := kerneltest.Sample(rows*yi+lanes, seed)
		for !aligned(y) {
			y = y[1:]
		}
		return y[:rows*yi]
	}
	want, copied := line(4), line(5)
	correlatePlain(rows, cols, want, yi, yj, x, xi, w, wi, high, wide, b, false)
	copyPlain(rows, cols, copied, yi, yj, x, xi, 0)
	for _, s := range kernel.Names() {
		t.Run(s, func(t *testing.T) {
			kerneltest.Use(t, s)
			for _, past := range []bool{false, true} {
				y := line(4)
				best.Correlate(rows, cols, y, yi, yj, x, xi, w, wi, high, wide, b, past)
				for i, v := range want {
					if !kerneltest.Near(float64(y[i]), float64(v), 1e-5) {
						t.Fatalf("past %t: y[%d] = %v, want %v", past, i, y[i], v)
					}
				}
			}
			y := line(5)
			best.Copy(rows, cols, y, yi, yj, x, xi, 0)
			if !slices.Equal(y, copied) {
				t.Error("copies other elements")
			}
		})
	}
}

// A result that is too large for the caches is the same.
func TestPast(t *testing.T) {
	c := Shape{Batch: 17, Rows: 16, Cols: 64, Channels: 256, Size: 3}
	x, w := kerneltest.Sample(c.Batch*c.image(), 1), kerneltest.Sample(c.Channels*c.taps(), 2)
	y := make([]float32, len(x))
	if !c.past(y) {
		t.Fatal("y is not written past the caches")
	}
	c.Forward(y, x, w, nil, make([]float32, c.ForwardFloats()))
	one := c
	one.Batch = 1
	want := make([]float32, c.image())
	for n := range c.Batch {
		one.Forward(want, x[n*len(want):][:len(want)], w, nil, make([]float32, c.ForwardFloats()))
		if !slices.Equal(y[n*len(want):][:len(want)], want) {
			t.Fatalf("image %d is another by itself", n)
		}
	}
}
