package nn

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"

	"github.com/attnconv/attnconv/internal/op"
	"github.com/attnconv/attnconv/internal/op/rewrite"
)

// A Layer adds its operations to a graph: x -> y.
type Layer interface {
	Forward(g *Graph, x *Node) *Node
}

// A Graph is what layers record. It borrows parameters: several graphs may share one set of weights.
type Graph struct {
	Train bool // dropout is on, and batch norm measures its moments
	// BFloat16 rounds the factors of linear maps, of mixing and of convolutions to bfloat16, except for Winograd's
	// convolutions. Sums and parameters stay float32. It applies to what is compiled after it is set.
	BFloat16 bool

	clock  *op.Clock
	rec    *op.Graph
	nodes  map[*Param]*Node
	used   []*Param // in the order in which scopes made them
	inputs []*Node
	norms  []RunningStats
	wants  func(name string) bool
	puts   func(name string, n *Node) *Node
	taps   []Tap

	shown    []*Node // emitted for readers outside of this graph
	wrapped  []*Node // nodes of gorgonia's operations
	compiled bool
}

// Build makes a graph by running f on an empty one. Build returns the *op.Error with which f panics if shapes do not
// fit.
func Build(train bool, f func(g *Graph)) (g *Graph, err error) {
	if f == nil {
		return nil, errors.New("Build: the function that adds layers is nil")
	}
	g = On(G.NewGraph(), train)
	if err = record(g, f); err != nil {
		return nil, err
	}
	return g, nil
}

func record(g *Graph, f func(g *Graph)) (err error) {
	defer recoverError(&err)
	f(g)
	return nil
}

// recoverError sets err to the *op.Error with which recording has panicked.
func recoverError(err *error) {
	switch r := recover().(type) {
	case nil:
	case *op.Error:
		*err = r
	default:
		panic(r)
	}
}

// Use returns p's node in g. It panics with an *op.Error, which Build returns, unless p's Data has the number of
// elements of its Shape.
func (g *Graph) Use(p *Param) *Node {
	n, ok := g.nodes[p]
	if !ok {
		if p.Data == nil { // made by ShapesOnly
			n = g.rec.Shaped(p.Name, p.Shape, false)
		} else {
			checkSize("parameter "+p.Name, p.Data, p.Shape)
			n = g.rec.Leaf(p.Name, dense(p.Data, p.Shape))
		}
		g.nodes[p] = n
		i, _ := slices.BinarySearchFunc(g.used, p, func(q, p *Param) int { return cmp.Or(q.made-p.made, -1) })
		g.used = slices.Insert(g.used, i, p)
	}
	return n
}

// checkData returns an error for a parameter whose Data is another slice than when g was built: g would read the old
// one.
func (g *Graph) checkData() error {
	for _, p := range g.used {
		if n := g.nodes[p]; len(p.Data) > 0 && !n.Reads(p.Data) {
			return fmt.Errorf("the Data of %s is another slice than when the graph was built: copy new values into it",
				p.Name)
		}
	}
	return nil
}

// Used returns the parameters that g uses, in the order in which their scopes made them.
func (g *Graph) Used() []*Param { return g.used }

// parameters returns the nodes of the parameters, in the order of used.
func (g *Graph) parameters() (all []*Node) {
	for _, p := range g.used {
		all = append(all, g.nodes[p])
	}
	return all
}

// Input adds an input that is not learned. Each run of the graph reads data. Input panics with an *op.Error, which
// Build returns, unless data has the number of elements of shape.
func (g *Graph) Input(name string, data []float32, shape ...int) *Node {
	checkSize("input "+name, data, shape)
	n := g.rec.Data(name, dense(data, shape))
	g.inputs = append(g.inputs, n)
	return n
}

// Constant adds numbers that are not learned, of one axis unless shape says otherwise. It panics as Input does.
func (g *Graph) Constant(values []float32, shape ...int) *Node {
	if len(shape) == 0 {
		shape = []int{len(values)}
	}
	return g.Input("constant", values, shape...)
}

// checkSize panics with an *op.Error unless data has the number of elements of shape.
func checkSize(what string, data []float32, shape []int) {
	size := 1
	for _, d := range shape {
		size *= d
	}
	if size != len(data) || slices.Min(append(slices.Clone(shape), 1)) < 1 {
		panic(&op.Error{Err: fmt.Errorf("%s: %d elements do not have the shape %v", what, len(data), shape)})
	}
}

// Shaped adds an input without values, for a graph that is described and never run.
func (g *Graph) Shaped(name string, shape ...int) *Node { return g.rec.Shaped(name, shape, true) }

// Rewritten returns the operations that compute y after the rewrite, for gradients or without, inputs first.
func (g *Graph) Rewritten(y *Node, grad bool) []*Node {
	root := []*Node{y}
	return op.Order(rewrite.Graph(root, g.options(grad)).Of(root))
}

func (g *Graph) options(grad bool) rewrite.Options {
	o := rewrite.Options{Train: g.Train, Grad: grad}
	if g.BFloat16 {
		o.Factors = op.BFloat16
	}
	return o
}

// A Tap is a node that a caller can read after a run, under the name that its layer has given it.
type Tap struct {
	Name string
	Node *Node
}

// Want selects the names that the layers added from now on tap. A tapped node stays in memory, and no rewrite removes
// it.
func (g *Graph) Want(name func(name string) bool) { g.wants = name }

// Put replaces tapped nodes in the rest of the forward pass, for the layers added from now on. f returns the node
// itself or another one of its shape. A nil f replaces nothing. Operations that nothing depends on any more do not run.
func (g *Graph) Put(f func(name string, n *Node) *Node) { g.puts = f }

// Tap gives n a name. It returns n, or the replacement that Put's function returns for it. It costs nothing unless Want
// selects the name.
func (g *Graph) Tap(name string, n *Node) *Node {
	if g.puts != nil {
		other := g.puts(name, n)
		if other == nil || !slices.Equal(other.Shape(), n.Shape()) {
			panic(&op.Error{Err: fmt.Errorf("Put: what replaces %s is nil or has another shape than %v", name,
				n.Shape())})
		}
		n = other
	}
	if g.wants != nil && g.wants(name) {
		g.taps = append(g.taps, Tap{name, n})
	}
	return n
}

// The ends of the names of taps of a layer: on its input, and on what it adds to the residual. Without a residual, the
// second is on its result. The third is on what it adds to, where that is not its input.
const (
	LayerInput  = " input"
	LayerOutput = " output"
	LayerStream = " stream"
)

// Taps returns the tapped nodes, in the order of the layers.
func (g *Graph) Taps() []Tap { return g.taps }

// emit rewrites what roots depend on and adds it to gorgonia's graph. grad says that it will be differentiated.
func (g *Graph) emit(grad bool, roots ...*Node) error {
	if g.compiled {
		return fmt.Errorf("the graph is compiled: what is added now would not run")
	}
	now := rewrite.Graph(roots, g.options(grad))
	if err := g.rec.Emit(now.Of(roots)...); err != nil {
		return err
	}
	for n, m := range now {
		n.AliasOf(m)
	}
	return nil
}

func dense(data []float32, shape []int) *tensor.Dense {
	return tensor.New(tensor.WithShape(shape...), tensor.WithBacking(data))
}
