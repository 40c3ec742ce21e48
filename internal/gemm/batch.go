package gemm

import (
	"fmt"

	"github.com/attnconv/attnconv/internal/kernel/threads"
)

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

// Apart views n matrices of rows × cols elements in data, whose rows begin stride elements apart, and which begin step
// elements apart: they may be columns of one another's rows.
func Apart(data []float32, n, rows, cols, stride, step int) Batch {
	end := (n-1)*step + (rows-1)*stride + cols
	if n < 1 || rows < 1 || cols < 1 || stride < cols || step < 0 || len(data) < end {
		panic(fmt.Sprintf("gemm: no %d matrices of %d × %d, rows %d and matrices %d elements apart, in %d",
			n, rows, cols, stride, step, len(data)))
	}
	return Batch{Mat{data: data[:end:end], rows: rows, cols: cols, stride: stride}, n, step}
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
	if a.step == 0 && ap.layout == inStrips && !ap.bf16 && ap.cols > 0 && bp.layout == byRows &&
		cp.cols%sweepCols == 0 {
		sweepBatch(&c, &ap, &b, add)
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

// MulEach is MulBatch of one a: C_p = A·B_p, or C_p += A·B_p.  a (m, k), b_p (k, n) -> c_p (m, n)
func MulEach(c Batch, a Mat, b Batch, add bool) { MulBatch(c, Same(a, c.n), b, add) }

// MulPanels sets the B that PackB makes of the products A·B_p, below one another. a comes from PackA, and the b_p have
// a multiple of 16 columns, no fewer than c.  a (m, k), b_p (k, at least n) -> c (m times as many as b, n)
func MulPanels(c, a Mat, b Batch) {
	nr := best.Tiles.NR
	wide := threads.RoundUp(c.cols, sweepCols)
	if c.layout != inPanels || a.layout != inStrips || b.first.layout != byRows || a.bf16 || b.first.bf16 ||
		c.rows != b.n*a.rows || a.cols != b.first.rows || a.cols == 0 || b.first.cols < wide {
		panic(fmt.Sprintf("gemm: no panels of %d × %d from a %d × %d matrix and %d of %d × %d",
			c.rows, c.cols, a.rows, a.cols, b.n, b.first.rows, b.first.cols))
	}
	for j := 0; j < c.cols; j += nr {
		panel := Mat{data: c.data[j/nr*c.stride:], rows: a.rows, cols: min(nr, wide-j), stride: nr}
		from := b
		from.first.data = b.first.data[j:]
		sweepBatch(&Batch{panel, b.n, a.rows * nr}, &a, &from, false)
	}
}

// sweepBatch is MulBatch of one a in strips, strip by strip.
func sweepBatch(c *Batch, a *Mat, b *Batch, add bool) {
	k := a.cols
	for i := 0; i < a.rows; i += a.stride {
		best.Tiles.Sweeps[min(a.stride, a.rows-i)](k, c.n, c.first.cols, a.data[i*k:], b.first.data, b.first.stride,
			b.step,
			c.first.data[i*c.first.stride:], c.first.stride, c.step, add)
	}
}
