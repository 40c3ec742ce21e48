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

// Node is a value in a graph: what operations of the package op take and return.
type Node = op.Node

// A Layer adds itself to a graph: x -> y.
type Layer interface {
	Forward(g *Graph, x *Node) *Node
}

// A Graph is what layers record, over borrowed parameters: several graphs may share one set of weights.
type Graph struct {
	Train bool // dropout is on, and batch norm measures its moments
	// BFloat16 rounds the factors of linear maps, of mixing and of convolutions other than Winograd's to bfloat16. Sums and
	// parameters stay float32. It holds for what is compiled from then on.
	BFloat16 bool

	clock  *op.Clock
	rec    *op.Graph
	nodes  map[*Param]*Node
	used   []*Param // in the order in which their scopes made them
	inputs []*Node
	norms  []Tracked
	wants  func(name string) bool
	puts   func(name string, n *Node) *Node
	taps   []Tap

	shown    []*Node // emitted for others to read
	wrapped  []*Node // of gorgonia's own
	compiled bool
}

// Build makes a graph by running f on an empty one. Shapes that do not fit make f panic with an *op.Error, of the public
// package op; Build returns it.
func Build(train bool, f func(g *Graph)) (g *Graph, err error) {
	if f == nil {
		return nil, errors.New("nn: Build: the function that adds layers is nil")
	}
	g = On(G.NewGraph(), train)
	if err = built(g, f); err != nil {
		return nil, err
	}
	return g, nil
}

func built(g *Graph, f func(g *Graph)) (err error) {
	defer recoverError(&err)
	f(g)
	return nil
}

// recoverError makes what recording panics with an error.
func recoverError(err *error) {
	switch r := recover().(type) {
	case nil:
	case *op.Error:
		*err = fmt.Errorf("nn: %w", r)
	default:
		panic(r)
	}
}

// Use returns p's node in g.
func (g *Graph) Use(p *Param) *Node {
	n, ok := g.nodes[p]
	if !ok {
		if p.Data == nil { // of ShapesOnly
			n = g.rec.Shaped(p.Name, p.Shape, false)
		} else {
			n = g.rec.Leaf(p.Name, dense(p.Data, p.Shape))
		}
		g.nodes[p] = n
		i, _ := slices.BinarySearchFunc(g.used, p, func(q, p *Param) int { return cmp.Or(q.made-p.made, -1) })
		g.used = slices.Insert(g.used, i, p)
	}
	return n
}

