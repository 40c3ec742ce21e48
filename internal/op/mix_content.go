package op

import (
	"fmt"

	"github.com/attnconv/attnconv/internal/gemm"
	"github.com/attnconv/attnconv/internal/kernel/threads"
	"github.com/attnconv/attnconv/internal/kernel/vec"
)

// Terms are what a content-dependent score is the sum of, for each head:
//
//	A[q,k] = Scale·Query[q]·Key[k] + Row[q, δ1] + Col[q, δ2] + Shift[δ],  δ = k - q
//
// Query and Key, Row and Col, or Shift may be nil. R1 and R2 are the reach of the heads' window along the rows and
// along the columns: rows - 1 and cols - 1 if a query sees all keys.
type Terms struct {
	Query *Node   // (batch, tokens, heads·d)
	Key   *Node   // (batch, tokens, heads·d), or (batch, tokens, d): one for all heads
	Row   *Node   // (batch, tokens, heads·(2·R1+1)): what each query gives each shift along the rows
	Col   *Node   // (batch, tokens, heads·(2·R2+1))
	Shift *Node   // (heads, (2·R1+1)·(2·R2+1)): the score of each shift, the same for all queries and images
	Scale float32 // of Query·Key
	Each  bool    // every head has values of its own
}

// Heads says how many heads attend on how large a grid of tokens, and which keys a query sees.
type Heads struct {
	Count, Rows, Cols int
	Window            Window
}

func (h Heads) tokens() int { return h.Rows * h.Cols }

// shifts is the number of shifts along the rows and along the columns.
func (h Heads) shifts() (rows, cols int) {
	return 2*h.Window.Reach(h.Rows) + 1, 2*h.Window.Reach(h.Cols) + 1
}

// valid reports whether the window is possible on the grid.
func (h Heads) valid() bool {
	return h.Count > 0 && (h.Window.All() || h.Window.Fits(h.Rows) && h.Window.Fits(h.Cols))
}

func (h Heads) String() string {
	if h.Window.All() {
		return fmt.Sprintf("{%d %d %d}", h.Count, h.Rows, h.Cols)
	}
	return fmt.Sprintf("{%d %d %d %v}", h.Count, h.Rows, h.Cols, h.Window)
}

// MixContent lets every head average the tokens by weights that depend on the image, the softmax of the terms:
//
//	z[b, q, h] = Σ_k drop(softmax(A_h))[b,q,k] · v[b,k,h]
//
// v (batch, tokens, e) for all heads, or, where each has its own, (batch, tokens, heads·e); it may be t.Key -> z
// (batch, tokens, heads·e)
//
// As a loop, forward and backward, it is the one at MixSeparableOp, with p = drop(softmax(A)). A batch is cut so that
// what one goroutine works on stays in its caches: weights exist for one tile, some queries with all keys, and backward
// recomputes them, so no (batch, heads, T, T) tensor ever exists.
//
//	image b, head h                  one tile of P_h
//
//	       K_hᵀ (d, T)  packed             T keys
//	       V_h  (T, e)  packed         ┌──────────────┐
//	                          tile 0   │              │   n queries: Q_h[tile]·K_hᵀ, + Row, + Col, softmax, mask
//	                                   ├──────────────┤
//	                          tile 1   │              │   ───►  Z_h[tile] = P_h[tile]·V_h
//	                                   └──────────────┘
//
// Forward shares out image × group of heads and loops over head × tile; backward shares out images. Keys and values
// that all heads share are packed once.
//
// The mask of image b is row (b·heads + h)·T + q, column k of its stream; if images have no masks of their own, that of
// image 0.
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
	o.Shift = has(t.Shift)
	return Apply(o, in...)
}

// MixContentOp is MixContent. Its inputs are the values, and as the first four say, queries, keys that are not the
// values, scores of shifts along the rows and along the columns, and scores of shifts that all queries share.
type MixContentOp struct {
	Content, KeyIsValue, Position, Shift bool

	Heads   Heads
	Scale   float32 // of query·key
	Each    bool    // every head has values of its own
	Drop    Dropout
	Factors Precision // of the mixing; scores are in float32
}

// In implements Multiplying.
func (o MixContentOp) In(p Precision) Op {
	if o.Heads.Window.All() { // a window has no matrix products
		o.Factors = p
	}
	return o
}

