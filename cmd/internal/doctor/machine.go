package doctor

import (
	"context"
	"fmt"
	"math"
	"time"

	"github.com/attnconv/attnconv/internal/gemm"
	"github.com/attnconv/attnconv/internal/kernel"
	"github.com/attnconv/attnconv/internal/stream"
	"github.com/attnconv/attnconv/internal/table"
	"github.com/attnconv/attnconv/run"
)

func checkMachine(_ context.Context, o Options) (status Status, detail string) {
	e := run.Describe(nil, "", false)
	detail = table.Count(e.Cores, "core") + ", " + table.Count(e.Threads, "thread")
	if e.CPU != "" {
		detail = e.CPU + ", " + detail
	}
	if e.Memory > 0 {
		detail += ", " + table.Size(e.Memory) + " of memory"
	}
	detail += ", kernels " + kernel.Name()
	switch {
	case kernel.Name() != "generic":
		return Pass, detail
	case o.Getenv(kernel.Variable) != "":
		return Warn, detail + ", as " + kernel.Variable + " says: other kernels may be many times faster"
	}
	return Warn, detail + ": faster kernels need a processor with AVX2 and FMA, AVX-512 or NEON"
}

// checkArithmetic compares matrix products of odd sizes with sums in float64.
func checkArithmetic(context.Context, Options) (status Status, detail string) {
	worst := 0.0
	for _, n := range []int{1, 7, 33, 130} {
		m, k := n+2, 2*n+1
		a, b, c := random("a", m*k), random("b", k*n), make([]float32, m*n)
		gemm.Mul(gemm.Matrix(c, m, n), gemm.Matrix(a, m, k), gemm.Matrix(b, k, n))
		for i := range m {
			for j := range n {
				sum := 0.0
				for l := range k {
					sum += float64(a[i*k+l]) * float64(b[l*n+j])
				}
				worst = max(worst, math.Abs(sum-float64(c[i*n+j]))/math.Sqrt(float64(k)))
			}
		}
	}
	detail = fmt.Sprintf("matrix products are accurate to %.1g", worst)
	if !(worst < 1e-5) {
		return Fail, fmt.Sprintf("matrix products are off by %.1g with the kernels %s; %s=generic selects the plain "+
			"ones",
			worst, kernel.Name(), kernel.Variable)
	}
	return Pass, detail
}

// random returns n uniform values in [-1, 1).
func random(name string, n int) []float32 {
	r := stream.Rand(0, "doctor/"+name)
	x := make([]float32, n)
	for i := range x {
		x[i] = 2*r.Float32() - 1
	}
	return x
}

// checkSpeed times a large matrix product: its speed bounds that of training. Where factors in bfloat16 are the faster
// ones, it says so.
func checkSpeed(context.Context, Options) (status Status, detail string) {
	asIs := func(m gemm.Mat) gemm.Mat { return m }
	detail = fmt.Sprintf("float32 product of %d × %[1]d matrices: %.0f GFLOP/s", speedSize, productSpeed(asIs))
	if gemm.FasterInBF16() {
		detail += fmt.Sprintf("; %.0f with factors in bfloat16 (--precision bfloat16)", productSpeed(gemm.Mat.BF16))
	}
	return Pass, detail
}

const speedSize = 1024 // rows and columns of the product that checkSpeed times

// productSpeed is the best speed, in GFLOP/s, of half a second of products of factors.
func productSpeed(factor func(gemm.Mat) gemm.Mat) float64 {
	const n = speedSize
	matrix := func(x []float32) gemm.Mat { return gemm.Matrix(x, n, n) }
	a, b, c := factor(matrix(random("a", n*n))), factor(matrix(random("b", n*n))), matrix(make([]float32, n*n))
	best := math.Inf(1)
	for begin := time.Now(); time.Since(begin) < time.Second/2; {
		start := time.Now()
		gemm.Mul(c, a, b)
		best = min(best, time.Since(start).Seconds())
	}
	return 2e-9 * n * n * n / best
}
