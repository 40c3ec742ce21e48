package depthwise

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/attnconv/attnconv/internal/kernel/kerneltest"
)

// Shapes as ConvMixer has them. GFLOP/s and ms are of the fastest run; backward is all three gradients, and a step is
// forward and backward. bench/pytorch/depthwise.sh reads this.
func BenchmarkDepthwise(b *testing.B) {
	for _, c := range []Shape{
		{Batch: 32, Rows: 16, Cols: 16, Channels: 256, Size: 5},
		{Batch: 32, Rows: 16, Cols: 16, Channels: 256, Size: 5, Replicate: true},
		{Batch: 128, Rows: 16, Cols: 16, Channels: 256, Size: 5},
		{Batch: 32, Rows: 32, Cols: 32, Channels: 256, Size: 5},
		{Batch: 64, Rows: 8, Cols: 8, Channels: 96, Size: 3},
		{Batch: 32, Rows: 16, Cols: 16, Channels: 256, Size: 9},
		{Batch: 32, Rows: 16, Cols: 16, Channels: 250, Size: 5},
	} {
		n, m := c.Batch*c.image(), c.Channels*c.taps()
		x, w, bias := kerneltest.Sample(n, 1), kerneltest.Sample(m, 2), kerneltest.Sample(c.Channels, 3)
		y, dx, dw, db := kerneltest.Sample(n, 4), make([]float32, n), make([]float32, m), make([]float32, c.Channels)
		forward, backward := make([]float32, c.ForwardFloats()), make([]float32, c.GradFloats())
		flop := 2 * float64(n) * float64(c.taps())
		name := fmt.Sprintf("%dx%dx%dx%d, %dx%d", c.Batch, c.Rows, c.Cols, c.Channels, c.Size, c.Size)
		if c.Replicate {
			name += ", edge"
		}
		for _, k := range []struct {
			what string
			work float64
			do   func()
		}{
			{"forward", flop, func() { c.Forward(y, x, w, bias, forward) }},
			{"backward", 2 * flop, func() { c.Grad(dx, dw, db, y, x, w, backward) }},
			{"step", 3 * flop, func() {
				c.Forward(y, x, w, bias, forward)
				c.Grad(dx, dw, db, y, x, w, backward)
			}},
		} {
			b.Run(name+"/"+k.what, func(b *testing.B) {
				k.do()
				var times []float64
				for b.Loop() {
					begin := time.Now()
					k.do()
					times = append(times, time.Since(begin).Seconds())
				}
				slices.Sort(times)
				b.ReportMetric(k.work/times[0]/1e9, "GFLOP/s")
				b.ReportMetric(1e3*times[0], "ms")
				b.ReportMetric(1e3*times[len(times)/2], "median-ms")
				b.ReportMetric(0, "ns/op")
			})
		}
	}
}
