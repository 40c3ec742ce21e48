package convolution

import (
	"fmt"
	"math"
	"testing"
	"time"

	"github.com/attnconv/attnconv/internal/kernel/kerneltest"
)

// The convolutions of ResNet18 at a batch of 100, of the conv-twin of the attention network, and of convnet. GFLOP/s
// are by definition: Winograd's algorithm does a quarter of that. Times are of the fastest run.
func BenchmarkConv(b *testing.B) {
	for _, c := range []Shape{
		{Batch: 100, Rows: 32, Cols: 32, In: 3, Out: 64, Size: 3, Stride: 1},
		{Batch: 100, Rows: 32, Cols: 32, In: 64, Out: 64, Size: 3, Stride: 1},
		{Batch: 100, Rows: 32, Cols: 32, In: 64, Out: 128, Size: 3, Stride: 2},
		{Batch: 100, Rows: 32, Cols: 32, In: 64, Out: 128, Size: 1, Stride: 2},
		{Batch: 100, Rows: 16, Cols: 16, In: 128, Out: 128, Size: 3, Stride: 1},
		{Batch: 100, Rows: 16, Cols: 16, In: 128, Out: 256, Size: 3, Stride: 2},
		{Batch: 100, Rows: 8, Cols: 8, In: 256, Out: 256, Size: 3, Stride: 1},
		{Batch: 100, Rows: 8, Cols: 8, In: 256, Out: 512, Size: 3, Stride: 2},
		{Batch: 100, Rows: 4, Cols: 4, In: 512, Out: 512, Size: 3, Stride: 1},
		{Batch: 32, Rows: 16, Cols: 16, In: 400, Out: 400, Size: 3, Stride: 1},
		{Batch: 32, Rows: 16, Cols: 16, In: 400, Out: 400, Size: 3, Stride: 1, Replicate: true},
		{Batch: 64, Rows: 8, Cols: 8, In: 96, Out: 96, Size: 3, Stride: 1},
		{Batch: 64, Rows: 8, Cols: 8, In: 96, Out: 96, Size: 3, Stride: 1, Replicate: true},
		{Batch: 64, Rows: 8, Cols: 8, In: 90, Out: 90, Size: 3, Stride: 1},
		{Batch: 64, Rows: 8, Cols: 8, In: 90, Out: 90, Size: 3, Stride: 1, Replicate: true},
		{Batch: 64, Rows: 32, Cols: 32, In: 16, Out: 16, Size: 3, Stride: 1},
		{Batch: 100, Rows: 32, Cols: 32, In: 3, Out: 24, Size: 2, Stride: 1, Valid: true},
		{Batch: 100, Rows: 31, Cols: 31, In: 24, Out: 64, Size: 3, Stride: 1},
		{Batch: 100, Rows: 15, Cols: 15, In: 64, Out: 64, Size: 3, Stride: 1},
		{Batch: 100, Rows: 15, Cols: 15, In: 64, Out: 256, Size: 3, Stride: 1},
		{Batch: 100, Rows: 7, Cols: 7, In: 256, Out: 256, Size: 3, Stride: 1},
		{Batch: 100, Rows: 3, Cols: 3, In: 256, Out: 256, Size: 3, Stride: 1},
	} {
		x, w, y := kerneltest.Sample(c.InFloats(), 1), kerneltest.Sample(c.WeightFloats(), 2),
			kerneltest.Sample(c.OutFloats(), 3)
		dx, dw, ready := make([]float32, len(x)), make([]float32, len(w)), make([]float32, c.PreparedFloats())
		memory := make([]float32, c.GradFloats())
		flop := 2 * float64(c.pixels()) * float64(c.WeightFloats())
		name := fmt.Sprintf("%dx%dx%d to %d, %dx%d by %d", c.Rows, c.Cols, c.In, c.Out, c.Size, c.Size, c.Stride)
		if c.Replicate {
			name += ", edge"
		}
		for _, k := range []struct {
			what string
			work float64
			do   func()
		}{
			{"prepare", 0, func() { c.Prepare(ready, w, nil) }},
			{"forward", flop, func() { c.Forward(y, x, ready, Epilogue{}) }},
			{"backward", 2 * flop, func() { c.Grad(dx, dw, y, x, w, memory) }},
		} {
			b.Run(name+"/"+k.what, func(b *testing.B) {
				k.do()
				fastest := time.Duration(math.MaxInt64)
				for b.Loop() {
					begin := time.Now()
					k.do()
					fastest = min(fastest, time.Since(begin))
				}
				b.ReportMetric(k.work/fastest.Seconds()/1e9, "GFLOP/s")
				b.ReportMetric(1e3*fastest.Seconds(), "ms")
				b.ReportMetric(0, "ns/op")
			})
		}
	}
}
