package bench

import (
	"time"

	"github.com/attnconv/attnconv/internal/gemm"
)

// A probe times only the matrix product, in the shape of most of the model's work: an upper bound on its FLOP/s.
type probe struct {
	flop     float64 // per round
	rounds   int
	products []func()
}

const (
	probeRows = 4096                  // enough rows for the product to reach its full speed
	probeTime = 10 * time.Millisecond // shortest time of one run
)

// newProbe returns a probe of (m, k)·(k, n), and for training also of the two products of
// its backward pass.
func newProbe(shape [3]int, p Point) *probe {
	m, k, n := min(shape[0], probeRows), shape[1], shape[2]
	matrix := func(rows, cols int) gemm.Mat {
		x := make([]float32, rows*cols)
		for i := range x {
			x[i] = float32(i%29) / 29
		}
		return gemm.Matrix(x, rows, cols)
	}
	z, w, y := matrix(m, k), matrix(n, k), matrix(m, n)
	q := &probe{rounds: 1, products: []func(){func() { gemm.Mul(y, z, w.T()) }}}
	if p.Mode == "train" {
		dz, dw := matrix(m, k), matrix(n, k)
		q.products = append(q.products,
			func() { gemm.Mul(dz, y, w) },
			func() { gemm.Mul(dw, y.T(), z) })
	}
	q.flop = flopMAC * float64(len(q.products)) * float64(m) * float64(k) * float64(n)
	q.run() // first run: page faults
	q.rounds = int(probeTime.Seconds()*q.run()/q.flop) + 1
	return q
}

// run returns FLOP/s.
func (q *probe) run() float64 {
	start := time.Now()
	for range q.rounds {
		for _, product := range q.products {
			product()
		}
	}
	return q.flop * float64(q.rounds) / time.Since(start).Seconds()
}
