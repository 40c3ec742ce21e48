// Package gemm multiplies matrices of float32: C = A·B, or C += A·B.
//
// It works as BLIS does (van Zee, van de Geijn 2015; Goto, van de Geijn 2008), and with BLIS's letters. Five loops cut
// C (m, n), A (m, k) and B (k, n) so that every operand of a loop stays in one level of the memory while the loop
// inside passes over it; the innermost is that of a microkernel, which keeps an MR × NR tile of C in registers:
//
//	LOOP 5  n by NC   columns of B and C
//	LOOP 4  k by KC   B's KC × NC block is packed, for the third-level cache
//	LOOP 3  m by MC   A's MC × KC block is packed, for the second-level cache
//	LOOP 2  NC by NR  a KC × NR panel of packed B stays in the first-level cache
//	LOOP 1  MC by MR  an MR × KC strip of packed A passes through the first-level cache
//
// Read gemm.go, which has the loops on one goroutine; parallel.go, which shares some of them out; microkernel.go, which
// has the contract of a tile and the plain Go that defines it; pack.go, which has the two packings; batch.go, for many
// small products.
//
// Every element of C is one sum in order of k for each KC block, and blocks are added in order; factors in bfloat16
// have blocks of KCBF16, and an order of their own: see Mat.BF16. All splits follow only from the shapes, so the
// number of threads changes no bit of a result.
package gemm

import (
	"fmt"

	"github.com/attnconv/attnconv/internal/kernel/pool"
	"github.com/attnconv/attnconv/internal/kernel/threads"
	"github.com/attnconv/attnconv/internal/kernel/vec"
)

// The sizes of blocks. MR and NR are the microkernel's: see routines.
const (
	// KC is the most steps of k in a block. At 400 a panel of B and a strip of A together take 35 KB (AVX2) or 70 KB
	// (AVX-512, whose panel of 51 KB streams from the second-level cache); fewer steps would load and store C more
	// often than the arithmetic hides. And the paper's hidden size of 400 is one block.
	KC = 400
	// KCBF16 is KC of factors in bfloat16: as pairs, so many steps take the memory of KC. It is part of how their sums
	// are defined.
	KCBF16 = 2 * KC
	// MC is the rows of A in a block: 144 × 400 floats are 230 KB, which leaves a second-level cache of 512 KB or more
	// room for the panels of B that pass through. It is a multiple of every MR.
	MC = 144
	// NC is the most columns of B in a block: 400 × 4080 floats are 6.5 MB of third-level cache. It is a multiple of
	// 16, and long enough that packing a block of A is cheap compared with its use.
	NC = 4080
	// oneThread is the number of multiplications up to which waking helpers costs more than they bring.
	oneThread = 1 << 18
	// narrow is the most columns of C for which packing A costs more than it saves: it is read where it is.
	narrow = 256
)

// A Plan says how a product is made. The zero Plan sets C = A·B, packs both factors and uses all threads.
type Plan struct {
	// Add makes it C += A·B.
	Add bool
	// Serial keeps the product on the calling goroutine, for use inside threads.Parallel. Products with a factor that
	// is packed already or read in place always are.
	Serial bool
	// InPlaceA has the microkernel read A where it is, unless it is bfloat16. It pays where B has few columns, for
	// which A would be packed and hardly used.
	InPlaceA bool
	// InPlaceB has the microkernel read B where it is, unless it is bfloat16; B may not be transposed. It pays where A
	// has few rows.
	InPlaceB bool
	// Epilogue, unless nil, is called once for every finished block of C, C[i:i+m, j:j+n], while it is in cache. Calls
	// come from several goroutines.
	Epilogue func(i, j, m, n int)
}

// Mul sets c = a·b.  a (m, k), b (k, n) -> c (m, n). c may not overlap a or b, nor be transposed.
func Mul(c, a, b Mat) { Plan{}.Mul(c, a, b) }

