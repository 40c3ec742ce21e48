package op

import (
	"fmt"
	"hash"
	"hash/fnv"
	"slices"

	"github.com/chewxy/hm"
	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// Order returns what roots depend on, inputs before their readers, but for what stands behind emitted nodes.
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

// Emit adds to gorgonia's graph what roots depend on and is not there yet, as far as it can in the order in which it was
// recorded: gorgonia runs it so, and memory depends on that. Nothing else that was recorded costs anything.
func (g *Graph) Emit(roots ...*Node) error {
	all := Order(roots)
	slices.SortStableFunc(all, func(n, m *Node) int { return n.turn - m.turn })
	for _, n := range Order(all) {
		switch {
		case n.graph != g:
			return fmt.Errorf("op: %v is of another graph than the one that is emitted", n)
		case n.at != nil:
		case n.op == nil && n.leaf == nil:
			return fmt.Errorf("op: %s has a shape and no values", n.name)
		case n.op == nil:
			n.at = G.NodeFromAny(g.expr, n.leaf, G.WithName(n.name))
		default:
			if err := g.emit(n); err != nil {
				return err
			}
		}
	}
	return nil
}

// Stands says that n's value is m's, which was emitted in its place.
func (n *Node) Stands(m *Node) {
	if n.at == nil {
		n.at = m.at
	}
}

func (g *Graph) emit(n *Node) (err error) {
	in, shapes, wrt := make(G.Nodes, len(n.in)), make([]Shape, len(n.in)), make([]bool, len(n.in))
	seen := map[*G.Node]bool{}
	for i, c := range n.in {
		in[i], shapes[i] = c.at, c.shape
		wrt[i] = needsGrad(c.at, seen)
	}
	f := &forward{Kernel: n.op.Kernel(shapes), wrt: wrt, learns: slices.Contains(wrt, true),
		result: result{label: n.String(), in: shapes, out: n.shape, id: len(g.expr.AllNodes())}}
	n.at, err = G.ApplyOp(f, in...)
	return err
}

// result is what every operation in gorgonia's graph has in common: it owns its result, so nothing is allocated from the
// second run on.
type result struct {
	label string
	id    int // unique in its graph: gorgonia merges nodes whose ops hash alike
	in    []Shape
	out   Shape
	value G.Value // the result, kept from run to run
	buf   []float32
	arena *Arena  // nil for a graph that was not planned: every result has memory of its own
	kept  bool    // until the next run; else its place goes to others
	copy  G.Value // what gorgonia's own operations get to read, which may overwrite it; nil: the result itself
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

// copyForOthers makes gorgonia's own operations read a copy of the result, which is kept: they may overwrite what they
// read last.
func (r *result) copyForOthers() {
	if r.copy = G.Value(G.NewF32(0)); !r.out.IsScalar() {
		r.copy = tensor.New(tensor.WithShape(r.out...), tensor.WithBacking(make([]float32, r.size())))
	}
}

// finished returns what the graph gets of a result that is there.
func (r *result) finished() G.Value {
	if s, ok := r.value.(*G.F32); ok {
		*s = G.F32(r.buf[0])
	}
	switch c := r.copy.(type) {
	case nil:
		return r.value
	case *G.F32:
		*c = G.F32(r.buf[0])
	default:
		copy(floats(c), r.buf)
	}
	return r.copy
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
		*err = fmt.Errorf("op: %s: %v", r.label, p)
	}
}

// forward is an operation in gorgonia's graph.
type forward struct {
	result
	Kernel
	wrt      []bool // whose gradients are wanted from this op; SymDiff takes out those that it defers
	learns   bool   // a variable stands somewhere below
	inLoss   bool   // Gradients found that SymDiff will be called
	done     bool   // it was
	deferred map[*G.Node]*G.Node
	turn     *turn
	args     [][]float32
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
	f.Forward(y, f.floats(in))
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

func floats(v G.Value) []float32 {
	if t, ok := v.(*tensor.Dense); ok && !t.IsScalar() {
		if t.RequiresIterator() || t.DataOrder().IsColMajor() { // gorgonia's, transposed or cut out of another
			t = t.Materialize().(*tensor.Dense)
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

// floats returns the elements of the inputs, until the next call.
func (f *forward) floats(in []G.Value) [][]float32 {
	f.args = f.args[:0]
	for _, v := range in {
		f.args = append(f.args, floats(v))
	}
	return f.args
}
