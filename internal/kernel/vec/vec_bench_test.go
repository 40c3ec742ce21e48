package vec

import (
	"fmt"
	"testing"

	"github.com/attnconv/attnconv/internal/kernel/kerneltest"
	"github.com/attnconv/attnconv/internal/kernel/threads"
)

// BenchmarkRows runs every parallel function at the paper's size, 25600 tokens of 400 or 512 elements, and reports the
// bytes it must move, once each, and its elements.
func BenchmarkRows(b *testing.B) {
	const n, d, ffn = 25600, 400, 512
	x, y, z, u := kerneltest.Sample(n*ffn, 1), kerneltest.Sample(n*ffn, 2), kerneltest.Sample(n*ffn, 3),
		kerneltest.Sample(n*ffn, 4)
	row, other := kerneltest.Sample(ffn, 5), kerneltest.Sample(ffn, 6)
	mean, rstd := make([]float32, n), make([]float32, n)
	dg, db := make([]float32, d), make([]float32, d)
	drop := Dropout{Key: 1, Step: 2, Rate: 0.1}
	x4, y4, z4, u4 := x[:n*d], y[:n*d], z[:n*d], u[:n*d]
	for _, k := range []struct {
		name   string
		floats int // read or written
		elems  int
		f      func()
	}{
		{"Add", 3 * n * d, n * d, func() { Add(y4, x4) }},
		{"Scale", 2 * n * d, n * d, func() { Scale(0.999, x4) }},
		{"AddRow", 2 * n * d, n * d, func() { AddRow(y4, x4, row[:d]) }},
		{"SumRows", n * d, n * d, func() { SumRows(dg, x4) }},
		{"GELU", 2 * n * ffn, n * ffn, func() { GELU(y, x, row) }},
		{"GELUGrad", 3 * n * ffn, n * ffn, func() { GELUGrad(z, z, x, row) }},
		{"ResidualNorm", 3 * n * d, n * d, func() {
			ResidualNorm(z4, mean, rstd, x4, y4, row[:d], other[:d],
				Dropout{})
		}},
		{"ResidualNorm+drop", 3 * n * d, n * d, func() {
			ResidualNorm(z4, mean, rstd, x4, y4, row[:d], other[:d],
				drop)
		}},
		{"ResidualNormGrad", 5 * n * d, n * d, func() {
			ResidualNormGrad(u4, y4, dg, db, z4, x4, y4, mean, rstd, row[:d], Dropout{})
		}},
		{"ResidualNormGrad+drop", 5 * n * d, n * d, func() {
			ResidualNormGrad(u4, y4, dg, db, z4, x4, y4, mean, rstd, row[:d], drop)
		}},
		{"SoftmaxRows", 2 * n * 256, n * 256, func() { SoftmaxRows(y[:n*256], x[:n*256], 256) }},
		{"SoftmaxRowsGrad", 3 * n * 256, n * 256, func() { SoftmaxRowsGrad(z[:n*256], y[:n*256], x[:n*256], 256) }},
		{"DropoutRow", n * d, n * d, func() {
			rowBlocks(n, d, blockFloats, func(lo, hi int) {
				for r := lo; r < hi; r++ {
					drop.Row(u4[r*d:(r+1)*d], uint32(r))
				}
			})
		}},
		{"MeanTokens", n * d, n * d, func() { MeanTokens(u[:n/256*d], x4, 256, d) }},
		{"SpaceToDepth", 2 * 100 * 3072, 100 * 3072, func() { SpaceToDepth(y[:100*3072], x[:100*3072], 32, 32, 3, 2) }},
		{"CrossEntropy", 2 * 100 * 100, 100 * 100, func() {
			CrossEntropy(y[:10000], x[:10000], make([]int32, 100), 100,
				0.1, 1)
		}},
		{"SGD", 5 * n * d, n * d, func() { SGD(x4, y4, z4, 1e-6, 0.9, 1e-4) }},
		{"AdamW", 7 * n * d, n * d, func() { AdamW(x4, y4, u4, z4, 1e-6, 0.9, 0.999, 1e-8, 1e-4, 9) }},
		{"SumSquares", n * d, n * d, func() { SumSquares(x4) }},
		{"Finite", n * d, n * d, func() { Finite(z4) }},
	} {
		for _, limit := range []int{1, 0} {
			for i := range y { // AdamW needs squares, and some routines leave theirs behind
				x[i], y[i], z[i], u[i] = float32(i%7)-3, float32(i%5)-2, float32(i%3)-1, 1
			}
			b.Run(fmt.Sprintf("%s/threads=%s", k.name, map[int]string{0: "all", 1: "1"}[limit]), func(b *testing.B) {
				threads.SetLimit(limit)
				defer threads.SetLimit(0)
				for b.Loop() {
					k.f()
				}
				rate := float64(b.N) / b.Elapsed().Seconds() / 1e9
				b.ReportMetric(4*float64(k.floats)*rate, "GB/s")
				b.ReportMetric(float64(k.elems)*rate, "Gelem/s")
			})
		}
	}
}

// BenchmarkPairs is one head of one image at the paper's size, with a tenth of 81 keys a query dropped: z among
// nine heads, as the mixing operation holds it.
func BenchmarkPairs(b *testing.B) {
	const tokens, d, apart = 256, 400, 3600
	p := somePairs(tokens, tokens, 8.1/256)
	z, x, dots := kerneltest.Sample(tokens*apart, 1), kerneltest.Sample(tokens*d, 2), make([]float32, len(p.Key))
	for _, k := range []struct {
		name string
		f    func()
	}{
		{"SubPairs", func() { SubPairs(z, apart, x, d, d, p) }},
		{"PairDots", func() { PairDots(dots, z, apart, x, d, d, p) }},
	} {
		b.Run(k.name, func(b *testing.B) {
			for b.Loop() {
				k.f()
			}
			rate := float64(b.N) / b.Elapsed().Seconds() / 1e9
			b.ReportMetric(4*float64(len(p.Key)*d)*rate, "GB/s")
			b.ReportMetric(2*float64(len(p.Key)*d)*rate, "GFLOP/s")
		})
	}
	b.Run("Transpose", func(b *testing.B) {
		var dst Pairs
		for b.Loop() {
			p.Transpose(&dst, tokens)
		}
		b.ReportMetric(float64(len(p.Key))*float64(b.N)/b.Elapsed().Seconds()/1e9, "Gpair/s")
	})
}