func (o MixContentOp) String() string {
	shift := ""
	if o.Shift {
		shift = " shift"
	}
	return fmt.Sprintf("mix-content{%v,{%t %t %t %t %v%s}}%v%v", o.Heads, o.Content, o.KeyIsValue, o.Position, o.Each,
		o.Scale, shift, o.Drop, o.Factors)
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
	if o.Shift {
		t.Shift = next()
	}
	return t, v
}

func (o MixContentOp) Shape(in []Shape) (Shape, error) {
	n, ok := o.sizes(in)
	return fits(o, in, ok, Shape{n.batch, n.tokens, n.Heads.Count * n.value.channels},
		"values, queries and keys (batch, tokens, channels of one or all heads), scores of all shifts, and a window that "+
			"is possible on the grid")
}

// Cost counts for each query and key a product of their vectors and the mixing. By definition one query that all tokens
// share meets each key once.
func (o MixContentOp) Cost(n *Node) Cost {
	t, v := n.Terms()
	tokens, keys := o.Heads.tokens(), o.Heads.keys()
	pairs := v.shape[0] * o.Heads.Count * tokens * keys
	cost := mixing(pairs * n.shape[2] / o.Heads.Count)
	if w := o.Heads.Window; !w.All() {
		cost.Field = Field{Size: 1 + 2*max(w.Reach(o.Heads.Rows), w.Reach(o.Heads.Cols)), Step: 1}
	}
	if o.Content {
		d := t.Query.shape[2] / o.Heads.Count
		cost.Run += pairs * d
		if _, shared := t.Query.op.(RepeatOp); shared {
			pairs /= tokens
		}
		cost.Definition += pairs * d
	}
	return cost
}

func (o MixContentOp) Kernel(in []Shape) Kernel {
	sizes, _ := o.sizes(in)
	if !o.Heads.Window.All() {
		return windowKernel(sizes)
	}
	var byImage []float32 // gradients of Shift
	return Kernel{
		Skips:    []int{0},
		NotSaved: []int{Output},
		Forward: func(z []float32, a [][]float32) {
			run := &contentRun{sizes, a, nil, nil}
			// of heads, which share what is packed of an image
			groups := min(o.Heads.Count, max(1, contentTasks/sizes.batch))
			threads.Parallel(sizes.batch*groups, func(task int) {
				g := task % groups
				run.forward(z, task/groups, g*o.Heads.Count/groups, (g+1)*o.Heads.Count/groups)
			})
		},
		Backward: func(d [][]float32, dz, _ []float32, a [][]float32) {
			run := &contentRun{sizes, a, d, byImage}
			threads.Parallel(sizes.batch, func(b int) { run.backward(dz, b) })
			run.sumShifts()
		},
		BackScratch: []Scratch{{sizes.batch * sizes.shift.wide, &byImage}},
	}
}

// sumShifts sets the gradient of Shift to the sum of those by images.
func (m *contentRun) sumShifts() {
	if !m.Shift {
		return
	}
	sum := m.grad(m.shift)
	clear(sum)
	for b := range m.batch {
		vec.Add(sum, nth(m.byImage, b, m.shift.wide))
	}
}

// shiftGrad is the part of head h in the gradient of Shift by image b: an element for each shift.
func (m *contentRun) shiftGrad(b, h int) []float32 {
	return nth(nth(m.byImage, b, m.shift.wide), h, m.shift.channels)
}

const contentTasks = 32 // pieces that a batch is cut into, where it has enough heads: even shares for many goroutines

// contentSizes are the sizes of one MixContent: its attributes, and what its inputs' shapes add.
type contentSizes struct {
	MixContentOp
	batch, tokens               int
	value, query, key, row, col operand
	shift                       operand // channels: shifts; wide: those of all heads
	result                      operand
}

// An operand is an input or the result: some channels of each token, for each head or one for all.
type operand struct {
	input    int // which of the inputs
	channels int // of a head
	wide     int // of a token
}

// shared reports whether one is for all heads.
func (o operand) shared() bool { return o.channels == o.wide }

