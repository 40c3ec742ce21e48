package op

import (
	"math/rand/v2"
	"testing"

	"github.com/attnconv/attnconv/internal/kernel/threads"
	"github.com/attnconv/attnconv/internal/kernel/vec"
)

// The sizes of the paper's model, two images on one goroutine: 9 heads, 16 × 16 tokens, 400 channels.
const (
	benchBatch, benchHeads, benchSide, benchWidth = 2, 9, 16, 400
	benchTokens                                   = benchSide * benchSide
)

func BenchmarkMixContent(b *testing.B) {
	of := func(channels int) Shape { return Shape{benchBatch, benchTokens, channels} }
	shifts := benchHeads * (2*benchSide - 1)
	o := MixContentOp{Content: true, KeyIsValue: true, Position: true, Scale: 0.05,
		Heads: Heads{Count: benchHeads, Rows: benchSide, Cols: benchSide},
		Drop:  Dropout{Rate: 0.1, Key: 7, Clock: &Clock{}, PerImage: true}}
	pairs := float64(2 * benchBatch * benchHeads * benchTokens * benchTokens)
	benchmarkMix(b, o, []Shape{of(benchWidth), of(benchHeads * benchWidth), of(shifts), of(shifts)},
		pairs*(2*benchWidth+2*benchSide), pairs*(5*benchWidth+2*benchSide))
}

func BenchmarkMixSeparable(b *testing.B) {
	in := []Shape{{benchBatch, benchTokens, benchWidth}, {benchHeads, benchSide, benchSide},
		{benchHeads, benchSide, benchSide},
		{benchWidth, benchHeads * benchWidth}, {benchWidth}}
	values := float64(2 * benchBatch * benchHeads * benchTokens * benchWidth)
	dropout := Dropout{Rate: 0.1, Key: 7, Clock: &Clock{}}
	for _, bb := range []struct {
		name string
		op   MixSeparableOp
	}{{"all pairs", MixSeparableOp{}}, {"dropout", MixSeparableOp{Drop: dropout}},
		{"bfloat16", MixSeparableOp{Drop: dropout, Factors: BFloat16}}} {
		b.Run(bb.name, func(b *testing.B) {
			benchmarkMix(b, bb.op, in, values*(2*benchSide+benchWidth), values*(6*benchSide+2*benchWidth))
		})
	}
}

// benchmarkMix reports GFLOP/s of o, by the given floating-point operations.
func benchmarkMix(b *testing.B, o Op, in []Shape, forward, backward float64) {
	threads.SetLimit(1)
	defer threads.SetLimit(0)
	k := o.Kernel(in)
	lay(k)
	out, err := o.Shape(in)
	if err != nil {
		b.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(1, 2))
	var x, dx [][]float32
	for i, s := range in {
		x, dx = append(x, random(rng, s.TotalSize())), append(dx, make([]float32, s.TotalSize()))
		if n := s[len(s)-1]; i > 0 && n == benchSide {
			vec.SoftmaxRows(x[i], x[i], n)
		}
	}
	y, dy := make([]float32, out.TotalSize()), random(rng, out.TotalSize())
	for _, bb := range []struct {
		name  string
		flops float64
		f     func()
	}{
		{"forward", forward, func() { k.Forward(y, x) }},
		{"backward", backward, func() { k.Backward(dx, dy, y, x) }},
	} {
		b.Run(bb.name, func(b *testing.B) {
			for b.Loop() {
				bb.f()
			}
			b.ReportMetric(bb.flops*float64(b.N)/b.Elapsed().Seconds()/1e9, "GFLOP/s")
		})
	}
}
