package nn

import (
	"fmt"

	G "gorgonia.org/gorgonia"

	"github.com/attnconv/attnconv/internal/op"
)

// A Func is a graph made ready to run again and again. It is not safe for concurrent use.
type Func struct {
	graph   *Graph
	machine G.VM
}

// Compile readies g. Nothing can be added to g afterwards.
func Compile(g *Graph) *Func { return &Func{g, G.NewTapeMachine(g.expr)} }

// Run computes every node of the graph from the inputs as they are now. step numbers the run, for dropout.
func (f *Func) Run(step uint64) error {
	f.graph.Clock.Step = step
	defer f.machine.Reset() // without it the next run would do nothing
	if err := f.machine.RunAll(); err != nil {
		return fmt.Errorf("nn: run: %w", err)
	}
	return nil
}

// Close frees the machine.
func (f *Func) Close() error { return f.machine.Close() }

// Value returns the numbers of n after a run. They are overwritten by the next one.
func Value(n *Node) []float32 { return op.Value(n) }

// Gradients extends g by the gradients of loss, and returns for every parameter that g uses where its gradient will
// stand after a run.
func Gradients(g *Graph, loss *Node) (params []*Param, grads []*Node, err error) {
	nodes := make([]*Node, len(g.used))
	for i, p := range g.used {
		nodes[i] = g.nodes[p]
	}
	grads, err = op.Gradients(loss, nodes)
	return g.used, grads, err
}

// FirstBad names the first operation, in the order of computation, whose result is not finite after a run, or "".
func (f *Func) FirstBad() string { return op.FirstBad(f.graph.expr) }
