package nn

import (
	"fmt"

	G "gorgonia.org/gorgonia"

	"github.com/attnconv/attnconv/internal/op"
)

// On returns a graph that adds to expr, a graph of gorgonia's that may hold anything else: Emit gives what was recorded a
// place there, and Wrap takes what stands there as a node. So gorgonia's operations and layers of this module mix, in a
// graph of Build, too: gradients flow through both, whether Compile or G.Grad asks for them. Compile plans no memory for
// a mixed graph: every result has its own. Shapes that do not fit panic.
func On(expr *G.ExprGraph, train bool) *Graph {
	return &Graph{Train: train, Clock: &op.Clock{}, rec: op.NewGraph(expr), nodes: map[*Param]*Node{}}
}

// Emit gives n, and what it depends on, a place in gorgonia's graph, where operations of gorgonia's may read it. What
// comes of them is Wrapped to be read by layers.
func (g *Graph) Emit(n *Node) (*G.Node, error) {
	if err := g.emit(false, n); err != nil {
		return nil, err
	}
	return n.Emitted(), nil
}

// Wrap returns a node that stands for one of gorgonia's in the same graph.
func (g *Graph) Wrap(n *G.Node) (*Node, error) {
	w, err := g.rec.Wrap(n)
	if err != nil {
		return nil, fmt.Errorf("nn: %w", err)
	}
	return w, nil
}

// Unary adds an operation of gorgonia's own that reads x: gorgonia.Tanh. What it refuses panics; Build returns that as
// an error.
func (g *Graph) Unary(f func(x *G.Node) (*G.Node, error), x *Node) *Node {
	return g.stock(func() (*G.Node, error) { return f(x.Emitted()) }, x)
}

// Binary is Unary of two nodes: gorgonia.Add.
func (g *Graph) Binary(f func(x, y *G.Node) (*G.Node, error), x, y *Node) *Node {
	return g.stock(func() (*G.Node, error) { return f(x.Emitted(), y.Emitted()) }, x, y)
}

func (g *Graph) stock(f func() (*G.Node, error), in ...*Node) *Node {
	err := g.emit(false, in...)
	if err == nil {
		var made *G.Node
		if made, err = f(); err == nil {
			var n *Node
			if n, err = g.Wrap(made); err == nil {
				return n
			}
		}
	}
	panic(&op.Error{Err: err})
}
