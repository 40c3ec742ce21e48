package op

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	G "gorgonia.org/gorgonia"

	"github.com/attnconv/attnconv/internal/kernel/vec"
)

// needsGrad reports whether a variable is somewhere below n. seen holds the nodes of gorgonia's own that were
// asked.
func needsGrad(n *G.Node, seen map[*G.Node]bool) bool {
	switch o := n.Op().(type) {
	case nil:
		return n.IsVar()
	case *forward:
		return o.learns
	}
	learns, ok := seen[n]
	if !ok {
		learns = slices.ContainsFunc(children(n), func(c *G.Node) bool { return needsGrad(c, seen) })
		seen[n] = learns
	}
	return learns
}

// Gradients extends gorgonia's graph by the gradients of loss with respect to params, and returns for each the node
// that holds it, or nil where loss does not depend on it. It computes none for data, which are leaves too. gorgonia
// differentiates a graph once. What was recorded is emitted as it is, unless it was before.
func (g *Graph) Gradients(loss *Node, params, data []*Node) ([]*Node, error) {
	if err := g.Emit(loss); err != nil {
		return nil, err
	}
	through := map[*G.Node]bool{}
	for _, n := range data {
		if n.at != nil {
			through[n.at] = false
		}
	}
	flows(loss.at, through)
	var asked G.Nodes
	for _, p := range params {
		if p.at == nil || !through[p.at] {
			continue
		}
		if p.at.Deriv() != nil {
			return nil, fmt.Errorf("gradients: the graph has them already; build another graph for another loss")
		}
		asked = append(asked, p.at)
	}
	found, err := G.Grad(loss.at, asked...)
	if err != nil {
		return nil, fmt.Errorf("gradients: %w", err)
	}
	grads := make([]*Node, len(params))
	for i, p := range params {
		if p.at != nil && through[p.at] {
			grads[i], found = &Node{graph: g, name: "d " + p.name, shape: p.shape, at: found[0]}, found[1:]
		}
	}
	for _, n := range g.expr.AllNodes() {
		if f, ok := n.Op().(*forward); ok && len(f.deferred) > 0 {
			return nil, fmt.Errorf("%s: its gradient is added to nothing: a node it shares leads nowhere", f.label)
		}
	}
	return grads, nil
}

// flows reports whether n leads to a variable, and marks the operations between as inLoss: gorgonia will ask each of
// them for its gradients. through holds what is known of nodes, and beforehand that data are none.
func flows(n *G.Node, through map[*G.Node]bool) bool {
	if known, ok := through[n]; ok {
		return known
	}
	f, ours := n.Op().(*forward)
	from := children(n)
	learns, wrt := n.IsVar(), []bool(nil)
	if o, ok := n.Op().(G.SDOp); ok {
		wrt = o.DiffWRT(len(from))
	}
	for i, c := range from {
		switch {
		case i >= len(wrt) || !wrt[i]:
		case flows(c, through):
			learns = true
		case ours:
			f.wrt[i] = false
		}
	}
	if ours {
		f.inLoss, f.learns = learns, learns
	}
	through[n] = learns
	return learns
}

// DiffWRT says which inputs SymDiff returns gradients for. gorgonia asks again after SymDiff, which may have left
// some to another operation.
func (f *forward) DiffWRT(int) []bool { return f.wrt }

