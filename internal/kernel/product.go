package kernel

import "sync"

const (
	fewRows   = 1024    // an A of up to so many rows is packed once for all tasks, not by each for itself
	sharedAB  = 1 << 20 // numbers of A and B in a span: more would leave the caches before they are used
	sharedB   = 4 << 20 // numbers of B in a span where A is not packed with it: fewer would have C come and go more
	tasks     = 32      // pieces that C is cut into, where it is large enough: even shares for many goroutines
	leastRows = 48      // rows of a piece that has to pack its rows of A
	leastCols = 64      // columns of any other piece
	together  = 4       // panels or strips that one task packs
)

// A product is one c = a·b at work. It goes over B span after span: while goroutines multiply by one span they pack the
// next, so that they seldom wait for one another.
type product struct {
	c, a, b        Mat
	add            bool
	done           func(i, j, rows, cols int) // may be nil
	kc, nc, length int                        // steps of a block, columns and steps of a span
	height         int                        // of the strips of A
	shared         bool                       // A has so few rows that it is packed with B
	spans          [2]span
	now, next      *span
	muls           int         // tasks of now; those of next follow
	task           func(t int) // p.do, bound once for all products that p will be
}

// A span is some columns of B and some blocks of k, and what is packed of them, block after block.
type span struct {
	*product
	j, cols, k, steps int
	packedA, packedB  *[]float32
}

func mulParallel(c, a, b Mat, add bool, done func(i, j, rows, cols int)) {
	kc, nc := split(b.rows, depth, 8), split(b.cols, blockCols, best.width)
	p := products.Get().(*product)
	p.c, p.a, p.b, p.add, p.done, p.kc, p.nc, p.length = c, a, b, add, done, kc, nc, kc
	p.height, p.shared = panelHeight(a.rows), a.rows <= fewRows
	switch {
	case p.shared:
		p.length *= max(1, sharedAB/(kc*(nc+a.rows)))
	case !a.turned: // the steps of a transposed A lie pages apart: what one task touches of a block serves the next
		p.length *= max(1, sharedB/(kc*nc))
	}
	p.length = min(p.length, roundUp(b.rows, kc))
	p.run()
	for i := range p.spans {
		p.spans[i].end()
	}
	p.c, p.a, p.b, p.done = Mat{}, Mat{}, Mat{}, nil
	products.Put(p)
}

var products = sync.Pool{New: func() any {
	p := new(product)
	p.task = p.do
	return p
}}

func (p *product) run() {
	p.now, p.next, p.muls = &p.spans[0], &p.spans[1], 0
	for more := p.next.begin(p, 0, 0); ; more = p.next.begin(p, p.now.j, p.now.k+p.now.steps) {
		packs := 0
		if more {
			packs = p.next.packTasks()
		}
		Parallel(p.muls+packs, p.task)
		if !more {
			return
		}
		p.now, p.next, p.muls = p.next, p.now, p.next.mulTasks()
	}
}

func (p *product) do(t int) {
	if t < p.muls {
		p.now.mul(t)
	} else {
		p.next.pack(t - p.muls)
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
	s.k, s.steps = k, min(s.length, s.b.rows-k)
	if s.packedB == nil {
		s.packedB = Borrow(s.length * s.nc)
	}
	if s.packedA == nil && s.shared {
		s.packedA = Borrow(s.length * s.a.rows)
	}
	return true
}

// end gives back what begin borrowed.
func (s *span) end() {
	for _, b := range []**[]float32{&s.packedA, &s.packedB} {
		if *b != nil {
			GiveBack(*b)
			*b = nil
		}
	}
}

// packTasks is the number of tasks for pack, which packs block after block, in each the panels of B and the strips
// of A.
func (s *span) packTasks() int {
	panels, strips := s.packCounts()
	return count(s.steps, s.kc) * (panels + strips)
}

func (s *span) packCounts() (panels, strips int) {
	if s.shared {
		strips = count(s.a.rows, together*s.height)
	}
	return count(s.cols, together*best.width), strips
}

func (s *span) pack(t int) {
	panels, strips := s.packCounts()
	l, t := t/(panels+strips)*s.kc, t%(panels+strips)
	steps := min(s.kc, s.steps-l)
	if t < panels {
		size := together * best.width
		j := t * size
		packPanels(s.panel(l, j), s.b.Block(s.k+l, s.j+j, steps, min(size, s.cols-j)))
		return
	}
	size := together * s.height
	i := (t - panels) * size
	packStrips(s.strip(l, i), s.a.Block(i, s.k+l, min(size, s.a.rows-i), steps), s.height)
}

// panel and strip return what is packed of B from column j on and of A from row i on, in the block that begins at
// step l.
func (s *span) panel(l, j int) []float32 {
	return (*s.packedB)[l*roundUp(s.cols, best.width)+j*min(s.kc, s.steps-l):]
}

func (s *span) strip(l, i int) []float32 {
	return (*s.packedA)[l*s.a.rows+i*min(s.kc, s.steps-l):]
}

// mulTasks is the number of tasks for mul, one for each piece of C.
func (s *span) mulTasks() int {
	rows, cols := s.pieces()
	return count(s.c.rows, rows) * count(s.cols, cols)
}

// pieces cuts C into tasks of rows × cols. One that packs its rows of A makes the most of them and takes all columns.
func (s *span) pieces() (rows, cols int) {
	m, n := s.c.rows, s.cols
	if !s.shared {
		return split(m, min(blockRows, max(leastRows, m/tasks)), best.height), n
	}
	rows = split(m, blockRows, s.height)
	cols = split(n, max(leastCols, n*count(m, rows)/tasks), best.width)
	if across := count(n, cols); across*count(m, rows) < tasks {
		rows = split(m, max(2*s.height, m*across/tasks), s.height)
	}
	return rows, cols
}

func (s *span) mul(t int) {
	rows, cols := s.pieces()
	across := count(s.cols, cols)
	i, j := t/across*rows, t%across*cols
	c := s.c.Block(i, s.j+j, min(rows, s.c.rows-i), min(cols, s.cols-j))
	for l := 0; l < s.steps; l += s.kc { // the piece of C stays in the second-level cache
		steps, add := min(s.kc, s.steps-l), s.add || s.k+l > 0
		if s.shared {
			tiles(c, s.strip(l, i), s.height, steps, s.panel(l, j), add)
		} else {
			block(c, s.a.Block(i, s.k+l, c.rows, steps), s.panel(l, j), add)
		}
	}
	if s.done != nil && s.k+s.steps == s.b.rows {
		s.done(i, s.j+j, c.rows, c.cols)
	}
}
