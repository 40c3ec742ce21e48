package op

import (
	"fmt"

	"github.com/attnconv/attnconv/internal/kernel"
)

// Terms are what a content-dependent score is the sum of, for each head:
//
//	A[q,k] = Scale·Query[q]·Key[k] + Row[q, δ1] + Col[q, δ2],  δ = k - q
//
// Query and Key, or Row and Col, may be nil.
type Terms struct {
	Query *Node   // (batch, tokens, heads·d)
	Key   *Node   // (batch, tokens, heads·d), or (batch, tokens, d): one for all heads
	Row   *Node   // (batch, tokens, heads·(2·rows-1)): what each query gives each shift along the rows
	Col   *Node   // (batch, tokens, heads·(2·cols-1))
	Scale float32 // of Query·Key
	Each  bool    // every head has values of its own
}

// Heads are how many heads look at how large a grid of tokens.
type Heads struct{ Count, Rows, Cols int }

// MixContent lets every head average the tokens by weights that depend on the picture, the softmax of the terms:
//
//	z[b, q, h] = Σ_k drop(softmax(A_h))[b,q,k] · v[b,k,h]
//
// v (batch, tokens, e) for all heads, or, where each has its own, (batch, tokens, heads·e); it may be t.Key
// -> z (batch, tokens, heads·e)
//
// Weights are made for some queries at a time and all keys, and made again in backward, so they stay in cache and no
// (batch, heads, T, T) tensor is ever there. The mask of picture b is row (b·heads + h)·T + q, column k of its stream;
// if pictures have no masks of their own, that of picture 0.
func MixContent(t Terms, v *Node, heads Heads, drop Dropout) *Node {
	d, in := t.mix(v, heads, drop)
	return apply(d, in...)
}

// mix returns the operation of the terms and its inputs.
func (t Terms) mix(v *Node, heads Heads, drop Dropout) (def, []*Node) {
	in := []*Node{v}
	has := func(n *Node) bool {
		if n != nil && n != v {
			in = append(in, n)
		}
		return n != nil
	}
	s := terms{content: has(t.Query) && has(t.Key), keyIsValue: t.Key == v, position: has(t.Row) && has(t.Col),
		scale: t.Scale, each: t.Each}
	shapes := make([]Shape, len(in))
	for i, n := range in {
		shapes[i] = n.Shape()
	}
	return mixContent(shapes, s, heads, drop), in
}

// terms say which inputs there are besides the values: queries and keys that are not the values, and shifts.
type terms struct {
	content, keyIsValue, position, each bool
	scale                               float32
}

const contentWant = "values, queries and keys (batch, tokens, numbers of one or all heads), and scores of all shifts"

func mixContent(in []Shape, has terms, heads Heads, drop Dropout) def {
	m := &contentMix{Heads: heads, terms: has, drop: drop, tokens: heads.Rows * heads.Cols}
	for _, s := range in {
		if s.Dims() != 3 {
			return refuse("mix-content", contentWant)
		}
	}
	ok := m.measure(in)
	return def{
		name: fmt.Sprintf("mix-content{%v,%v}%v", heads, has, drop),
		want: contentWant,
		shape: func(s []Shape) (Shape, bool) {
			for _, s := range s {
				ok = ok && s[0] == m.batch && s[1] == m.tokens
			}
			return Shape{m.batch, m.tokens, m.Count * m.value.size}, ok
		},
		unread: []int{output},
		fwd: func(z []float32, a [][]float32) {
			m.bind(a, nil)
			kernel.Parallel(m.batch*m.Count, func(task int) { m.forward(z, task/m.Count, task%m.Count) })
		},
		bwd: func(d [][]float32, dz, _ []float32, a [][]float32) {
			m.bind(a, d)
			kernel.Parallel(m.batch, func(b int) { m.backward(dz, b) })
		},
	}
}

// A contentMix is one MixContent at work. To the products a query is its own numbers, then what it gives each row and
// each column of keys; a key is its own numbers, then a one at its row and a one at its column.
type contentMix struct {
	Heads
	terms
	drop          Dropout
	batch, tokens int

	value, query, key, row, col lot
}

// A lot is one input, and its gradient: some numbers for each token, of each head or one for all.
type lot struct {
	at   int // which input
	size int // numbers a head
	wide int // numbers a token
	x    []float32
	dx   []float32 // nil where nobody asks
}