// Mul sets c = a·b, or adds it, as the plan says. a may come from PackA, and b from PackB or Panels: where a matrix is
// a factor of many products, it is packed once.  a (m, k), b (k, n) -> c (m, n)
func (p Plan) Mul(c, a, b Mat) {
	p.check(&c, &a, &b)
	m, n, k := c.rows, c.cols, a.cols
	switch {
	case m == 0 || n == 0:
		return
	case m*n*k > oneThread && !p.Serial && p.packsA(&a) && p.packsB(&b):
		p.parallel(c, a, b)
		return
	}
	p.serial(&c, &a, &b)
	if p.Epilogue != nil {
		p.Epilogue(0, 0, m, n)
	}
}

func (p *Plan) check(c, a, b *Mat) {
	if a.rows != c.rows || b.cols != c.cols || a.cols != b.rows || c.layout != byRows ||
		a.layout == inPanels || b.layout == inStrips || a.bf16 != b.bf16 || c.bf16 {
		panic(fmt.Sprintf("gemm: no product of %d × %d and %d × %d into %d × %d (layouts %d, %d and %d; bfloat16: "+
			"%t, %t and %t)",
			a.rows, a.cols, b.rows, b.cols, c.rows, c.cols, a.layout, b.layout, c.layout, a.bf16, b.bf16, c.bf16))
	}
	if b.layout == byCols && !p.packsB(b) {
		panic("gemm: a transposed B cannot be read in place")
	}
}

// BlockSteps returns how many of k steps a block has, of factors in bfloat16 or in float32.
func BlockSteps(k int, bf16 bool) int {
	most := KC
	if bf16 {
		most = KCBF16
	}
	if k <= most { // small products are frequent: they divide nothing
		return k
	}
	return threads.Split(k, most, 8)
}

// readable says that the rows of A can be read where they are, and need not be packed for n columns of C.
func readable(a *Mat, n int) bool { return a.layout == byRows && !a.bf16 && n <= narrow }

func (p *Plan) packsA(a *Mat) bool { return (!p.InPlaceA || a.bf16) && !a.packed() }
func (p *Plan) packsB(b *Mat) bool { return (!p.InPlaceB || b.bf16) && !b.packed() }

// serial is LOOPS 5 to 3, and calls macrokernel for LOOPS 2 and 1.
func (p *Plan) serial(c, a, b *Mat) {
	m, n, k := c.rows, c.cols, a.cols
	if k == 0 {
		c.zero(p.Add)
		return
	}
	mc, nc, kc := m, n, k
	if n > NC {
		nc = threads.Split(n, NC, best.Tiles.NR)
	}
	if a.layout != inStrips { // a packed A was cut when it was packed, for all of k
		mc = min(m, MC)
		kc = BlockSteps(k, a.bf16)
	}
	var memoryA, memoryB *[]float32
	if p.packsA(a) && !readable(a, n) {
		memoryA = pool.Get(mc * kc)
	}
	if p.packsB(b) {
		memoryB = pool.Get(kc * threads.RoundUp(nc, best.Tiles.NR))
	}
	for jc := 0; jc < n; jc += nc { // LOOP 5
		nc := min(nc, n-jc)
		for pc := 0; pc < k; pc += kc { // LOOP 4
			kc := min(kc, k-pc)
			blockB := b.block(pc, jc, kc, nc)
			if memoryB != nil {
				blockB = PackB(blockB, *memoryB)
			}
			for ic := 0; ic < m; ic += mc { // LOOP 3
				mc := min(mc, m-ic)
				blockA := a.block(ic, pc, mc, kc)
				if memoryA != nil {
					blockA = PackA(blockA, *memoryA)
				}
				blockC := c.block(ic, jc, mc, nc)
				macrokernel(&blockC, &blockA, &blockB, p.Add || pc > 0)
			}
		}
	}
	if memoryA != nil {
		pool.Put(memoryA)
	}
	if memoryB != nil {
		pool.Put(memoryB)
	}
}

