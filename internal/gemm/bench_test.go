package gemm

import (
	"fmt"
	"testing"

	"github.com/attnconv/attnconv/internal/kernel"
	"github.com/attnconv/attnconv/internal/kernel/threads"
)

// The shapes of the paper's model at a batch of 100, of its gradients, and of a convolution.
func BenchmarkGemm(b *testing.B) {
	benchmarkGemm(b, func(m Mat) Mat { return m })
}

// BenchmarkBF16 is the same products in bfloat16, in the form that is faster here.
func BenchmarkBF16(b *testing.B) { benchmarkGemm(b, Mat.BF16) }

// BenchmarkPairs is the same products by VDPBF16PS, whether or not that is the faster form here.
func BenchmarkPairs(b *testing.B) {
	needPairs(b)
	chosen := pairsAreFaster
	pairsAreFaster = func() bool { return true }
	defer func() { pairsAreFaster = chosen }()
	benchmarkGemm(b, Mat.BF16)
}

func needPairs(b *testing.B) {
	if best.Pairs.Tiles == nil || !kernel.HasBF16() {
		b.Skip("this CPU has no AVX512_BF16")
	}
}

func benchmarkGemm(b *testing.B, factor func(Mat) Mat) {
	for _, s := range []struct {
		m, k, n        int
		transA, transB bool
	}{
		{25600, 3600, 400, false, true}, {25600, 400, 3600, false, false}, {400, 25600, 3600, true, false},
		{3600, 25600, 400, true, false}, {400, 25600, 400, true, false},
		{25600, 400, 400, false, true}, {25600, 400, 512, false, true}, {2048, 3600, 400, false, true},
		{2048, 400, 3600, false, false}, {400, 2048, 3600, true, false}, {400, 4096, 512, true, false},
		{512, 25600, 400, true, false}, {32768, 576, 64, false, true},
	} {
		for _, limit := range []int{1, 0} {
			b.Run(fmt.Sprintf("%dx%dx%d/threads=%d", s.m, s.k, s.n, limit), func(b *testing.B) {
				x, y := random(s.m, s.k, 1), random(s.k, s.n, 2)
				if s.transA {
					x = Matrix(x.data, s.k, s.m).T()
				}
				if s.transB {
					y = Matrix(y.data, s.n, s.k).T()
				}
				c := Matrix(make([]float32, s.m*s.n), s.m, s.n)
				threads.SetLimit(limit)
				defer threads.SetLimit(0)
				for b.Loop() {
					Mul(c, factor(x), factor(y))
				}
				gflops(b, 2*float64(s.m)*float64(s.n)*float64(s.k))
			})
		}
	}
}

// BenchmarkFMAPeak is the speed that no product can pass.
func BenchmarkFMAPeak(b *testing.B) {
	for _, limit := range []int{1, 0} {
		b.Run(fmt.Sprintf("threads=%d", limit), func(b *testing.B) {
			threads.SetLimit(limit)
			defer threads.SetLimit(0)
			const rounds = 100000
			n := threads.Limit()
			for b.Loop() {
				threads.Parallel(n, func(int) { best.Peak.Loop(rounds) })
			}
			gflops(b, float64(n*rounds*best.Peak.FLOP))
		})
	}
}

// BenchmarkPairsPeak is the loop of VDPBF16PS without memory.
func BenchmarkPairsPeak(b *testing.B) {
	needPairs(b)
	const rounds = 100000
	for b.Loop() {
		best.Pairs.Peak.Loop(rounds)
	}
	gflops(b, float64(rounds*best.Pairs.Peak.FLOP))
}

// BenchmarkInPlaceB is a product as attention mixes rows: few rows of A, packed once, and a B too wide to be packed.
func BenchmarkInPlaceB(b *testing.B) {
	x, y := random(16, 16, 1), random(16, 6400, 2)
	c := Matrix(make([]float32, 16*6400), 16, 6400)
	packed := PackA(x, nil)
	for b.Loop() {
		Plan{InPlaceB: true}.Mul(c, packed, y)
	}
	gflops(b, 2*16*16*6400)
}

// BenchmarkMulBatch is the products of attention that mixes columns: one for each row of pixels, all with one A.
func BenchmarkMulBatch(b *testing.B) {
	for _, s := range []struct{ size, n int }{{8, 48}, {16, 192}} {
		b.Run(fmt.Sprintf("%d×%d×%d×%d", s.size, s.size, s.size, s.n), func(b *testing.B) {
			x, y := random(s.size, s.size, 1), random(s.size*s.size, s.n, 2)
			c := Matrix(make([]float32, s.size*s.size*s.n), s.size*s.size, s.n)
			packed := PackA(x, nil)
			for b.Loop() {
				MulBatch(blocks(c, s.size), Same(packed, s.size), blocks(y, s.size), false)
			}
			gflops(b, 2*float64(s.size*s.size*s.size*s.n))
		})
	}
}

func gflops(b *testing.B, flop float64) {
	b.ReportMetric(flop*float64(b.N)/b.Elapsed().Seconds()/1e9, "GFLOP/s")
	b.ReportMetric(0, "ns/op")
}