// measure finds the inputs' sizes in their shapes, and reports whether they fit.
func (m *contentMix) measure(in []Shape) (ok bool) {
	next := 0
	take := func() lot {
		next++
		return lot{at: next - 1, size: in[next-1][2], wide: in[next-1][2]}
	}
	m.batch, m.value = in[0][0], take()
	ok = m.Count > 0
	each := func(l *lot) {
		ok = ok && l.wide%m.Count == 0
		l.size = l.wide / max(1, m.Count)
	}
	if m.each {
		each(&m.value)
	}
	if m.content {
		m.query = take()
		each(&m.query)
		if m.key = m.value; !m.keyIsValue {
			if m.key = take(); m.key.wide != m.query.size {
				each(&m.key)
			}
		}
		ok = ok && m.key.size == m.query.size
	}
	if m.position {
		m.row, m.col = take(), take()
		each(&m.row)
		each(&m.col)
		ok = ok && m.row.size == 2*m.Rows-1 && m.col.size == 2*m.Cols-1
	}
	return ok && next == len(in)
}

func (m *contentMix) bind(in, d [][]float32) {
	for _, l := range []*lot{&m.value, &m.query, &m.key, &m.row, &m.col} {
		if l.wide > 0 {
			l.x = in[l.at]
			if l.dx = nil; d != nil {
				l.dx = d[l.at]
			}
		}
	}
}

// picture views what head h has of picture b in x, which has the lot's numbers: (tokens, size).
func (m *contentMix) picture(l *lot, x []float32, b, h int) kernel.Mat {
	at := h * l.size
	if l.wide == l.size {
		at = 0
	}
	return kernel.Matrix(x[b*m.tokens*l.wide:(b+1)*m.tokens*l.wide], m.tokens, l.wide).Block(0, at, m.tokens, l.size)
}

// numbers is how many a query or key has in the products.
func (m *contentMix) numbers() int {
	if m.position {
		return m.query.size + m.Rows + m.Cols
	}
	return m.query.size
}

// keys sets k to the keys of picture b and head h.  k (tokens, numbers)
func (m *contentMix) keys(k []float32, b, h int) kernel.Mat {
	n, d := m.numbers(), m.key.size
	clear(k)
	for t := range m.tokens {
		row := k[t*n : (t+1)*n]
		if m.content {
			copy(row, m.token(&m.key, m.key.x, b, h, t))
		}
		if m.position {
			row[d+t/m.Cols], row[d+m.Rows+t%m.Cols] = 1, 1
		}
	}
	return kernel.Matrix(k, m.tokens, n)
}

// token is what head h has of one token.
func (m *contentMix) token(l *lot, x []float32, b, h, t int) []float32 {
	at := (b*m.tokens + t) * l.wide
	if l.wide != l.size {
		at += h * l.size
	}
	return x[at : at+l.size]
}

// queries sets q to the queries of picture b and head h from the first on.  q (n, numbers)
func (m *contentMix) queries(q []float32, b, h, first, n int) kernel.Mat {
	wide, d := m.numbers(), m.query.size
	for i := range n {
		t, row := first+i, q[i*wide:(i+1)*wide]
		if m.content {
			copy(row, m.token(&m.query, m.query.x, b, h, t))
			kernel.ScaleSerial(m.scale, row[:d])
		}
		if m.position { // the window of shifts that reaches the keys from here
			copy(row[d:d+m.Rows], m.token(&m.row, m.row.x, b, h, t)[m.Rows-1-t/m.Cols:])
			copy(row[d+m.Rows:], m.token(&m.col, m.col.x, b, h, t)[m.Cols-1-t%m.Cols:])
		}
	}
	return kernel.Matrix(q[:n*wide], n, wide)
}

// queryGrads hands the gradients of such queries to those of the inputs.
func (m *contentMix) queryGrads(dq []float32, b, h, first, n int) {
	wide, d := m.numbers(), m.query.size
	for i := range n {
		t, row := first+i, dq[i*wide:(i+1)*wide]
		if m.content {
			kernel.ScaleSerial(m.scale, row[:d])
			copy(m.token(&m.query, m.query.dx, b, h, t), row)
		}
		if m.position {
			window(m.token(&m.row, m.row.dx, b, h, t), row[d:d+m.Rows], m.Rows-1-t/m.Cols)
			window(m.token(&m.col, m.col.dx, b, h, t), row[d+m.Rows:], m.Cols-1-t%m.Cols)
		}
	}
}

