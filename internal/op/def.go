// Package op adds this project's coarse operations to gorgonia's graph.
//
// An operation is a [def]: a shape rule, a forward and a backward on flat float32 slices. This file and grad.go are the
// only ones that know what gorgonia asks of an Op.
package op

import (
	"fmt"
	"hash"
	"hash/fnv"
	"slices"
	"strings"

	"github.com/chewxy/hm"
	"github.com/gomlx/gomlx/core/graph"
	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

type (
	// Node is a value in gorgonia's graph.
	Node = G.Node
	// Shape is the extent of a Node in each dimension.
	Shape = tensor.Shape
)

// A def is one differentiable operation. What it remembers between forward and backward it keeps in private buffers.
type def struct {
	name  string // with every attribute that changes the result
	want  string // the shapes it takes, for the error message
	shape func(in []Shape) (out Shape, ok bool)
	fwd   func(y []float32, in [][]float32)
	// bwd overwrites every dIn; one that nobody asks for is nil.
	bwd func(dIn [][]float32, dy, y []float32, in [][]float32)
	// again makes y once more after fwd, to the same numbers and at little cost. Backwards that read y call it, so that
	// y need not stay until they run. It is nil where y stays.
	again func(y []float32, in [][]float32)

	// lower is the equation of fwd in a graph of GoMLX's; nil where the operation stays on the CPU.
	lower func(l *Lowering, in []*graph.Node) *graph.Node

	unread    []int  // what bwd does not read: inputs by number, and output. It finds nil there
	over      bool   // dIn[0] may be dy
	rooms     []room // scratch for fwd
	backRooms []room // and for bwd
}

const output = -1 // stands for y in unread

// reads reports whether bwd reads input i, or y where i is output.
func (d *def) reads(i int) bool { return !slices.Contains(d.unread, i) }

// An Error says which operation was given shapes it cannot take. Building a graph panics with one; nn.Build returns it.
type Error struct {
	Op   string
	In   []Shape
	Want string
}

func (e *Error) Error() string { return fmt.Sprintf("%s: want %s, got %v", e.Op, e.Want, e.In) }

// apply adds d to the graph of its inputs. It panics with an *Error if their shapes do not fit.
func apply(d def, in ...*Node) *Node {
	shapes := make([]Shape, len(in))
	wrt := make([]bool, len(in))
	seen := map[*Node]bool{}
	for i, n := range in {
		shapes[i] = n.Shape()
		wrt[i] = needsGrad(n, seen)
	}
	out, ok := d.shape(shapes)
	if !ok {
		panic(&Error{d.name, shapes, d.want})
	}
	f := &forward{def: d, node: node{label: label(d.name, in), in: shapes, out: out}, wrt: wrt, owners: owners(in)}
	f.learns = slices.Contains(wrt, true)
	f.id = len(in[0].Graph().AllNodes())
	return G.Must(G.ApplyOp(f, in...))
}

// node is what every op of ours has in common: it owns its result, so nothing is allocated from the second run on.
type node struct {
	label string
	id    int // unique in its graph: gorgonia merges nodes whose ops hash alike
	in    []Shape
	out   Shape
	value G.Value // the result, kept from run to run
	buf   []float32
	arena *Arena  // nil for a graph that was not planned: every result has memory of its own
	kept  bool    // until the next run; else its place is used again
	lent  G.Value // what gorgonia's own operations get to read, which may overwrite it; nil: the result itself
}

func (n *node) Arity() int                                     { return len(n.in) }
func (n *node) Type() hm.Type                                  { return fnType(n.in, n.out) }
func (n *node) InferShape(...G.DimSizer) (tensor.Shape, error) { return n.out.Clone(), nil }
func (n *node) ReturnsPtr() bool                               { return false } // with true, Reset drops the buffer
func (n *node) CallsExtern() bool                              { return false } // with true, the machine allocates
func (n *node) OverwritesInput() int                           { return -1 }
func (n *node) WriteHash(h hash.Hash)                          { fmt.Fprintf(h, "%s#%d%v", n.label, n.id, n.in) }
func (n *node) String() string                                 { return n.label }

func (n *node) Hashcode() uint32 {
	h := fnv.New32a()
	n.WriteHash(h)
	return h.Sum32()
}

func (n *node) size() int { return n.out.TotalSize() }

// hold makes buf the place of the result.
func (n *node) hold(buf []float32) {
	if n.buf = buf; n.out.IsScalar() {
		n.value = G.NewF32(0)
	} else {
		n.value = tensor.New(tensor.WithShape(n.out...), tensor.WithBacking(n.buf))
	}
}

// result returns the place of the result.
func (n *node) result() []float32 {
	if n.buf == nil {
		n.hold(make([]float32, n.size()))
	}
	return n.buf
}

// lend makes gorgonia's own operations read a copy of the result, which is kept: they may overwrite what they read last.
func (n *node) lend() {
	if n.lent = G.Value(G.NewF32(0)); !n.out.IsScalar() {
		n.lent = tensor.New(tensor.WithShape(n.out...), tensor.WithBacking(make([]float32, n.size())))
	}
}

// finished returns what the graph gets of a result that is there.
func (n *node) finished() G.Value {
	if s, ok := n.value.(*G.F32); ok {
		*s = G.F32(n.buf[0])
	}
	switch l := n.lent.(type) {
	case nil:
		return n.value
	case *G.F32:
		*l = G.F32(n.buf[0])
	default:
		copy(floats(l), n.buf)
	}
	return n.lent
}

// rehearses reports whether this run is a rehearsal, after noting w.
func (n *node) rehearses(w *work) bool {
	if n.arena == nil || !n.arena.rehearse {
		return false
	}
	if w != nil {
		n.arena.order = append(n.arena.order, w)
	}
	return true
}

var nothing = G.NewF32(0) // what operations return in a rehearsal

// finish turns a panic of a kernel into an error that names the operation: gorgonia runs ops on a goroutine of its own,
// where nobody else could catch it.
func (n *node) finish(err *error) {
	if r := recover(); r != nil {
		*err = fmt.Errorf("op: %s: %v", n.label, r)
	}
}

type forward struct {
	node
	def
	owners   []string
	wrt      []bool // whose gradients are wanted from this op; SymDiff takes out those that it defers
	learns   bool   // a variable stands somewhere below
	inLoss   bool   // Gradients found that SymDiff will be called
	done     bool   // it was
	deferred map[*Node]*Node
	work     *work
	args     [][]float32
	version  int // of the parameters that the result is made from
}

func (f *forward) String() string { return f.label }

func (f *forward) Do(in ...G.Value) (_ G.Value, err error) {
	if f.rehearses(f.work) {
		return nothing, nil
	}
	if f.work != nil && f.work.stable && f.version == f.arena.version {
		return f.value, nil
	}
	y := f.result()
	defer f.finish(&err)
	enter(f.work, f.rooms)
	f.fwd(y, f.floats(in))
	if f.arena != nil {
		f.version = f.arena.version
		f.arena.done(f.work, f.label)
	}
	return f.finished(), nil
}

// label names an operation by what it does and whose parameters it uses: "linear of encoder.layer.0.output.dense".
func label(name string, in []*Node) string {
	if o := owners(in); len(o) > 0 {
		return name + " of " + strings.Join(o, " and ")
	}
	return name
}

// owners returns the layers whose parameters are among in, or else those of the last input that has any.
func owners(in []*Node) (all []string) {
	for _, n := range in {
		if n.IsVar() { // images and the like have no dot in their names
			o := strings.TrimPrefix(n.Name()[:max(0, strings.LastIndexByte(n.Name(), '.'))], "model.")
			if o != "" && !slices.Contains(all, o) {
				all = append(all, o)
			}
		}
	}
	for i := len(in) - 1; i >= 0 && len(all) == 0; i-- {
		if f, ok := in[i].Op().(*forward); ok {
			all = f.owners
		}
	}
	return all
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
	case float32: // a scalar, or a tensor of one number
		return []float32{d}
	default:
		panic(fmt.Sprintf("op: %T is not float32", d))
	}
}

// floats returns the numbers of the inputs, until the next call.
func (f *forward) floats(in []G.Value) [][]float32 {
	f.args = f.args[:0]
	for _, v := range in {
		f.args = append(f.args, floats(v))
	}
	return f.args
}
