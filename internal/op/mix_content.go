package op

import (
	"fmt"

	"github.com/gomlx/gomlx/core/graph"

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

// MixContent lets every head average the tokens by weights that depend on the image, the softmax of the terms:
//
//	z[b, q, h] = Σ_k drop(softmax(A_h))[b,q,k] · v[b,k,h]
//
// v (batch, tokens, e) for all heads, or, where each has its own, (batch, tokens, heads·e); it may be t.Key
// -> z (batch, tokens, heads·e)
//
// Weights are made for some queries at a time and all keys, and made again in backward, so they stay in cache and no
// (batch, heads, T, T) tensor is ever there. The mask of image b is row (b·heads + h)·T + q, column k of its stream;
// if images have no masks of their own, that of image 0.
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
			groups := min(m.Count, max(1, contentTasks/m.batch)) // of heads, which share what is made of an image
			kernel.Parallel(m.batch*groups, func(task int) {
				g := task % groups
				m.forward(z, task/groups, g*m.Count/groups, (g+1)*m.Count/groups)
			})
		},
		lower: func(l *Lowering, a []*graph.Node) *graph.Node { return m.lower(l, a) },
		bwd: func(d [][]float32, dz, _ []float32, a [][]float32) {
			m.bind(a, d)
			kernel.Parallel(m.batch, func(b int) { m.backward(dz, b) })
		},
	}
}

const contentTasks = 32 // pieces that a batch is cut into, where it has enough heads: even shares for many goroutines

// A contentMix is one MixContent at work.
type contentMix struct {
	Heads
	terms
	drop          Dropout
	batch, tokens int

	value, query, key, row, col lot

	places, placesT kernel.Right // a one for each key at its row and at its column: (rows+cols, tokens), and transposed
	placesRoom      []float32
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
	if m.position {
		m.packPlaces()
	}
}

func (m *contentMix) packPlaces() {
	n := m.Rows + m.Cols
	size := kernel.RightSize(n, m.tokens)
	if m.placesRoom == nil {
		m.placesRoom = make([]float32, size+kernel.RightSize(m.tokens, n))
	}
	at := make([]float32, n*m.tokens)
	for k := range m.tokens {
		at[k/m.Cols*m.tokens+k], at[(m.Rows+k%m.Cols)*m.tokens+k] = 1, 1
	}
	places := kernel.Matrix(at, n, m.tokens)
	m.places.Pack(places, m.placesRoom[:size])
	m.placesT.Pack(places.T(), m.placesRoom[size:])
}

// image views what head h has of image b in x, which has the lot's numbers: (tokens, size).
func (m *contentMix) image(l *lot, x []float32, b, h int) kernel.Mat {
	at := h * l.size
	if l.forAll() {
		at = 0
	}
	return kernel.Matrix(x[b*m.tokens*l.wide:(b+1)*m.tokens*l.wide], m.tokens, l.wide).Block(0, at, m.tokens, l.size)
}

// token is what head h has of one token.
func (m *contentMix) token(l *lot, x []float32, b, h, t int) []float32 {
	at := (b*m.tokens + t) * l.wide
	if !l.forAll() {
		at += h * l.size
	}
	return x[at : at+l.size]
}

// forAll reports whether all heads share one lot.
func (l *lot) forAll() bool { return l.wide == l.size }

// outOf is the lot of the results.
func (m *contentMix) outOf() *lot { return &lot{size: m.value.size, wide: m.Count * m.value.size} }

// maskRow is the row of the mask for a query.
func (m *contentMix) maskRow(b, h, q int) uint32 {
	if !m.drop.PerImage {
		b = 0
	}
	return uint32((b*m.Count+h)*m.tokens + q)
}