// window sets dst to zeros but for src from at on.
func window(dst, src []float32, at int) {
	clear(dst)
	copy(dst[at:], src)
}

// tileFloats is how many weights are made at a time: what the second-level cache holds beside keys and values.
const tileFloats = 1 << 16

// tiles calls f for the queries of a picture, some at a time.
func (m *contentMix) tiles(f func(first, n int)) {
	size := min(m.tokens, max(12, tileFloats/m.tokens))
	for first := 0; first < m.tokens; first += size {
		f(first, min(size, m.tokens-first))
	}
}

// maskRow is the row of the mask for a query.
func (m *contentMix) maskRow(b, h, q int) uint32 {
	if !m.drop.PerPicture {
		b = 0
	}
	return uint32((b*m.Count+h)*m.tokens + q)
}

// forward sets what head h makes of picture b.
func (m *contentMix) forward(z []float32, b, h int) {
	drop, out := m.drop.now(), lot{size: m.value.size, wide: m.Count * m.value.size}
	zz, v := m.picture(&out, z, b, h), m.picture(&m.value, m.value.x, b, h)
	kb := kernel.Borrow(m.tokens * m.numbers())
	keys := m.keys(*kb, b, h).T()
	m.tiles(func(first, n int) {
		qb, pb := kernel.Borrow(n*m.numbers()), kernel.Borrow(n*m.tokens)
		p := kernel.Matrix(*pb, n, m.tokens)
		kernel.MulSerial(p, m.queries(*qb, b, h, first, n), keys)
		kernel.SoftmaxDrop(*pb, m.tokens, drop, m.maskRow(b, h, first))
		kernel.MulSerial(zz.Block(first, 0, n, m.value.size), p, v)
		kernel.GiveBack(qb)
		kernel.GiveBack(pb)
	})
	kernel.GiveBack(kb)
}

// backward sets all gradients of picture b: with P the weights under the mask, of one head,
//
//	dV = Pᵀ·dZ,  dA = p·(mask·dZ·Vᵀ - …),  dQ = dA·K,  dK = dAᵀ·Q
func (m *contentMix) backward(dz []float32, b int) {
	for _, l := range []*lot{&m.value, &m.key} {
		if l.dx != nil {
			clear(l.dx[b*m.tokens*l.wide : (b+1)*m.tokens*l.wide])
		}
	}
	kb := kernel.Borrow(m.tokens * m.numbers())
	for h := range m.Count {
		if h == 0 || m.key.wide != m.key.size {
			m.keys(*kb, b, h)
		}
		m.tiles(func(first, n int) { m.backwardTile(dz, *kb, b, h, first, n) })
	}
	kernel.GiveBack(kb)
}

func (m *contentMix) backwardTile(dz, k []float32, b, h, first, n int) {
	wide, out := m.numbers(), lot{size: m.value.size, wide: m.Count * m.value.size}
	keys := kernel.Matrix(k, m.tokens, wide)
	dzz := m.picture(&out, dz, b, h).Block(first, 0, n, m.value.size)
	qb, pb, db := kernel.Borrow(n*wide), kernel.Borrow(n*m.tokens), kernel.Borrow(n*m.tokens)
	q, p, d := m.queries(*qb, b, h, first, n), kernel.Matrix(*pb, n, m.tokens), kernel.Matrix(*db, n, m.tokens)
	kernel.MulSerial(p, q, keys.T())
	kernel.MulSerial(d, dzz, m.picture(&m.value, m.value.x, b, h).T())
	kernel.SoftmaxDropGrad(*db, *pb, m.tokens, m.drop.now(), m.maskRow(b, h, first))
	if m.value.dx != nil {
		kernel.MulAddSerial(m.picture(&m.value, m.value.dx, b, h), p.T(), dzz)
	}
	if m.content && m.key.dx != nil {
		kernel.MulAddSerial(m.picture(&m.key, m.key.dx, b, h), d.T(), q.Block(0, 0, n, m.query.size))
	}
	kernel.MulSerial(q, d, keys)
	m.queryGrads(*qb, b, h, first, n)
	kernel.GiveBack(qb)
	kernel.GiveBack(pb)
	kernel.GiveBack(db)
}