// macrokernel is LOOPS 2 and 1: it sets c = a·b, or adds it, for blocks whose k is not cut any more.
func macrokernel(c, a, b *Mat, add bool) {
	nr, strips := best.Tiles.NR, a.strips()
	for jr := 0; jr < c.cols; jr += nr { // LOOP 2
		n := min(nr, c.cols-jr)
		switch {
		case b.layout == inPanels:
			column(c, jr, n, &strips, b.data[jr/nr*b.stride:], nr, add)
		case (b.rows-1)*b.stride+jr+nr <= len(b.data):
			column(c, jr, n, &strips, b.data[jr:], b.stride, add)
		case n == nr/2 && best.Tiles.Half[a.layout] != nil:
			column(c, jr, n, &strips, b.data[jr:], b.stride, add)
		default: // a whole panel would reach beyond b's elements
			last := pool.Get(b.rows * nr)
			PackB(b.block(0, jr, b.rows, n), *last)
			column(c, jr, n, &strips, *last, nr, add)
			pool.Put(last)
		}
	}
}

// column is LOOP 1: it works down n columns of c from column jr on, with a panel of B whose rows are ldb elements
// apart.
func column(c *Mat, jr, n int, a *strips, panel []float32, ldb int, add bool) {
	k, mr := a.depth(a.cols), a.mr
	tile, nr := a.microkernels(n)
	if n < nr { // only a whole tile can be stored
		edge(c, jr, n, a, panel, ldb, add)
		return
	}
	whole := c.rows / mr
	if whole > 0 { // LOOP 1 is the microkernel's
		tile[mr](whole, k, a.data, a.stride, mr*a.step, panel, ldb, c.data[jr:], c.stride, add)
	}
	if m := c.rows - whole*mr; m > 0 {
		ir := whole * mr
		tile[m](1, k, a.data[ir*a.step:], a.ld(m), 0, panel, ldb, c.data[ir*c.stride+jr:], c.stride, add)
	}
}

// edge is column where no tile is as narrow as n: tiles go to temporary memory first.
func edge(c *Mat, jr, n int, a *strips, panel []float32, ldb int, add bool) {
	k, mr := a.depth(a.cols), a.mr
	tile, nr := a.microkernels(n)
	temporary := pool.Get(mr * nr)
	for ir := 0; ir < c.rows; ir += mr { // LOOP 1
		m := min(mr, c.rows-ir)
		tile[m](1, k, a.data[ir*a.step:], a.ld(m), 0, panel, ldb, *temporary, nr, false)
		copyTile(c, ir, jr, m, n, *temporary, nr, add)
	}
	pool.Put(temporary)
}

// microkernels returns those for a tile of n columns, no more than NR, and how many columns they compute.
func (m *Mat) microkernels(n int) (tile []microkernel, nr int) {
	if !m.bf16 {
		return best.Tiles.fitting(m.layout, n)
	}
	f, nr := form(), best.Tiles.NR
	if f.Half != nil && n <= nr/2 {
		return f.Half, nr / 2
	}
	return f.Tiles, nr
}

// strips is an A that LOOP 1 goes down, mr rows at a time: rows begin step elements apart.
type strips struct {
	*Mat
	mr, step int
}

// ld is the lda of a tile of m rows: that of a strip is m, also of the last, shorter one.
func (a *strips) ld(m int) int {
	if a.layout == inStrips {
		return m
	}
	return a.stride
}

func (m *Mat) strips() strips {
	if m.layout == inStrips {
		return strips{m, m.stride, m.cols}
	}
	step, _ := m.steps()
	return strips{m, stripRows(m.rows), step}
}

// copyTile sets m × n elements of c from (i, j) on to the upper left of a tile whose rows are ld elements apart, or
// adds it.
func copyTile(c *Mat, i, j, m, n int, tile []float32, ld int, add bool) {
	for r := range m {
		row, sums := c.data[(i+r)*c.stride+j:][:n], tile[r*ld:][:n]
		if add {
			vec.AddSerial(row, row, sums)
		} else {
			copy(row, sums)
		}
	}
}

// zero is the product of no steps.
func (m Mat) zero(add bool) {
	if add {
		return
	}
	for i := range m.rows {
		clear(m.Row(i))
	}
}

// Bias returns the Epilogue that adds b to every row of c.
func Bias(c Mat, b []float32) func(i, j, m, n int) {
	return func(i, j, m, n int) { AddRow(c.Block(i, j, m, n), b[j:j+n]) }
}

// AddRow adds b to every row of c, on the calling goroutine.
func AddRow(c Mat, b []float32) {
	for i := range c.rows {
		row := c.Row(i)
		vec.AddSerial(row, row, b)
	}
}
