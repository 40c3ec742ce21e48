package gemm

import "fmt"

// A Batch is matrices of one shape in one slice, each begun the same number of elements after the one before: a factor
// or the result of what BLAS libraries call a strided batched product.
type Batch struct {
	first   Mat // its data goes on to the end of the last
	n, step int
}

// Strides views n matrices of rows × cols elements in data, step elements apart. What lies between them may be read.
func Strides(data []float32, n, rows, cols, step int) Batch {
	size := rows * cols
	if n < 1 || step < size || len(data) < (n-1)*step+size {
		panic(fmt.Sprintf("gemm: no %d matrices of %d × %d, %d elements apart, in %d", n, rows, cols, step, len(data)))
	}
	m := Matrix(data[:size], rows, cols)
	m.data = data
	return Batch{m, n, step}
}

// PanelStrides is Strides of matrices that were packed as PackB does, each to be multiplied by from the left.
func PanelStrides(data []float32, n, rows, cols, step int) Batch {
	if n < 1 || len(data) < (n-1)*step {
		panic(fmt.Sprintf("gemm: no %d matrices %d elements apart in %d", n, step, len(data)))
	}
	last := Panels(data[(n-1)*step:], rows, cols)
	last.data = data
	return Batch{last, n, step}
}

// Blocks views m, n times as high as each of them, as n matrices below one another.
func Blocks(m Mat, n int) Batch {
	if m.layout != byRows || n < 1 || m.rows%n != 0 {
		panic(fmt.Sprintf("gemm: no %d blocks of %d rows (layout %d)", n, m.rows, m.layout))
	}
	m.rows /= n
	return Batch{m, n, m.rows * m.stride}
}

// Same is m, n times.
func Same(m Mat, n int) Batch { return Batch{m, n, 0} }

// T is the transposed matrices, in the same elements.
func (b Batch) T() Batch {
	b.first = b.first.T()
	return b
}

// MulBatch sets C_p = A_p·B_p, or C_p += A_p·B_p, for each p. It is for many small products: they are checked once, run
// on the calling goroutine, and pack neither factor unless it is bfloat16.  a_p (m, k), b_p (k, n) -> c_p (m, n)
func MulBatch(c, a, b Batch, add bool) {
	p, n := Plan{Add: add, Serial: true, InPlaceA: true, InPlaceB: true}, c.n
	if a.n != n || b.n != n {
		panic(fmt.Sprintf("gemm: no %d products of %d matrices and %d", n, a.n, b.n))
	}
	cp, ap, bp := c.first, a.first, b.first
	p.check(&cp, &ap, &bp)
	if cp.rows == 0 || cp.cols == 0 {
		return
	}
	oneBlock := !ap.bf16 && ap.cols > 0 && (ap.cols <= KC || ap.layout == inStrips)
	for i := range n {
		cp.data, ap.data, bp.data = c.first.data[i*c.step:], a.first.data[i*a.step:], b.first.data[i*b.step:]
		if oneBlock {
			macrokernel(&cp, &ap, &bp, add)
		} else {
			p.serial(&cp, &ap, &bp)
		}
	}
}
