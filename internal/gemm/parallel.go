package gemm

import (
	"sync"

	"github.com/attnconv/attnconv/internal/kernel/pool"
	"github.com/attnconv/attnconv/internal/kernel/threads"
)

// On several goroutines the loops are those of gemm.go, except for this:
//
//	LOOPS 5 and 4 go over B in spans, each of some columns and one or more KC blocks. While goroutines multiply by
//	one span they pack the next, into memory of its own, so that they seldom wait for one another.
//	LOOPS 3 and 2 are shared out: a task has a piece of C, some rows by some columns.
//	LOOP 1 is a task's own.
//
// An A of few rows is packed once, together with B; of any other every task packs its rows itself, MC × KC at a time,
// which is LOOP 3 as it was, or reads them where they are if C is narrow.
const (
	// sharedRows is the most rows of an A that is packed once for all tasks.
	sharedRows = 1024
	// spanAB is the most elements of A and B together in a span that has both packed: more would leave the caches
	// before they are used.
	spanAB = 1 << 20
	// spanB is the most elements of B in a span that has only B: in shorter spans C would be loaded and stored more
	// often.
	spanB = 4 << 20
	// minRows and minCols are the least of a piece that packs its rows of A, and of any other: a piece must be worth
	// it.
	minRows, minCols = 48, 64
	// packTogether is the panels or strips that one task packs.
	packTogether = 4
)

// A product is one c = a·b at work.
type product struct {
	Plan
	c, a, b    Mat
	kc, nc     int  // steps of a block, columns of a span
	steps      int  // of a span: one block or more
	mr         int  // rows of the strips of A
	sharesA    bool // A is packed with B
	readsA     bool // A is not packed
	spans      [2]span
	now, next  *span
	multiplies int         // tasks that multiply by now; those that pack next follow
	task       func(t int) // p.do, bound once for all products that p will be
}

// A span is a block of B, of one or more KC blocks in depth, and what is packed of it and of A with it: KC block
// after KC block.
type span struct {
	*product
	j, cols          int // columns of B from j on
	k, steps         int // steps of B from k on
	packedA, packedB *[]float32
}

var products = sync.Pool{New: func() any {
	p := new(product)
	p.task = p.do
	return p
}}

func (plan *Plan) parallel(c, a, b Mat) {
	p := products.Get().(*product)
	p.Plan, p.c, p.a, p.b = *plan, c, a, b
	p.kc, p.nc = BlockSteps(b.rows, b.bf16), threads.Split(b.cols, NC, best.Tiles.NR)
	p.mr, p.sharesA = stripRows(a.rows), a.rows <= sharedRows
	p.readsA = !p.sharesA && readable(&p.a, b.cols)
	p.steps = p.kc
	switch {
	case p.sharesA:
		p.steps *= max(1, spanAB/(p.kc*(p.nc+a.rows)))
	// the steps of a transposed A are pages apart: what one task reads of a block serves the next
	case a.layout == byRows:
		p.steps *= max(1, spanB/(p.kc*p.nc))
	}
	p.steps = min(p.steps, threads.RoundUp(b.rows, p.kc))
	p.run()
	for i := range p.spans {
		p.spans[i].free()
	}
	p.Plan, p.c, p.a, p.b = Plan{}, Mat{}, Mat{}, Mat{}
	products.Put(p)
}

// run is LOOPS 5 and 4, span after span.
func (p *product) run() {
	p.now, p.next, p.multiplies = &p.spans[0], &p.spans[1], 0
	for more := p.next.begin(p, 0, 0); ; more = p.next.begin(p, p.now.j, p.now.k+p.now.steps) {
		packs := 0
		if more {
			packs = p.next.packTasks()
		}
		threads.Parallel(p.multiplies+packs, p.task)
		if !more {
			return
		}
		p.now, p.next, p.multiplies = p.next, p.now, p.next.multiplyTasks()
	}
}

func (p *product) do(t int) {
	if t < p.multiplies {
		p.now.multiply(t)
	} else {
		p.next.pack(t - p.multiplies)
	}
}

// begin makes s the span of p from column j and step k on, and reports whether there is one.
func (s *span) begin(p *product, j, k int) bool {
	s.product = p
	if k >= s.b.rows {
		j, k = j+s.nc, 0
	}
	if j >= s.b.cols {
		return false
	}
	s.j, s.cols = j, min(s.nc, s.b.cols-j)
	s.k, s.steps = k, min(p.steps, s.b.rows-k)
	if s.packedB == nil {
		s.packedB = pool.Get(p.steps * s.nc)
	}
	if s.packedA == nil && s.sharesA {
		s.packedA = pool.Get(p.steps * s.a.rows)
	}
	return true
}

