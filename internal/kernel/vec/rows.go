// Package vec is arithmetic on flat slices and on rows of them, in parallel: norms, softmax, GELU, dropout, the loss
// and the solvers' steps. Functions whose names end in Serial, and those that say so, run on the calling goroutine, for
// use inside threads.Parallel.
package vec

import (
	"github.com/attnconv/attnconv/internal/kernel/pool"
	"github.com/attnconv/attnconv/internal/kernel/threads"
)

// Add sets y += x.
func Add(y, x []float32) {
	equal(len(y), x)
	threads.Blocks(len(y), blockFloats, func(lo, hi int) { best.Add(y[lo:hi], y[lo:hi], x[lo:hi]) })
}

// Scale sets x *= a.
func Scale(a float32, x []float32) {
	threads.Blocks(len(x), blockFloats, func(lo, hi int) { best.Scale(a, x[lo:hi]) })
}

// Blend moves y by rate towards x, on the calling goroutine.
func Blend(y, x []float32, rate float32) {
	equal(len(y), x)
	best.Scale(1-rate, y)
	best.Axpy(rate, x, y)
}

// ScaleSerial sets x *= a.
func ScaleSerial(a float32, x []float32) { best.Scale(a, x) }

// AddSerial sets y = a + b. y may be a or b.
func AddSerial(y, a, b []float32) {
	if len(a) != len(y) || len(b) != len(y) { // equal, for the shortest of rows
		equal(len(y), a, b)
	}
	best.Add(y, a, b)
}

// AddRows adds rows of n elements, y[i·ldy:][:n] += x[i·ldx:][:n], on the calling goroutine. Those of y may overlap.
func AddRows(y []float32, ldy int, x []float32, ldx, rows, n int) {
	for i := range rows {
		row := y[i*ldy:][:n]
		best.Add(row, row, x[i*ldx:][:n])
	}
}

// MulSerial sets y = a·b, element by element. y may be a or b.
func MulSerial(y, a, b []float32) {
	equal(len(y), a, b)
	best.Mul(y, a, b)
}

// ReLUSerial sets y = max(x, 0). y may be x.
func ReLUSerial(y, x []float32) {
	equal(len(y), x)
	best.ReLU(y, x)
}

// Axpy sets y += a·x, on the calling goroutine.
func Axpy(a float32, x, y []float32) {
	equal(len(y), x)
	best.Axpy(a, x, y)
}

// Dot returns Σ x[i]·y[i], on the calling goroutine.
func Dot(x, y []float32) float32 {
	equal(len(y), x)
	return best.Dot(x, y)
}

// AddRow sets y[i,j] = x[i,j] + b[j] for as many rows of len(b) as x holds. y may be x.
func AddRow(y, x, b []float32) {
	equal(len(y), x)
	d := len(b)
	rowBlocks(rowCount(len(x), d), d, blockFloats, func(lo, hi int) { AddRowSerial(y[lo*d:hi*d], x[lo*d:hi*d], b) })
}

// AddRowSerial is AddRow on the calling goroutine.
func AddRowSerial(y, x, b []float32) {
	equal(len(y), x)
	d := len(b)
	for i := range rowCount(len(x), d) {
		best.Add(y[i*d:][:d], x[i*d:][:d], b)
	}
}

// SumRows sets s[j] = Σ_i x[i,j] for as many rows of len(s) as x holds: sums of fixed blocks of rows, added in order.
func SumRows(s, x []float32) {
	clear(s)
	d := len(s)
	rows := rowCount(len(x), d)
	if rows == 0 {
		return
	}
	sumBlocks(s, rows, d, func(part []float32, lo, hi int) {
		for i := lo * d; i < hi*d; i += d {
			best.Add(part, part, x[i:i+d])
		}
	})
}

// sumBlocks adds up over rows of d elements: f adds rows [lo, hi) to part, which is as long as s and starts at zero; s
// becomes the sum of all parts. Blocks depend only on rows and d, and their parts are added in order.
func sumBlocks(s []float32, rows, d int, f func(part []float32, lo, hi int)) {
	size := rowsIn(d, sumFloats)
	n := (rows + size - 1) / size
	clear(s)
	if n <= 1 {
		f(s, 0, rows)
		return
	}
	buffer := pool.Get(n * len(s))
	parts := *buffer
	clear(parts)
	threads.Blocks(rows, size, func(lo, hi int) { f(parts[lo/size*len(s):][:len(s)], lo, hi) })
	for i := range n {
		best.Add(s, s, parts[i*len(s):][:len(s)])
	}
	pool.Put(buffer)
}

func addPlain(y, a, b []float32) {
	for i, v := range a {
		y[i] = v + b[i]
	}
}

func mulPlain(y, a, b []float32) {
	for i, v := range a {
		y[i] = v * b[i]
	}
}

func axpyPlain(a float32, x, y []float32) {
	for i, v := range x {
		y[i] += a * v
	}
}

func scalePlain(a float32, x []float32) {
	for i := range x {
		x[i] *= a
	}
}

func dotPlain(x, y []float32) (s float32) {
	for i, v := range x {
		s += v * y[i]
	}
	return s
}

func sumPlain(x []float32) (s float32) {
	for _, v := range x {
		s += v
	}
	return s
}
