package bench

import (
	"time"

	"github.com/attnconv/attnconv/internal/kernel"
)

// A probe is the matrix product alone, in the shape that most of a model's work has: what the machine could do if there
// were nothing else.
type probe struct {
	flop     float64 // of one round
	rounds   int
	products []func()
}

const (
	probeRows = 4096                  // enough for the product to reach its full speed
	probeTime = 10 * time.Millisecond // a turn takes at least so long
)

// newProbe multiplies (m, k) by (k, n), with m for the whole batch; for training also the two products of its backward
// pass.
func newProbe(shape [3]int, p Point) *probe {
	m, k, n := min(shape[0]*p.Batch, probeRows), shape[1], shape[2]
	matrix := func(rows, cols int) kernel.Mat {
		x := make([]float32, rows*cols)
		for i := range x {
			x[i] = float32(i%29) / 29
		}
		return kernel.Matrix(x, rows, cols)
	}
	z, w, y := matrix(m, k), matrix(n, k), matrix(m, n)
	q := &probe{rounds: 1, products: []func(){func() { kernel.Mul(y, z, w.T()) }}}
	if p.Mode == "train" {
		dz, dw := matrix(m, k), matrix(n, k)
		q.products = append(q.products,
			func() { kernel.Mul(dz, y, w) },
			func() { kernel.Mul(dw, y.T(), z) })
	}
	q.flop = flopMAC * float64(len(q.products)) * float64(m) * float64(k) * float64(n)
	q.run() // touches the memory
	q.rounds = int(probeTime.Seconds()*q.run()/q.flop) + 1
	return q
}

// run returns FLOP a second.
func (q *probe) run() float64 {
	start := time.Now()
	for range q.rounds {
		for _, product := range q.products {
			product()
		}
	}
	return q.flop * float64(q.rounds) / time.Since(start).Seconds()
}
