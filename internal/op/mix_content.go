package op

import (
	"fmt"

	"github.com/attnconv/attnconv/internal/gemm"
	"github.com/attnconv/attnconv/internal/kernel/threads"
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

func (h Heads) tokens() int { return h.Rows * h.Cols }

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
	in := []*Node{v}
	has := func(n *Node) bool {
		if n != nil && n != v {
			in = append(in, n)
		}
		return n != nil
	}
	o := MixContentOp{Heads: heads, Drop: drop, Scale: t.Scale, Each: t.Each}
	o.Content, o.KeyIsValue, o.Position = has(t.Query) && has(t.Key), t.Key == v, has(t.Row) && has(t.Col)
	return Apply(o, in...)
}

// MixContentOp is MixContent. Its inputs are the values, and as the first three say, queries, keys that are not the
// values, and scores of shifts along the rows and along the columns.
type MixContentOp struct {
	Content, KeyIsValue, Position bool
	Heads                         Heads
	Scale                         float32 // of query·key
	Each                          bool    // every head has values of its own
	Drop                          Dropout
}

func (o MixContentOp) String() string {
	return fmt.Sprintf("mix-content{%v,{%t %t %t %t %v}}%v", o.Heads, o.Content, o.KeyIsValue, o.Position, o.Each, o.Scale, o.Drop)
}

// Terms returns what n's scores are made of, and the values, where n is a MixContentOp.
func (n *Node) Terms() (t Terms, v *Node) {
	o, in := n.op.(MixContentOp), n.in
	next := func() (c *Node) { c, in = in[0], in[1:]; return c }
	v, t.Scale, t.Each = next(), o.Scale, o.Each
	if o.Content {
		t.Query = next()
		if t.Key = v; !o.KeyIsValue {
			t.Key = next()
		}
	}
	if o.Position {
		t.Row, t.Col = next(), next()
	}
	return t, v
}

func (o MixContentOp) Shape(in []Shape) (Shape, error) {
	m := o.newMix()
	ok := true
	for _, s := range in {
		ok = ok && s.Dims() == 3 && s[0] == in[0][0] && s[1] == m.tokens
	}
	ok = ok && m.measure(in)
	return fits(o, in, ok, Shape{m.batch, m.tokens, m.Count * m.value.size},
		"values, queries and keys (batch, tokens, channels of one or all heads), and scores of all shifts")
}

func (o MixContentOp) newMix() *contentMix {
	return &contentMix{Heads: o.Heads, MixContentOp: o, tokens: o.Heads.tokens()}
}

// Cost counts for each query and key a product of their vectors, the rows and columns that pick the scores of the shift,
// and the mixing. By definition those scores are there already, and one query that all tokens share meets each key once.
func (o MixContentOp) Cost(n *Node) Cost {
	t, v := n.Terms()
	tokens := o.Heads.tokens()
	pairs := v.shape[0] * o.Heads.Count * tokens * tokens
	cost := mixing(pairs * n.shape[2] / o.Heads.Count)
	if o.Content {
		d := t.Query.shape[2] / o.Heads.Count
		cost.Run += pairs * d
		if _, shared := t.Query.op.(RepeatOp); shared {
			pairs /= tokens
		}
		cost.Definition += pairs * d
	}
	if o.Position {
		cost.Run += v.shape[0] * o.Heads.Count * tokens * tokens * (o.Heads.Rows + o.Heads.Cols)
	}
	return cost
}

func (o MixContentOp) Kernel(in []Shape) Kernel {
	m := o.newMix()
	m.measure(in)
	return Kernel{
		NotSaved: []int{Output},
		Forward: func(z []float32, a [][]float32) {
			m.bind(a, nil)
			groups := min(m.Count, max(1, contentTasks/m.batch)) // of heads, which share what is made of an image
			threads.Parallel(m.batch*groups, func(task int) {
				g := task % groups
				m.forward(z, task/groups, g*m.Count/groups, (g+1)*m.Count/groups)
			})
		},
		Backward: func(d [][]float32, dz, _ []float32, a [][]float32) {
			m.bind(a, d)
			threads.Parallel(m.batch, func(b int) { m.backward(dz, b) })
		},
	}
}

const contentTasks = 32 // pieces that a batch is cut into, where it has enough heads: even shares for many goroutines

// A contentMix is one MixContent at work.
type contentMix struct {
	Heads
	MixContentOp
	batch, tokens int

	value, query, key, row, col lot

	places, placesT gemm.Mat // a one for each key at its row and at its column: (rows+cols, tokens), and transposed
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
	if m.Each {
		each(&m.value)
	}
	if m.Content {
		m.query = take()
		each(&m.query)
		if m.key = m.value; !m.KeyIsValue {
			if m.key = take(); m.key.wide != m.query.size {
				each(&m.key)
			}
		}
		ok = ok && m.key.size == m.query.size
	}
	if m.Position {
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
	if m.Position {
		m.packPlaces()
	}
}

func (m *contentMix) packPlaces() {
	n := m.Rows + m.Cols
	size := gemm.PackedBFloats(n, m.tokens)
	if m.placesRoom == nil {
		m.placesRoom = make([]float32, size+gemm.PackedBFloats(m.tokens, n))
	}
	at := make([]float32, n*m.tokens)
	for k := range m.tokens {
		at[k/m.Cols*m.tokens+k], at[(m.Rows+k%m.Cols)*m.tokens+k] = 1, 1
	}
	places := gemm.Matrix(at, n, m.tokens)
	m.places = gemm.PackB(places, m.placesRoom[:size])
	m.placesT = gemm.PackB(places.T(), m.placesRoom[size:])
}

// image views what head h has of image b in x, which has the lot's numbers: (tokens, size).
func (m *contentMix) image(l *lot, x []float32, b, h int) gemm.Mat {
	at := h * l.size
	if l.forAll() {
		at = 0
	}
	return gemm.Matrix(x[b*m.tokens*l.wide:(b+1)*m.tokens*l.wide], m.tokens, l.wide).Block(0, at, m.tokens, l.size)
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
	if !m.Drop.PerImage {
		b = 0
	}
	return uint32((b*m.Count+h)*m.tokens + q)
}
