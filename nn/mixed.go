package nn

import (
	G "gorgonia.org/gorgonia"

	"github.com/attnconv/attnconv/internal/op"
)

// On returns a graph that adds to expr, a graph of gorgonia's that may hold anything else. Graph.Layer puts layers of
// this module between its nodes. It does so in two halves: Wrap makes a node of one of gorgonia's, and Emit adds
// recorded operations to expr. gorgonia.Grad differentiates the mixture, and a TapeMachine runs it.
//
// gorgonia's operations read a copy of a result, because they may overwrite it. Otherwise gorgonia's rules hold:
//
//   - A graph has gradients of one loss, which may be a sum of several. A second gorgonia.Grad is an error, and there
//     are no second derivatives.
//   - A LispMachine runs forward only.
//   - Inputs change by gorgonia.Let or in place. Another shape is an error.
//   - At sets the step, for dropout. UpdateStats moves the statistics of batch norms.
//   - The node of a parameter reads Param.Data. A solver of gorgonia's changes it there, including frozen rows.
//     gorgonia.Let would separate the two.
//   - One machine runs at a time. A clone of the graph shares its memory.
//
// A graph of Build also takes gorgonia's operations, by Unary and Binary or as above. Compile then adds the gradients
// and runs it, but plans no memory: every result has its own.
//
// With train false, the graph is for evaluation. The operations need no gradients; gorgonia.Grad returns an error if
// one is missing.
func On(expr *G.ExprGraph, train bool) *Graph {
	return &Graph{Train: train, clock: &op.Clock{Unset: true}, rec: op.NewGraph(expr), nodes: map[*Param]*Node{}}
}

// Layer adds l, which reads x, to gorgonia's graph, and returns its result there. If shapes do not fit, the error is an
// *op.Error.
func (g *Graph) Layer(l Layer, x *G.Node) (y *G.Node, err error) {
	defer recoverError(&err)
	in, err := g.Wrap(x)
	if err != nil {
		return nil, err
	}
	return g.Emit(l.Forward(g, in))
}

// Emit adds n, and what it depends on, to gorgonia's graph, where gorgonia's operations may read it. Wrap makes their
// results readable for layers. It is an error if a compiled graph would not run n, or if n is of another graph or has
// no values.
func (g *Graph) Emit(n *Node) (*G.Node, error) {
	if err := g.emit(false, n); err != nil {
		return nil, err
	}
	g.shown = append(g.shown, n)
	return n.Emitted(), nil
}

// Wrap returns a node for a node of gorgonia's in the same graph, or for a constant. Its elements must be float32 and
// its shape known; otherwise Wrap returns an error. Gradients flow through it, except for a constant.
func (g *Graph) Wrap(n *G.Node) (*Node, error) {
	w, err := g.rec.Wrap(n)
	if err != nil {
		return nil, err
	}
	g.wrapped = append(g.wrapped, w)
	return w, nil
}

// Unary adds one of gorgonia's own operations with one argument, like gorgonia.Tanh. If gorgonia rejects x, Unary
// panics with an error that Build returns.
func (g *Graph) Unary(f func(x *G.Node) (*G.Node, error), x *Node) *Node {
	return g.stock(func() (*G.Node, error) { return f(x.Emitted()) }, x)
}

// Binary adds one of gorgonia's own operations with two arguments, like gorgonia.Add.
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
