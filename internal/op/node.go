package op

import (
	"fmt"
	"slices"
	"strings"

	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// A Graph is where nodes are recorded, and the graph of gorgonia's that they are emitted into.
type Graph struct {
	expr  *G.ExprGraph
	nodes int // recorded so far
}

// NewGraph returns a Graph that emits into expr, which may hold anything else.
func NewGraph(expr *G.ExprGraph) *Graph { return &Graph{expr: expr} }

// Expr is gorgonia's graph.
func (g *Graph) Expr() *G.ExprGraph { return g.expr }

// A Node is a recorded value: a leaf, or an operation on other nodes. It never changes, and takes neither time nor
// memory for its elements until it is emitted.
type Node struct {
	graph  *Graph
	op     Op // nil: a leaf
	in     []*Node
	shape  Shape
	owners []string // the layers whose parameters it reads
	data   bool     // a leaf that nobody differentiates
	turn   int      // when it was recorded

	name string   // of a leaf
	leaf G.Value  // what it reads; nil where it stands for a node of gorgonia's
	at   *G.Node  // where it is in gorgonia's graph, once emitted
	held *G.Value // a copy of a result of gorgonia's own operations; nil: there is none
}

// Op returns the operation, or nil of a leaf.
func (n *Node) Op() Op { return n.op }

// In returns what the operation reads.
func (n *Node) In() []*Node { return n.in }

// Shape returns the extent in each dimension.
func (n *Node) Shape() Shape { return n.shape }

// Name returns a leaf's name.
func (n *Node) Name() string { return n.name }

// Elements returns what a leaf reads, or nil for a leaf that stands for a node of gorgonia's.
func (n *Node) Elements() []float32 {
	if n.leaf == nil {
		return nil
	}
	return floats(n.leaf)
}

// IsData reports whether n is a leaf that nobody differentiates.
func (n *Node) IsData() bool { return n.data }

// Owners returns the layers whose parameters n reads.
func (n *Node) Owners() []string { return n.owners }

// Emitted returns where n is in gorgonia's graph, or nil.
func (n *Node) Emitted() *G.Node { return n.at }

func (n *Node) String() string {
	if n.op == nil {
		return n.name
	}
	return label(n.op.String(), n.owners)
}

func (g *Graph) record(n *Node) *Node {
	n.graph, n.turn = g, g.nodes
	g.nodes++
	return n
}

// Leaf records a leaf that reads v whenever the graph runs: a parameter.
func (g *Graph) Leaf(name string, v *tensor.Dense) *Node {
	return g.record(&Node{name: name, leaf: v, shape: v.Shape(), owners: ownersOf(name)})
}

// Data records a leaf that nobody differentiates: images.
func (g *Graph) Data(name string, v *tensor.Dense) *Node {
	return g.record(&Node{name: name, leaf: v, shape: v.Shape(), data: true})
}

// Shaped records a leaf without values, data or not: a graph with it can be looked at, and not be emitted.
func (g *Graph) Shaped(name string, shape Shape, data bool) *Node {
	n := &Node{name: name, shape: shape, data: data}
	if !data {
		n.owners = ownersOf(name)
	}
	return g.record(n)
}

// Wrap records a leaf that stands for a node of gorgonia's own in the same graph. Gradients flow through it.
func (g *Graph) Wrap(n *G.Node) (*Node, error) {
	switch {
	case n == nil:
		return nil, fmt.Errorf("a nil node of gorgonia's")
	// a constant, which gorgonia would find by how it prints, though that is cut off
	case n.Graph() == nil && isFloat32(n):
		if v, ok := n.Value().(*tensor.Dense); ok {
			return g.Data("constant", v), nil
		}
		return nil, fmt.Errorf("%v is in no graph: want a constant tensor, or a node of a graph", n)
	case n.Graph() != g.expr:
		return nil, fmt.Errorf("%v stands in another graph of gorgonia's than the one that is added to", n)
	case !isFloat32(n):
		return nil, fmt.Errorf("%v is of type %v: want elements of float32", n, n.Type())
	case n.Dims() > 0 && n.Shape().Dims() != n.Dims():
		return nil, fmt.Errorf("%v has %d dimensions and the shape %v: say its shape, by gorgonia.WithShape", n,
			n.Dims(), n.Shape())
	}
	return g.record(&Node{name: n.Name(), shape: n.Shape(), at: n}), nil
}

// isFloat32 reports whether the elements of n are.
func isFloat32(n *G.Node) bool {
	switch t := n.Type().(type) {
	case tensor.Dtype:
		return t == tensor.Float32
	case G.TensorType:
		return t.Of == tensor.Float32
	}
	return false
}

// Apply records o of its inputs. It panics with an *Error if their shapes do not fit, or they are of several graphs or
// nil.
func Apply(o Op, in ...*Node) *Node {
	shapes := make([]Shape, len(in))
	for i, n := range in {
		if n == nil {
			panic(&Error{fmt.Errorf("%v: input %d is nil", o, i)})
		}
		shapes[i] = n.shape
		if n.graph != in[0].graph {
			panic(&Error{fmt.Errorf("%v: inputs from two graphs", o)})
		}
	}
	out, err := shapeOf(o, shapes)
	if err != nil {
		panic(err)
	}
	return in[0].graph.record(&Node{op: o, in: slices.Clone(in), shape: out, owners: ownersFrom(in)})
}

// shapeOf is o.Shape, whose panics are errors: a rule may divide by an attribute that is 0.
func shapeOf(o Op, in []Shape) (out Shape, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = &Error{fmt.Errorf("%v: no result of shapes %v: %v", o, in, p)}
		}
	}()
	if out, err = o.Shape(in); err == nil && slices.ContainsFunc(out, func(d int) bool { return d < 0 }) {
		err = &Error{fmt.Errorf("%v: a result of shape %v from %v: want no extent below 0", o, out, in)}
	}
	return out, err
}

