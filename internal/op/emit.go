package op

import (
	"fmt"
	"hash"
	"hash/fnv"
	"slices"
	"unsafe"

	"github.com/chewxy/hm"
	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// Order returns what roots depend on, inputs before their readers, except for what is behind emitted nodes.
func Order(roots []*Node) (all []*Node) {
	seen := map[*Node]bool{}
	var visit func(n *Node)
	visit = func(n *Node) {
		if seen[n] {
			return
		}
		seen[n] = true
		if n.at == nil {
			for _, c := range n.in {
				visit(c)
			}
		}
		all = append(all, n)
	}
	for _, n := range roots {
		visit(n)
	}
	return all
}

// Emit adds to gorgonia's graph what roots depend on and is not there yet, as far as it can in the order in which it
// was recorded: gorgonia runs it so, and memory depends on that. Nothing else that was recorded costs anything.
func (g *Graph) Emit(roots ...*Node) error {
	all := Order(roots)
	slices.SortStableFunc(all, func(n, m *Node) int { return n.turn - m.turn })
	for _, n := range Order(all) {
		switch {
		case n.graph != g:
			return fmt.Errorf("%v is of another graph than the one that is emitted", n)
		case n.at != nil:
		case n.op == nil && n.leaf == nil:
			return fmt.Errorf("%s has a shape and no values", n.name)
		case n.op == nil:
			n.at = g.leaf(n)
		default:
			if err := g.emit(n); err != nil {
				return err
			}
		}
	}
	return nil
}

// AliasOf says that the value of n is the value of m, which was emitted instead of n.
func (n *Node) AliasOf(m *Node) {
	if n.at == nil {
		n.at = m.at
	}
}

// leaf returns the node of a leaf. gorgonia takes leaves of one name and shape for the same: two that read the same
// elements are, and others get names of their own, which no leaf of the user's has.
func (g *Graph) leaf(n *Node) *G.Node {
	for i := 1; ; i++ {
		nodes := len(g.expr.AllNodes())
		at := G.NodeFromAny(g.expr, n.leaf, G.WithName(fmt.Sprintf("attnconv %d: %s", i, n.name)))
		if len(g.expr.AllNodes()) > nodes || shares(at.Value(), n.leaf) {
			return at
		}
	}
}

// shares reports whether two values are tensors of the same elements.
func shares(v, w G.Value) bool {
	a, ok := v.(*tensor.Dense)
	b, both := w.(*tensor.Dense)
	return ok && both && a.Uintptr() == b.Uintptr()
}

// Reads reports whether the leaf n reads data, where that is now.
func (n *Node) Reads(data []float32) bool {
	t, ok := n.leaf.(*tensor.Dense)
	return !ok || t.Uintptr() == uintptr(unsafe.Pointer(unsafe.SliceData(data)))
}

func (g *Graph) emit(n *Node) (err error) {
	in, shapes := make(G.Nodes, len(n.in)), make([]Shape, len(n.in))
	for i, c := range n.in {
		in[i], shapes[i] = c.at, c.shape
		if slices.Contains(in[:i], c.at) { // gorgonia would count its gradient once
			if in[i], err = g.apply(reshaped, c.String()+", once more", c.shape, []Shape{c.shape}, c.at); err != nil {
				return err
			}
		}
	}
	n.at, err = g.apply(n.op.Kernel(shapes), n.String(), n.shape, shapes, in...)
	return err
}

// apply adds an operation to gorgonia's graph.
func (g *Graph) apply(k Kernel, label string, out Shape, shapes []Shape, in ...*G.Node) (*G.Node, error) {
	wrt, seen := make([]bool, len(in)), map[*G.Node]bool{}
	for i, c := range in {
		wrt[i] = needsGrad(c, seen)
	}
	f := &forward{Kernel: k, wrt: wrt, learns: slices.Contains(wrt, true),
		result: result{label: label, in: shapes, from: holders(in), out: out, id: len(g.expr.AllNodes())}}
	return G.ApplyOp(f, in...)
}

// result is what every operation in gorgonia's graph has in common: it owns its result, so nothing is allocated from
// the second run on.
type result struct {
	label string
	id    int // unique in its graph: gorgonia merges nodes whose ops hash alike
	in    []Shape
	from  []*result // for each of in, the operation of ours that it is the result of, or nil
	out   Shape
	value G.Value // the result, kept from run to run
	buf   []float32
	arena *Arena        // nil for a graph that was not planned: every result has memory of its own
	kept  bool          // until the next run; else its place goes to others
	copy  *tensor.Dense // what gorgonia gets to see of it where its own operations may overwrite it
	ran   bool          // it has been computed
	args  [][]float32
}

// holders returns the results of ours that nodes are.
func holders(nodes G.Nodes) []*result {
	all := make([]*result, len(nodes))
	for i, n := range nodes {
		all[i] = holder(n)
	}
	return all
}

// read returns the elements of the inputs, until the next call. Those of this package's operations are read where they
// were computed: gorgonia's own may have overwritten what was passed on. Others come as they were passed, in the shape
// that the operation was made for, or panic.
func (r *result) read(in []G.Value) [][]float32 {
	r.args = r.args[:0]
	for i, v := range in {
		if from := r.from[i]; from != nil {
			r.args = append(r.args, from.buf)
			continue
		}
		if s := v.Shape(); s.TotalSize() != r.in[i].TotalSize() || s.Dims() == r.in[i].Dims() && !s.Eq(r.in[i]) {
			panic(fmt.Sprintf("input %d has shape %v, and the graph was built for %v", i, s, r.in[i]))
		}
		r.args = append(r.args, floats(v))
	}
	return r.args
}

func (r *result) Arity() int                                     { return len(r.in) }
func (r *result) Type() hm.Type                                  { return fnType(r.in, r.out) }
func (r *result) InferShape(...G.DimSizer) (tensor.Shape, error) { return r.out.Clone(), nil }
func (r *result) ReturnsPtr() bool                               { return false } // with true, Reset drops the buffer
func (r *result) CallsExtern() bool                              { return false } // with true, the machine allocates
func (r *result) OverwritesInput() int                           { return -1 }
func (r *result) WriteHash(h hash.Hash)                          { fmt.Fprintf(h, "%s#%d%v", r.label, r.id, r.in) }
func (r *result) String() string                                 { return r.label }

func (r *result) Hashcode() uint32 {
	h := fnv.New32a()
	r.WriteHash(h)
	return h.Sum32()
}

func (r *result) size() int { return r.out.TotalSize() }

// bind makes buf the place of the result.
func (r *result) bind(buf []float32) {
	if r.buf = buf; r.out.IsScalar() {
		r.value = G.NewF32(0)
	} else {
		r.value = tensor.New(tensor.WithShape(r.out...), tensor.WithBacking(r.buf))
	}
}

// buffer returns the place of the result.
func (r *result) buffer() []float32 {
	if r.buf == nil {
		r.bind(make([]float32, r.size()))
	}
	return r.buf
}

// finished returns what gorgonia gets of a result that is there. In a graph of only our operations, that is the
// result. Else it is a copy: gorgonia's operations overwrite and reshape what they take for read, and later ones write
// where it lay.
func (r *result) finished() G.Value {
	r.ran = true
	alone := r.arena != nil && !r.arena.mixed
	s, scalar := r.value.(*G.F32)
	if scalar {
		*s = G.F32(r.buf[0])
	}
	switch {
	case alone:
	case scalar:
		return G.NewF32(float32(*s))
	default:
		if r.copy == nil || !r.copy.Shape().Eq(r.out) || r.copy.RequiresIterator() ||
			len(r.copy.Float32s()) != len(r.buf) {
			r.copy = tensor.New(tensor.WithShape(r.out...), tensor.WithBacking(make([]float32, r.size())))
		}
		copy(r.copy.Float32s(), r.buf)
		return r.copy
	}
	return r.value
}

// rehearses reports whether this run is a rehearsal, after noting t.
func (r *result) rehearses(t *turn) bool {
	if r.arena == nil || !r.arena.rehearse {
		return false
	}
	if t != nil {
		r.arena.order = append(r.arena.order, t)
	}
	return true
}

var nothing = G.NewF32(0) // what operations return in a rehearsal

// recoverAs turns a panic of a kernel into an error that names the operation: gorgonia runs ops on a goroutine of its
// own, where nobody else could catch it.
func (r *result) recoverAs(err *error) {
	if p := recover(); p != nil {
		*err = fmt.Errorf("%s: %v", r.label, p)
	}
}

// forward is an operation in gorgonia's graph.
type forward struct {
	result
	Kernel
	wrt      []bool // whose gradients are wanted from this op; SymDiff takes out those that it defers
	learns   bool   // a variable is somewhere below
	inLoss   bool   // Gradients found that SymDiff will be called
	done     bool   // it was
	deferred map[*G.Node]*G.Node
	turn     *turn
	version  int // of the parameters that the result is made from
}

func (f *forward) String() string { return f.label }

func (f *forward) Do(in ...G.Value) (_ G.Value, err error) {
	if f.rehearses(f.turn) {
		return nothing, nil
	}
	if f.turn != nil && f.turn.stable && f.version == f.arena.version {
		return f.value, nil
	}
	y := f.buffer()
	defer f.recoverAs(&err)
	bindScratch(f.turn, f.Scratch)
	f.Forward(y, f.read(in))
	if f.arena != nil {
		f.version = f.arena.version
		f.arena.done(f.turn, f.label)
	}
	return f.finished(), nil
}

func fnType(in []Shape, out Shape) hm.Type {
	ts := make([]hm.Type, 0, len(in)+1)
	for _, s := range append(slices.Clone(in), out) {
		if s.IsScalar() {
			ts = append(ts, tensor.Float32)
		} else {
			ts = append(ts, G.TensorType{Dims: s.Dims(), Of: tensor.Float32})
		}
	}
	return hm.NewFnType(ts...)
}

// gather returns the elements of t in row-major order, wherever they lie.
func gather(t *tensor.Dense) []float32 {
	shape, strides, from := t.Shape(), t.Strides(), t.Float32s()
	all := make([]float32, shape.TotalSize())
	for i := range all {
		at, rest := 0, i
		for d := len(shape) - 1; d >= 0; d-- {
			at, rest = at+rest%shape[d]*strides[d], rest/shape[d]
		}
		all[i] = from[at]
	}
	return all
}

func floats(v G.Value) []float32 {
	if t, ok := v.(*tensor.Dense); ok && !t.IsScalar() {
		if t.RequiresIterator() || t.DataOrder().IsColMajor() { // gorgonia's, transposed or cut out of another
			return gather(t)
		}
		return t.Float32s()
	}
	switch d := v.Data().(type) {
	case []float32:
		return d
	case float32: // a scalar, or a tensor of one element
		return []float32{d}
	default:
		panic(fmt.Sprintf("op: %T is not float32", d))
	}
}
