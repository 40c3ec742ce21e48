package nn

import (
	"fmt"

	G "gorgonia.org/gorgonia"

	"github.com/attnconv/attnconv/internal/op"
)

// On returns a graph that adds to expr, a graph of gorgonia's that may hold anything else. Layer puts layers of this module
// between its nodes; Wrap and Emit are the two halves of that: what stands in expr is taken as a node, and what was
// recorded gets a place there. gorgonia.Grad differentiates the mixture, and a TapeMachine runs it.
//
// What gorgonia's operations get to read is a copy of a result: they may overwrite it. Otherwise the rules are gorgonia's. A
// graph has gradients of one loss, which may be a sum of several: a second gorgonia.Grad is an error, and there are no
// second derivatives. A LispMachine runs forward only. Inputs change by gorgonia.Let, or in place; in another shape they are
// an error. At says which step it is, for dropout, and Stepped takes in what batch norms have measured. The node of a
// parameter reads Param.Data, where a solver of gorgonia's moves it, frozen rows, too; gorgonia.Let would part the two.
// One machine runs at a time, and a clone of the graph shares its memory.
//
// In a graph of Build, too, gorgonia's operations and layers mix, by Unary and Binary or as above, and Compile asks for
// gradients and runs it. It plans no memory then: every result has its own.
//
// A graph with train false is for evaluation: what it adds need not have gradients, and gorgonia.Grad says so.
func On(expr *G.ExprGraph, train bool) *Graph {
	return &Graph{Train: train, clock: &op.Clock{Unset: true}, rec: op.NewGraph(expr), nodes: map[*Param]*Node{}}
}

// Layer adds l, which reads x, to gorgonia's graph, and returns its result there. Shapes that do not fit are an *op.Error.
func (g *Graph) Layer(l Layer, x *G.Node) (y *G.Node, err error) {
	defer recoverError(&err)
	in, err := g.Wrap(x)
	if err != nil {
		return nil, err
	}
	return g.Emit(l.Forward(g, in))
}

// Emit gives n, and what it depends on, a place in gorgonia's graph, where operations of gorgonia's may read it. What
// comes of them is wrapped to be read by layers. It is an error where a compiled graph would not run n, where n is of
// another graph, or has no values.
func (g *Graph) Emit(n *Node) (*G.Node, error) {
	if err := g.emit(false, n); err != nil {
		return nil, err
	}
	g.shown = append(g.shown, n)
	return n.Emitted(), nil
}

// Wrap returns a node that stands for one of gorgonia's in the same graph, or for a constant. Its elements are float32, and
// its shape is known; else Wrap returns an error. Gradients flow through it, but for a constant.
func (g *Graph) Wrap(n *G.Node) (*Node, error) {
	w, err := g.rec.Wrap(n)
	if err != nil {
		return nil, fmt.Errorf("nn: %w", err)
	}
	g.wrapped = append(g.wrapped, w)
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
