package convolution

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/attnconv/attnconv/internal/kernel"
	"github.com/attnconv/attnconv/internal/kernel/kerneltest"
	"github.com/attnconv/attnconv/internal/kernel/threads"
)

// Each transform of each set against the plain one, between fences, with rows and columns of squares apart.
func TestWinogradTransforms(t *testing.T) {
	pick := []struct {
		name     string
		from, to int
		of       func(*routines) transform
	}{
		{"in", 6, 6, func(r *routines) transform { return r.In }},
		{"in, gradient", 6, 6, func(r *routines) transform { return r.InGrad }},
		{"out", 6, 4, func(r *routines) transform { return r.Out }},
		{"out, gradient", 4, 6, func(r *routines) transform { return r.OutGrad }},
		{"weights", 3, 6, func(r *routines) transform { return r.Weights }},
		{"weights, gradient", 6, 3, func(r *routines) transform { return r.WeightsGrad }},
	}
	for _, s := range kernel.Names() {
		for _, tt := range pick {
			for _, n := range []int{16, 48} {
				t.Run(fmt.Sprintf("%s/%s, %d channels", s, tt.name, n), func(t *testing.T) {
					kerneltest.Use(t, s)
					si, di := tt.from*(n+3)+5, tt.to*(n+1)+2
					src, tmp := kerneltest.NewFence(tt.from*si, 1), make([]float32, winoTmp)
					got, want := kerneltest.NewFence(tt.to*di, 2), kerneltest.NewFence(tt.to*di, 2)
					tt.of(&best)(n, got.In, di, n+1, src.In, si, n+3, tmp)
					tt.of(&plain)(n, want.In, di, n+1, src.In, si, n+3, tmp)
					for i := range got.In {
						if !kerneltest.Near(float64(got.In[i]), float64(want.In[i]), 1e-5) {
							t.Fatalf("element %d: %v, plain Go says %v", i, got.In[i], want.In[i])
						}
					}
					if got.Broken() || src.Broken() {
						t.Fatal("wrote outside a slice")
					}
				})
			}
		}
	}
}

// Winograd's algorithm may be at most ten times as far from the sums in float64 as the direct form is, forward and in
// both gradients: as root mean squares, for images after a ReLU and weights as they begin.
func TestWinogradError(t *testing.T) {
	for _, s := range kernel.Names() {
		for _, c := range []Shape{
			{Batch: 4, Rows: 16, Cols: 16, In: 16, Out: 16, Size: 3, Stride: 1},
			{Batch: 2, Rows: 8, Cols: 8, In: 64, Out: 64, Size: 3, Stride: 1},
			{Batch: 2, Rows: 4, Cols: 4, In: 256, Out: 128, Size: 3, Stride: 1},
		} {
			t.Run(fmt.Sprintf("%s/%d to %d channels", s, c.In, c.Out), func(t *testing.T) {
				kerneltest.Use(t, s)
				rng := rand.New(rand.NewPCG(1, 2))
				x, w, dy := make([]float32, c.InFloats()), make([]float32, c.WeightFloats()),
					make([]float32, c.OutFloats())
				for i := range x {
					x[i] = float32(max(0, rng.NormFloat64()))
				}
				for i := range w {
					w[i] = float32((2*rng.Float64() - 1) / math.Sqrt(float64(9*c.In)))
				}
				for i := range dy {
					dy[i] = float32(rng.NormFloat64())
				}
				y, dx, dw := make([]float64, len(dy)), make([]float64, len(x)), make([]float64, len(w))
				c.eachTap(func(i, j, k int) {
					y[i] += float64(x[j]) * float64(w[k])
					dx[j] += float64(dy[i]) * float64(w[k])
					dw[k] += float64(dy[i]) * float64(x[j])
				})
				fast, direct := newConvResult(c), newConvResult(c)
				ready := make([]float32, c.PreparedFloats())
				c.prepareWino(ready, w, nil)
				c.forwardWino(fast.y, x, ready, Epilogue{})
				c.gradWino(fast.dx, fast.dw, dy, x, w, make([]float32, c.GradFloats()))
				c.prepareDirect(ready, w, nil)
				c.forwardDirect(direct.y, x, ready, Epilogue{})
				c.gradX(direct.dx, dy, w)
				c.gradW(direct.dw, dy, x, make([]float32, c.directGradFloats()))
				for _, r := range []struct {
					what         string
					fast, direct []float32
					want         []float64
				}{{"y", fast.y, direct.y, y}, {"dx", fast.dx, direct.dx, dx}, {"dW", fast.dw, direct.dw, dw}} {
					got, limit := apart(r.fast, r.want), 10*apart(r.direct, r.want)
					t.Logf("%s: %.2g, direct %.2g: %.1f times", r.what, got, limit/10, 10*got/limit)
					if !(got <= limit) {
						t.Errorf("%s: error %.2g, ten times the direct form's is %.2g", r.what, got, limit)
					}
				}
			})
		}
	}
}

