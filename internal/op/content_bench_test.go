package op

import (
	"math/rand/v2"
	"testing"

	"github.com/attnconv/attnconv/internal/kernel/threads"
)

// The mixing of the paper's model with content, two images on one goroutine.
func BenchmarkMixContent(b *testing.B) {
	threads.SetLimit(1)
	defer threads.SetLimit(0)
	const batch, heads, rows, d = 2, 9, 16, 400
	tokens := rows * rows
	in := []Shape{{batch, tokens, d}, {batch, tokens, heads * d}, {batch, tokens, heads * 31}, {batch, tokens, heads * 31}}
	drop := Dropout{Rate: 0.1, Key: 7, Clock: &Clock{}, PerImage: true}
	o := MixContentOp{Content: true, KeyIsValue: true, Position: true, Scale: 1, Heads: Heads{heads, rows, rows}, Drop: drop}
	op := o.Kernel(in)
	out, _ := o.Shape(in)
	rng := rand.New(rand.NewPCG(1, 2))
	var x, dx [][]float32
	for _, s := range in {
		x, dx = append(x, random(rng, s.TotalSize())), append(dx, make([]float32, s.TotalSize()))
	}
	for i := range x[1] {
		x[1][i] *= 0.05
	}
	z, dz := make([]float32, out.TotalSize()), random(rng, out.TotalSize())
	flops := func(products float64) float64 { return 2 * batch * heads * 256 * 256 * (products*d + 32) }
	for _, bb := range []struct {
		name  string
		flops float64
		f     func()
	}{
		{"forward", flops(2), func() { op.Forward(z, x) }},
		{"backward", flops(5), func() { op.Backward(dx, dz, nil, x) }},
	} {
		b.Run(bb.name, func(b *testing.B) {
			for b.Loop() {
				bb.f()
			}
			b.ReportMetric(bb.flops*float64(b.N)/b.Elapsed().Seconds()/1e9, "GFLOP/s")
		})
	}
}