// unmoved reports a parameter whose elements are no longer those that g was built with: g would read the old ones.
func (g *Graph) unmoved() error {
	for _, p := range g.used {
		if n := g.nodes[p]; len(p.Data) > 0 && !n.Reads(p.Data) {
			return fmt.Errorf("nn: the Data of %s is another slice than when the graph was built: copy new values into it", p.Name)
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

// Input adds an input that is not learned. It reads data whenever the graph runs. It panics with an *op.Error, which Build
// returns, unless data has as many elements as shape says.
func (g *Graph) Input(name string, data []float32, shape ...int) *Node {
	size := 1
	for _, d := range shape {
		size *= d
	}
	if size != len(data) || slices.Min(append(slices.Clone(shape), 1)) < 1 {
		panic(&op.Error{Err: fmt.Errorf("nn: input %s: %d elements do not have the shape %v", name, len(data), shape)})
	}
	n := g.rec.Data(name, dense(data, shape))
	g.inputs = append(g.inputs, n)
	return n
}

// Shaped adds an input without values, for a graph that is looked at and never run.
func (g *Graph) Shaped(name string, shape ...int) *Node { return g.rec.Shaped(name, shape, true) }

// Rewritten returns the operations that y comes to once the graph is rewritten, for gradients or without, inputs first.
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

// A Tap is a node that can be read after a run by the name that its layer gives it.
type Tap struct {
	Name string
	Node *Node
}

// Want says which names of the layers to come are tapped: a tapped node stays in memory, and no rewrite makes it
// disappear.
func (g *Graph) Want(name func(name string) bool) { g.wants = name }

// Put says what the layers to come go on with in place of a node that they tap: f returns the node, or another one of its
// shape. With nil they go on with their own. What nothing depends on any more does not run.
func (g *Graph) Put(f func(name string, n *Node) *Node) { g.puts = f }

// Tap gives n a name, and returns n, or what Put says. That costs nothing unless Want asks for the name.
func (g *Graph) Tap(name string, n *Node) *Node {
	if g.puts != nil {
		other := g.puts(name, n)
		if other == nil || !slices.Equal(other.Shape(), n.Shape()) {
			panic(&op.Error{Err: fmt.Errorf("nn: Put: what stands in place of %s is nil or has another shape than %v", name, n.Shape())})
		}
		n = other
	}
	if g.wants != nil && g.wants(name) {
		g.taps = append(g.taps, Tap{name, n})
	}
	return n
}

// The ends of the names of taps on what a layer reads, and on what it adds to the residual or, without one, returns.
const (
	LayerInput  = " input"
	LayerOutput = " output"
)

// Taps returns what was tapped, in the order of the layers.
func (g *Graph) Taps() []Tap { return g.taps }

// emit gives what roots depend on, rewritten, a place in gorgonia's graph. grad says that it will be differentiated.
func (g *Graph) emit(grad bool, roots ...*Node) error {
	if g.compiled {
		return fmt.Errorf("nn: the graph is compiled: what is added now would not run")
	}
	now := rewrite.Graph(roots, g.options(grad))
	if err := g.rec.Emit(now.Of(roots)...); err != nil {
		return fmt.Errorf("nn: %w", err)
	}
	for n, m := range now {
		n.Stands(m)
	}
	return nil
}

// Track makes mean and variance the running statistics of m: after each step that a graph of training has taken they
// move by rate towards the moments of its batch, when Stepped is called. The variance that they take in is the unbiased one.
// conv.Norm is such a layer.
func (g *Graph) Track(m *op.Moments, mean, variance *Param, rate float32) {
	g.norms = append(g.norms, Tracked{m, mean, variance, rate})
}

// Tracked returns the running statistics that a step of training moves.
func (g *Graph) Tracked() []Tracked { return g.norms }

// Tracked are running statistics: each step moves Mean and Variance by Rate towards Moments.
type Tracked struct {
	Moments        *op.Moments
	Mean, Variance *Param
	Rate           float32
}

// Stepped says that the parameters have moved by what the last run found: running statistics of batch norms take in the
// moments of its batch, once. Whoever takes a step of training calls it afterwards, as train does; without, the network is
// evaluated by the statistics that it began with.
func (g *Graph) Stepped() {
	for _, t := range g.norms {
		t.Moments.Move(t.Mean.Data, t.Variance.Data, t.Rate)
	}
}

// At sets the step of the next run, by which masks of dropout are drawn: the same step has the same masks. Func.Run does it
// itself; in a graph that somebody else runs, dropout is an error until At was called.
func (g *Graph) At(step uint64) { g.clock.Step, g.clock.Unset = step, false }

// AtImage says that the runs to come have a part of the batch of a step, from that image on: its masks of dropout are those
// that the images would have in the whole batch.
func (g *Graph) AtImage(first int) { g.clock.Image = first }

// Dropout returns the dropout of rate with the stream of key, of Scope.Key, for operations of the package op: none in a graph
// that does not train.
func (g *Graph) Dropout(rate float64, key uint64) op.Dropout {
	if !g.Train || rate == 0 {
		return op.Dropout{}
	}
	return op.Dropout{Rate: float32(rate), Key: key, Clock: g.clock}
}

func dense(data []float32, shape []int) *tensor.Dense {
	return tensor.New(tensor.WithShape(shape...), tensor.WithBacking(data))
}
