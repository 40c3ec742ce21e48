package kernel

import (
	"fmt"
	"testing"
)

// The shapes of the paper's model at a batch of 100, of its gradients, and of a convolution.
func BenchmarkGemm(b *testing.B) {
	for _, s := range []struct {
		m, k, n      int
		turnA, turnB bool
	}{
		{25600, 3600, 400, false, true}, {25600, 400, 3600, false, false}, {400, 25600, 3600, true, false},
		{3600, 25600, 400, true, false}, {400, 25600, 400, true, false},
		{25600, 400, 400, false, true}, {25600, 400, 512, false, true}, {2048, 3600, 400, false, true},
		{2048, 400, 3600, false, false}, {400, 2048, 3600, true, false}, {400, 4096, 512, true, false},
		{512, 25600, 400, true, false}, {32768, 576, 64, false, true},
	} {
		for _, threads := range []int{1, 0} {
			b.Run(fmt.Sprintf("%dx%dx%d/threads=%d", s.m, s.k, s.n, threads), func(b *testing.B) {
				x, y := Matrix(guarded(s.m*s.k, 1), s.m, s.k), Matrix(guarded(s.k*s.n, 2), s.k, s.n)
				if s.turnA {
					x = Matrix(x.data, s.k, s.m).T()
				}
				if s.turnB {
					y = Matrix(y.data, s.n, s.k).T()
				}
				c := Matrix(make([]float32, s.m*s.n), s.m, s.n)
				SetThreads(threads)
				defer SetThreads(0)
				for b.Loop() {
					Mul(c, x, y)
				}
				gflops(b, 2*float64(s.m)*float64(s.n)*float64(s.k))
			})
		}
	}
}

// BenchmarkFMAPeak is the speed that no product can pass.
func BenchmarkFMAPeak(b *testing.B) {
	for _, threads := range []int{1, 0} {
		b.Run(fmt.Sprintf("threads=%d", threads), func(b *testing.B) {
			SetThreads(threads)
			defer SetThreads(0)
			const rounds = 100000
			n := Threads()
			for b.Loop() {
				Parallel(n, func(int) { best.spin(rounds) })
			}
			gflops(b, float64(n*rounds*best.spinOp))
		})
	}
}

func BenchmarkMulLeft(b *testing.B) {
	x, y := Matrix(guarded(16*16, 1), 16, 16), Matrix(guarded(16*6400, 2), 16, 6400)
	c := Matrix(make([]float32, 16*6400), 16, 6400)
	var left Left
	left.Pack(x, nil)
	for b.Loop() {
		MulLeft(c, &left, y, false)
	}
	gflops(b, 2*16*16*6400)
}

func gflops(b *testing.B, flop float64) {
	b.ReportMetric(flop*float64(b.N)/b.Elapsed().Seconds()/1e9, "GFLOP/s")
	b.ReportMetric(0, "ns/op")
}