// SymDiff adds one backward node, which computes every input's gradient, and one view of it per input.
//
// Where several operations read one node, gorgonia would add their gradients up by single-threaded nodes of its own.
// Instead each but the last to come defers its part, and the last one's backward takes the parts as inputs and adds
// them.
//
// That takes every one of them to be asked. Gradients knows which will be; where somebody calls G.Grad, gorgonia adds.
func (f *forward) SymDiff(in G.Nodes, out, dOut *G.Node) (G.Nodes, error) {
	if f.Backward == nil {
		return nil, fmt.Errorf("%s has no gradient: it is for graphs that do not train", f.label)
	}
	for i, n := range in {
		if f.done || f.wrt[i] && n.Deriv() != nil {
			return nil, fmt.Errorf("%s has gradients already: a graph has those of one loss, which may be a sum of "+
				"several", f.label)
		}
	}
	f.done = true
	b := &backward{f: f, dOut: dOut}
	b.result = result{label: "d " + f.label, id: f.id, out: Shape{1}}
	inputs := b.sources(in, out)
	inputs, b.in = append(inputs, dOut), append(b.in, f.out)
	owed := make([]bool, len(in))
	b.dIn, b.of = make([][]float32, len(in)), make([][]float32, len(b.finds))
	b.unasked = make([][]float32, len(in))
	for i, n := range in {
		b.grads = append(b.grads, nil)
		if !f.wrt[i] {
			if !slices.Contains(f.Skips, i) {
				b.scratch = append(b.scratch, Scratch{f.in[i].TotalSize(), &b.unasked[i]})
			}
			continue
		}
		others := users(n, f)
		owed[i] = slices.ContainsFunc(others, func(o *forward) bool { return !o.done })
		if owed[i] {
			continue
		}
		for _, o := range others {
			inputs = append(inputs, o.deferred[n])
			b.in, b.parts = append(b.in, f.in[i]), append(b.parts, i)
			delete(o.deferred, n)
		}
	}
	b.from = holders(inputs)
	all, err := G.ApplyOp(b, inputs...)
	if err != nil {
		return nil, err
	}
	grads := make(G.Nodes, len(in))
	for i, n := range in {
		if !f.wrt[i] {
			continue
		}
		v := &view{result: result{label: fmt.Sprintf("%s, input %d", b.label, i), id: f.id, in: []Shape{{1}},
			out: f.in[i]}}
		b.grads[i] = v
		if grads[i], err = G.ApplyOp(v, all); err != nil {
			return nil, err
		}
		if owed[i] {
			if f.deferred == nil {
				f.deferred = map[*G.Node]*G.Node{}
			}
			f.deferred[n], f.wrt[i] = grads[i], false
		}
	}
	return grads, nil
}

// DoDiff refuses gorgonia's LispMachine, which would leave zeros where gradients belong.
func (f *forward) DoDiff(G.ExecutionContext, G.Nodes, *G.Node) error {
	return fmt.Errorf("%s has no gradient in a LispMachine: take gorgonia.Grad and a TapeMachine", f.label)
}

// users returns the operations besides f that will add to the gradient of n, in a fixed order.
func users(n *G.Node, f *forward) []*forward {
	found := map[*forward]bool{}
	for parents := n.Graph().To(n.ID()); parents.Next(); {
		if o, ok := parents.Node().(*G.Node).Op().(*forward); ok && o != f && o.inLoss {
			found[o] = true
		}
	}
	return slices.SortedFunc(maps.Keys(found), func(a, b *forward) int { return cmp.Compare(a.id, b.id) })
}

// backward computes all gradients of f into the buffers of its views. Its own value is a token that orders them.
type backward struct {
	result
	f       *forward
	dOut    *G.Node
	grads   []*view  // nil where no gradient is wanted
	finds   []source // f's inputs, and its result
	parts   []int    // for each input after dOut, the gradient it is a part of
	scratch []Scratch
	turn    *turn

	unasked [][]float32 // scratch for gradients that nobody asks for, and that bwd does not skip
	dIn, of [][]float32 // what bwd is given
}

// A source is where a backward finds one of its operation's inputs, or the result. The nodes of all sources, in order,
// stand before dOut among the backward's own inputs.
type source struct {
	nodes int       // 0: bwd does not read it; 1: the thing itself, unless it is recomputed
	from  *forward  // recomputes it from its own inputs, the nodes; else nil
	made  []float32 // scratch for what is recomputed
}

// find returns what s stands for, given the elements of its nodes.
func (s *source) find(nodes [][]float32) []float32 {
	switch {
	case s.from != nil:
		s.from.Recompute(s.made, nodes)
		return s.made
	case s.nodes > 0:
		return nodes[0]
	}
	return nil
}