type convResult struct{ y, dx, dw []float32 }

func newConvResult(c Shape) convResult {
	return convResult{make([]float32, c.OutFloats()), make([]float32, c.InFloats()), make([]float32, c.WeightFloats())}
}

// apart is the root of the mean square of got - want.
func apart(got []float32, want []float64) float64 {
	var sum float64
	for i, v := range want {
		sum += (float64(got[i]) - v) * (float64(got[i]) - v)
	}
	return math.Sqrt(sum / float64(len(want)))
}

// The same bytes on any number of threads, for every way to convolve.
func TestConvThreadsDoNotCount(t *testing.T) {
	defer threads.SetLimit(0)
	for _, c := range convShapes {
		work := func() []float32 {
			x, w, dy := kerneltest.Sample(c.InFloats(), 1), kerneltest.Sample(c.WeightFloats(), 2),
				kerneltest.Sample(c.OutFloats(), 3)
			r, ready := newConvResult(c), make([]float32, c.PreparedFloats())
			c.Prepare(ready, w, nil)
			c.Forward(r.y, x, ready, Epilogue{ReLU: true})
			c.Grad(r.dx, r.dw, dy, x, w, make([]float32, c.GradFloats()))
			var all []float32
			for _, s := range [][]float32{r.y, r.dx, r.dw} {
				all = append(all, s...)
			}
			return all
		}
		threads.SetLimit(1)
		want := work()
		for _, limit := range []int{2, 4, 7} {
			threads.SetLimit(limit)
			for i, v := range work() {
				if math.Float32bits(v) != math.Float32bits(want[i]) {
					t.Fatalf("%+v: %d threads: element %d is %v, on one %v", c, limit, i, v, want[i])
				}
			}
		}
	}
}

// A gradient whose products are all 0 is 0, not a rounding error: in small maps wherever x and dy are 0, in others for
// channels that are 0 everywhere.
func TestZerosOfGradients(t *testing.T) {
	for _, side := range []int{1, 2, 3, 4, 9} {
		c := Shape{Batch: 3, Rows: side, Cols: side, In: 32, Out: 32, Size: 3, Stride: 1}
		x, dy, w := kerneltest.Sample(c.InFloats(), 1), kerneltest.Sample(c.OutFloats(), 2),
			kerneltest.Sample(c.WeightFloats(), 3)
		for i := range x { // every fourth channel is dead; of a small map, most pixels
			pixel, channel := i/c.In%(side*side), i%c.In
			if small := side < 4; channel%4 == 0 || small && pixel != channel%(side*side) {
				x[i] = 0
			}
			if small := side < 4; channel%5 == 0 || small && pixel != channel/2%(side*side) {
				dy[i] = 0
			}
		}
		dw, memory := make([]float32, len(w)), make([]float32, c.GradFloats())
		c.Grad(nil, dw, dy, x, w, memory)
		zeros := 0
		for i, got := range dw { // (out, in, u, v)
			u, v, in, out := i/3%3, i%3, i/9%c.In, i/9/c.In
			sum, products := 0.0, 0
			for b := range c.Batch {
				for row := max(0, 1-u); row < min(side, side+1-u); row++ {
					for col := max(0, 1-v); col < min(side, side+1-v); col++ {
						at := (b*side+row)*side + col
						p := float64(dy[at*c.Out+out]) * float64(x[(at+(u-1)*side+v-1)*c.In+in])
						if sum += p; p != 0 {
							products++
						}
					}
				}
			}
			if products == 0 {
				zeros++
			}
			if products == 0 && got != 0 || math.Abs(sum-float64(got)) > 1e-4 {
				t.Fatalf("%d × %d: dW[%d, %d, %d, %d] is %v, a sum of %d products that is %v", side, side, out, in, u, v, got,
					products, sum)
			}
		}
		if zeros == 0 || zeros == len(dw) {
			t.Errorf("%d × %d: %d of %d gradients are 0", side, side, zeros, len(dw))
		}
	}
}
