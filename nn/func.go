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
	arena   *op.Arena
}

// Compile readies g and lays out its memory, which the first run takes. Nothing can be added to g afterwards. After a
// run, Value knows the results of keep and those that nothing in g reads: the others' memory is used again within the
// run.
func Compile(g *Graph, keep ...*Node) *Func {
	f := &Func{graph: g, machine: G.NewTapeMachine(g.expr)}
	var err error
	if f.arena, err = op.Plan(g.expr, g.parameters(), keep, f.run); err != nil {
		panic(err) // no numbers were touched yet: it is gorgonia that does not take the graph
	}
	return f
}

// Run computes every node of the graph from the inputs and parameters as they are now. step numbers the run, for
// dropout.
func (f *Func) Run(step uint64) error {
	f.arena.ParametersMoved()
	return f.RunAgain(step)
}

// RunAgain is Run for parameters that have not moved since: in a graph without gradients, what depends on them alone
// is not computed anew.
func (f *Func) RunAgain(step uint64) error {
	f.graph.Clock.Step = step
	if err := f.run(); err != nil {
		return fmt.Errorf("nn: run: %w", err)
	}
	return nil
}

func (f *Func) run() error {
	if f.arena != nil { // else Compile rehearses
		if err := f.arena.Open(); err != nil {
			return err
		}
	}
	defer f.machine.Reset() // without it the next run would do nothing
	return f.machine.RunAll()
}

// Close frees the machine.
func (f *Func) Close() error { return f.machine.Close() }

// Value returns the numbers of n after a run. They are overwritten by the next one.
func Value(n *Node) []float32 { return op.Value(n) }

// Gradients extends g by the gradients of loss, and returns for every parameter that loss depends on where its gradient
// will stand after a run. A graph has gradients of one loss.
func Gradients(g *Graph, loss *Node) (params []*Param, grads []*Node, err error) {
	found, err := op.Gradients(loss, g.parameters(), g.inputs)
	for i, n := range found {
		if n != nil {
			params, grads = append(params, g.used[i]), append(grads, n)
		}
	}
	return params, grads, err
}

// FirstBad runs step once more and names the first operation, in the order of computation, whose result is not finite,
// or "".
func (f *Func) FirstBad(step uint64) (string, error) {
	f.graph.Clock.Step = step
	return f.arena.FirstBad(f.run)
}

// Memory returns the bytes that the graph's results and scratch take, without parameters and inputs.
func (f *Func) Memory() int { return f.arena.Bytes() }

// Watch makes hear be told the label of every operation that has run, in the order of computation; a backward's begins
// with "d ". nil ends it.
func (f *Func) Watch(hear func(op string)) { f.arena.Watch(hear) }