// sources says where b finds what it reads of f's inputs and result, and returns the nodes for that: the first of b's
// own inputs.
func (b *backward) sources(in G.Nodes, out *G.Node) (inputs G.Nodes) {
	f := b.f
	b.finds, b.scratch = make([]source, len(in)+1), slices.Clone(f.BackScratch)
	for i, n := range append(slices.Clone(in), out) {
		if i < len(in) && !f.reads(i) || i == len(in) && !f.reads(Output) {
			continue
		}
		nodes := []*G.Node{n}
		if o, ok := n.Op().(*forward); ok && o.Recompute != nil {
			nodes = children(n)
			b.finds[i].from = o
			b.scratch = append(b.scratch, Scratch{o.size(), &b.finds[i].made})
		}
		b.finds[i].nodes = len(nodes)
		for _, c := range nodes {
			inputs, b.in = append(inputs, c), append(b.in, c.Shape())
		}
	}
	return inputs
}

func (b *backward) Do(in ...G.Value) (_ G.Value, err error) {
	if b.rehearses(b.turn) {
		return nothing, nil
	}
	b.buffer()
	defer b.recoverAs(&err)
	bindScratch(b.turn, b.scratch)
	dIn, of := b.dIn, b.of
	copy(dIn, b.unasked)
	for i, v := range b.grads {
		if v != nil {
			dIn[i] = v.buffer()
		}
	}
	reads := b.read(in)
	for i := range b.finds {
		s := &b.finds[i]
		of[i], reads = s.find(reads[:s.nodes]), reads[s.nodes:]
	}
	b.f.Backward(dIn, reads[0], of[len(b.grads)], of[:len(b.grads)])
	for i, part := range reads[1:] {
		vec.Add(dIn[b.parts[i]], part)
	}
	if b.arena != nil {
		b.arena.done(b.turn, b.label)
	}
	return b.value, nil
}

// view is one input's gradient, which its backward has filled.
type view struct{ result }

func (v *view) Do(...G.Value) (G.Value, error) {
	if v.rehearses(nil) {
		return nothing, nil
	}
	return v.finished(), nil
}

// Hold makes gorgonia copy, in every run, what its own operations compute for nodes, so that Result finds it: it may be
// overwritten while the graph runs. The machine is made afterwards.
func Hold(nodes []*Node) {
	for _, n := range nodes {
		if n != nil && n.at != nil && n.held == nil && foreign(n.at) {
			n.held = new(G.Value)
			G.Read(n.at, n.held)
		}
	}
}

// Unread returns those that nothing in gorgonia's graph reads.
func Unread(nodes []*Node) []*Node {
	return slices.DeleteFunc(slices.Clone(nodes), func(n *Node) bool {
		return n.at == nil || n.at.Graph().To(n.at.ID()).Len() > 0
	})
}

// Result returns the value of n after a run, which the next one overwrites. In a planned graph n must be among the
// results that stay, and one of gorgonia's own must be held. It panics with an *Error where nothing is known.
func Result(n *Node) G.Value {
	if n.at == nil {
		if n.leaf != nil {
			return n.leaf
		}
		panic(&Error{fmt.Errorf("the result of %v was not kept", n)})
	}
	o := holder(n.at)
	switch {
	case o != nil && o.arena != nil && !o.kept:
		panic(&Error{fmt.Errorf("the result of %s was not kept", o.label)})
	case o != nil && !o.ran, n.held != nil && *n.held == nil:
		panic(&Error{fmt.Errorf("%v has no result: the graph has not run since it was added", n)})
	case o != nil:
		return o.value
	case n.held != nil:
		return *n.held
	case n.at.Op() != nil || n.at.Value() == nil:
		panic(&Error{fmt.Errorf("the result of %v, of gorgonia's own, was not kept: read it by gorgonia.Read", n.at)})
	}
	return n.at.Value()
}

// Value returns the elements of Result.
func Value(n *Node) []float32 { return floats(Result(n)) }