// free puts back the memory that begin got.
func (s *span) free() {
	for _, b := range []**[]float32{&s.packedA, &s.packedB} {
		if *b != nil {
			pool.Put(*b)
			*b = nil
		}
	}
}

// packTasks is the number of tasks for pack, which packs KC block after KC block, of each the panels of B and the
// strips of A.
func (s *span) packTasks() int {
	panels, strips := s.packCounts()
	return threads.Count(s.steps, s.kc) * (panels + strips)
}

func (s *span) packCounts() (panels, strips int) {
	if s.sharesA {
		strips = threads.Count(s.a.rows, packTogether*s.mr)
	}
	return threads.Count(s.cols, packTogether*best.Tiles.NR), strips
}

func (s *span) pack(t int) {
	panels, strips := s.packCounts()
	pc, t := t/(panels+strips)*s.kc, t%(panels+strips)
	kc := min(s.kc, s.steps-pc)
	if t < panels {
		size := packTogether * best.Tiles.NR
		j := t * size
		n := min(size, s.cols-j)
		PackB(s.b.Block(s.k+pc, s.j+j, kc, n), s.blockB(pc, j, kc, n).data)
		return
	}
	size := packTogether * s.mr
	i := (t - panels) * size
	m := min(size, s.a.rows-i)
	a := s.a.block(i, s.k+pc, m, kc)
	packStrips(s.blockA(pc, i, kc, m).data, &a, s.mr)
}

// blockB and blockA are what is packed of B, n columns from column j on, and of A, m rows from row i on, in the KC
// block that begins at step pc of the span and has kc steps.
func (s *span) blockB(pc, j, kc, n int) Mat {
	b := Panels((*s.packedB)[pc*threads.RoundUp(s.cols, best.Tiles.NR)+j*kc:], kc, n)
	b.bf16 = s.b.bf16
	return b
}

func (s *span) blockA(pc, i, kc, m int) Mat {
	return Mat{data: (*s.packedA)[pc*s.a.rows+i*kc:], rows: m, cols: kc, stride: s.mr, layout: inStrips, bf16: s.a.bf16}
}

// multiplyTasks is the number of tasks for multiply, one for each piece of C.
func (s *span) multiplyTasks() int {
	m, n := s.pieces()
	return threads.Count(s.c.rows, m) * threads.Count(s.cols, n)
}

// pieces cuts C into tasks of m × n elements. One that packs its rows of A makes the most of them and takes all
// columns.
func (s *span) pieces() (m, n int) {
	rows, cols := s.c.rows, s.cols
	if !s.sharesA {
		return threads.Split(rows, min(MC, max(minRows, rows/threads.Tasks)), best.Tiles.MR), cols
	}
	m = threads.Split(rows, MC, s.mr)
	n = threads.Split(cols, max(minCols, cols*threads.Count(rows, m)/threads.Tasks), best.Tiles.NR)
	if across := threads.Count(cols, n); across*threads.Count(rows, m) < threads.Tasks {
		m = threads.Split(rows, max(2*s.mr, rows*across/threads.Tasks), s.mr)
	}
	return m, n
}

// multiply is the task of one piece of C: an iteration of LOOP 3, some of LOOP 2, for every KC block of the span. The
// piece stays in the second-level cache.
func (s *span) multiply(t int) {
	m, n := s.pieces()
	across := threads.Count(s.cols, n)
	i, j := t/across*m, t%across*n
	c := s.c.Block(i, s.j+j, min(m, s.c.rows-i), min(n, s.cols-j))
	for pc := 0; pc < s.steps; pc += s.kc {
		kc, add := min(s.kc, s.steps-pc), s.Add || s.k+pc > 0
		b := s.blockB(pc, j, kc, c.cols)
		if s.sharesA {
			a := s.blockA(pc, i, kc, c.rows)
			macrokernel(&c, &a, &b, add)
			continue
		}
		if s.readsA {
			a := s.a.Block(i, s.k+pc, c.rows, kc)
			macrokernel(&c, &a, &b, add)
			continue
		}
		buffer := pool.Get(c.rows * kc)
		a := PackA(s.a.Block(i, s.k+pc, c.rows, kc), *buffer)
		macrokernel(&c, &a, &b, add)
		pool.Put(buffer)
	}
	if s.Epilogue != nil && s.k+s.steps == s.b.rows {
		s.Epilogue(i, s.j+j, c.rows, c.cols)
	}
}
