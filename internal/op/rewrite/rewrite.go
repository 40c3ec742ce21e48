// Package rewrite makes a recorded graph cheaper before it is differentiated and run: what it returns is equal, up to
// rounding, to what the layers said. Each rule is a file: its algebra, when it pays, where it must not apply.
//
// Rules are for the CPU, whose kernels they lead to. A compiler for an accelerator gets the graph as it was recorded.
package rewrite

import (
	"fmt"
	"slices"

	"github.com/attnconv/attnconv/internal/op"
)

// Options say what a graph is for.
type Options struct {
	Train bool // its parameters move from run to run
	Grad  bool // it will be differentiated: every operation needs a gradient

	Factors op.Precision // of its products
}

// A rule returns something equal to n, up to rounding, that takes less work, or nil. It reads nodes and makes new ones.
type rule struct {
	name string
	of   func(v *view, n *op.Node) *op.Node
}

// rules are applied one after another, each wherever it fits. The order matters: each counts on what those before it
// have made, and on what those behind it have not made yet.
var rules = []rule{
	{"heads mixed by shared weights, and their map", mixThenMap},
	{"two affine maps", affineThenLinear},
	{"maps of a thin map", mapOfThin},
	{"heads mixed behind a thin map", mixOfThin},
	{"vectors of shifts and queries", tableIntoQuery},
	{"keys and queries", keyIntoQuery},
	{"linear, GELU, linear", geluLinear},
	{"norm by running statistics behind a convolution", normIntoConv},
	{"weights of a convolution packed once", packedConv},
	{"sum behind a norm or a convolution", addIntoNorm},
	{"ReLU behind one", reluIntoNorm},
	{"factors in bfloat16", factors},
}

// Rewritten maps recorded nodes to those that take their place.
type Rewritten map[*op.Node]*op.Node

// Graph rewrites what roots depend on, except for what was emitted before. The nodes of roots stay readable: no rule
// makes them disappear within another. What was recorded does not change.
func Graph(roots []*op.Node, o Options) Rewritten {
	now, shared := Rewritten{}, map[made]*op.Node{}
	for _, n := range op.Order(roots) {
		now[n] = n
	}
	for _, r := range rules {
		step := pass(r, now.Of(roots), o, shared)
		for n, m := range now {
			if s, ok := step[m]; ok {
				now[n] = s
			}
		}
	}
	return now
}

// Of returns what takes the places of nodes.
func (w Rewritten) Of(nodes []*op.Node) []*op.Node {
	all := make([]*op.Node, len(nodes))
	for i, n := range nodes {
		all[i] = w[n]
	}
	return all
}

// pass applies one rule everywhere, inputs first.
func pass(r rule, roots []*op.Node, o Options, shared map[made]*op.Node) Rewritten {
	order := op.Order(roots)
	v := &view{Options: o, readers: map[*op.Node]int{}, pinned: map[*op.Node]bool{}, made: shared}
	for _, n := range roots {
		v.pinned[n] = true
	}
	for _, n := range order {
		v.pinned[n] = v.pinned[n] || n.Emitted() != nil
		if n.Emitted() == nil {
			for _, c := range n.In() {
				v.readers[c]++
			}
		}
	}
	step := Rewritten{}
	for _, n := range order {
		m := n
		if n.Emitted() == nil && n.Op() != nil {
			m = n.With(step.Of(n.In()))
			v.follows(m, n)
			if f := r.of(v, m); f != nil {
				if !f.Shape().Eq(n.Shape()) {
					panic(fmt.Sprintf("rewrite: %s: %v becomes %v", r.name, n, f)) // a fault of the rule
				}
				m = f.InPlaceOf(m)
				v.follows(m, n)
			}
		}
		step[n] = m
	}
	return step
}

// A view is what a rule may ask about the graph in addition to a node's inputs.
type view struct {
	Options
	readers map[*op.Node]int
	pinned  map[*op.Node]bool // read from outside
	made    map[made]*op.Node
}

// follows says that m has the readers of n.
func (v *view) follows(m, n *op.Node) {
	if m != n {
		v.readers[m], v.pinned[m] = v.readers[n], v.pinned[n]
	}
}

// alone reports whether n has one reader, with which it would disappear.
func (v *view) alone(n *op.Node) bool { return v.readers[n] == 1 && !v.pinned[n] }

// made names what a rule makes, for all who need the same.
type made struct {
	what    string
	a, b, c *op.Node
}

// once returns f(), the same node for the same name.
func (v *view) once(name made, f func() *op.Node) *op.Node {
	if v.made[name] == nil {
		v.made[name] = f()
	}
	return v.made[name]
}

// is returns the operation of n if it is an O.
func is[O op.Op](n *op.Node) (o O, ok bool) {
	o, ok = n.Op().(O)
	return o, ok
}

// linear returns x, W and b where n = x·Wᵀ + b; b is nil where nothing is added.
func linear(n *op.Node) (x, w, b *op.Node, ok bool) {
	if _, ok = is[op.LinearOp](n); !ok {
		return nil, nil, nil, false
	}
	if len(n.In()) > 2 {
		b = n.In()[2]
	}
	return n.In()[0], n.In()[1], b, true
}

// affine returns the same where something is added.
func affine(n *op.Node) (x, w, b *op.Node, ok bool) {
	x, w, b, ok = linear(n)
	return x, w, b, ok && b != nil
}

// mapOf returns x·Wᵀ + b, without b where it is nil.
func mapOf(x, w, b *op.Node) *op.Node {
	return op.Apply(op.LinearOp{}, op.NotNil(x, w, b)...)
}

// at returns n's input i, or nil.
func at(n *op.Node, i int) *op.Node {
	if i < len(n.In()) {
		return n.In()[i]
	}
	return nil
}

// inputs are some of an operation's, by number.
type inputs map[int]*op.Node

// with is n with other inputs.
func with(n *op.Node, others inputs) *op.Node {
	in := slices.Clone(n.In())
	for i, m := range others {
		in[i] = m
	}
	return op.Apply(n.Op(), in...)
}