// sizes finds the operands in the inputs' shapes, and reports whether they fit.
func (o MixContentOp) sizes(in []Shape) (n contentSizes, ok bool) {
	n = contentSizes{MixContentOp: o, tokens: o.Heads.tokens()}
	heads := o.Heads.Count
	if ok = o.Heads.valid(); !ok {
		return n, false
	}
	rowShifts, colShifts := o.Heads.shifts()
	if o.Shift {
		last := len(in) - 1
		n.shift = operand{last, rowShifts * colShifts, heads * rowShifts * colShifts}
		if last < 1 || !in[last].Eq(Shape{heads, n.shift.channels}) {
			return n, false
		}
		in = in[:last]
	}
	for _, s := range in {
		if s.Dims() != 3 || s[0] != in[0][0] || s[1] != n.tokens {
			return n, false
		}
	}
	n.batch = in[0][0]
	next := 0
	take := func() operand { // the next input, one for all heads
		next++
		return operand{next - 1, in[next-1][2], in[next-1][2]}
	}
	each := func(p operand) operand { // the same, of each head
		ok = ok && p.wide%heads == 0
		p.channels = p.wide / heads
		return p
	}
	if n.value = take(); o.Each {
		n.value = each(n.value)
	}
	if o.Content {
		n.query = each(take())
		if n.key = n.value; !o.KeyIsValue {
			if n.key = take(); n.key.wide != n.query.channels {
				n.key = each(n.key)
			}
		}
		ok = ok && n.key.channels == n.query.channels
	}
	if o.Position {
		n.row, n.col = each(take()), each(take())
		ok = ok && n.row.channels == rowShifts && n.col.channels == colShifts
	}
	n.result = operand{channels: n.value.channels, wide: heads * n.value.channels}
	return n, ok && next == len(in)
}

// image is all that the operand's tensor has of image b.
func (n contentSizes) image(o operand, x []float32, b int) []float32 {
	return nth(x, b, n.tokens*o.wide)
}

// head views what head h has of image b: (tokens, channels).
func (n contentSizes) head(o operand, x []float32, b, h int) gemm.Mat {
	return gemm.Matrix(n.image(o, x, b), n.tokens, o.wide).Cols(o.at(h), o.channels)
}

// token is what head h has of one token.
func (n contentSizes) token(o operand, x []float32, b, h, t int) []float32 {
	return nth(n.image(o, x, b), t, o.wide)[o.at(h):][:o.channels]
}

// at is where head h begins in a token.
func (o operand) at(h int) int {
	if o.shared() {
		return 0
	}
	return h * o.channels
}

// maskRow is the row of the mask for a query.
func (n contentSizes) maskRow(b, h, q int) uint32 {
	if b = n.Drop.image(b); !n.Drop.PerImage {
		b = 0
	}
	return uint32((b*n.Heads.Count+h)*n.tokens + q)
}

// A contentRun is one forward or backward, with its inputs and their gradients.
type contentRun struct {
	contentSizes
	in, grads [][]float32 // a gradient is nil where nobody asks for it
	byImage   []float32   // gradients of Shift, (batch, heads·shifts)
}

// x is an operand's tensor.
func (m *contentRun) x(o operand) []float32 { return m.in[o.input] }

// grad is the gradient of an operand's tensor, or nil.
func (m *contentRun) grad(o operand) []float32 { return m.grads[o.input] }

// forward sets what heads lo to hi make of image b.
func (m *contentRun) forward(z []float32, b, lo, hi int) {
	t := m.forwardTile(b)
	defer t.release()
	for h := lo; h < hi; h++ {
		t.begin(h, h == lo)
		for t.next() {
			t.forward(z)
		}
	}
}

// backward sets all gradients of image b.
func (m *contentRun) backward(dz []float32, b int) {
	operands := []operand{m.value}
	if m.Content {
		operands = append(operands, m.key)
	}
	for _, o := range operands { // to which the tiles add
		if d := m.grad(o); d != nil {
			clear(m.image(o, d, b))
		}
	}
	if m.Shift {
		clear(nth(m.byImage, b, m.shift.wide))
	}
	t := m.backwardTile(b)
	defer t.release()
	for h := range m.Heads.Count {
		t.begin(h, h == 0)
		for t.next() {
			t.backward(dz)
		}
	}
}