// With is n on other inputs of the same shapes; n itself where they are n's own.
func (n *Node) With(in []*Node) *Node {
	if slices.Equal(in, n.in) {
		return n
	}
	m := Apply(n.op, in...)
	m.owners, m.turn = n.owners, n.turn
	return m
}

// InPlaceOf returns n, a new node that takes the place of m: its turn, and m's owners among its own, so that no layer
// disappears from a name.
func (n *Node) InPlaceOf(m *Node) *Node {
	n.owners, n.turn = union(n.owners, m.owners), m.turn
	return n
}

// NotNil returns the inputs without those that are nil, of an operation that can do without.
func NotNil(in ...*Node) []*Node {
	return slices.DeleteFunc(in, func(n *Node) bool { return n == nil })
}

// ownersOf returns the layer of a parameter, model.fc.weight; images and the like have no dot in their names.
func ownersOf(name string) []string {
	if o := strings.TrimPrefix(name[:max(0, strings.LastIndexByte(name, '.'))], "model."); o != "" {
		return []string{o}
	}
	return nil
}

// ownersFrom returns the layers whose parameters are among in, or else the owners of the last input that has any.
func ownersFrom(in []*Node) (all []string) {
	for _, n := range in {
		if n.op == nil {
			all = union(all, n.owners)
		}
	}
	for i := len(in) - 1; i >= 0 && len(all) == 0; i-- {
		all = in[i].owners
	}
	return all
}

func union(a, b []string) []string {
	a = slices.Clip(a)
	for _, s := range b {
		if !slices.Contains(a, s) {
			a = append(a, s)
		}
	}
	return a
}

// label names an operation by what it does and whose parameters it uses: "linear of encoder.layer.0.output.dense".
func label(name string, owners []string) string {
	if len(owners) > 0 {
		return name + " of " + strings.Join(owners, " and ")
	}
	return name
}

// OfImages returns which of all depend on images, where inputs come first.
func OfImages(all []*Node) map[*Node]bool {
	found := map[*Node]bool{}
	for _, n := range all {
		found[n] = n.IsData() || slices.ContainsFunc(n.In(), func(c *Node) bool { return found[c] })
	}
	return found
}
