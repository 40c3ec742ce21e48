package nn

import (
	"errors"
	"fmt"
	"slices"

	G "gorgonia.org/gorgonia"

	"github.com/attnconv/attnconv/internal/op"
)

// A Func is a graph made ready to run any number of times. It is not safe for concurrent use.
type Func struct {
	graph   *Graph
	machine G.VM
	arena   *op.Arena
	params  []*Param
	grads   []*Node
}

// Compile readies g for runs that compute loss with its gradients, unless it is nil, and the nodes of keep, of which nil
// ones are skipped. What these do not depend on does not run. Compile rewrites what the layers say into something equal, up
// to rounding, that is faster, and lays out memory, which the first run takes; nothing can be added to g afterwards. After a
// run, Value knows loss, its gradients, keep, and what was tapped: the others' memory goes to later results of the run. A
// graph is compiled once, and has gradients of one loss, which may be a sum. Nodes of another graph, and operations without
// a gradient where one is needed, are errors.
func Compile(g *Graph, loss *Node, keep ...*Node) (*Func, error) {
	if g == nil || g.rec == nil {
		return nil, errors.New("nn: Compile: the graph is nil or empty: want one of Build or On")
	}
	keep = slices.DeleteFunc(slices.Clone(keep), func(n *Node) bool { return n == nil })
	for _, t := range g.taps {
		keep = append(keep, t.Node)
	}
	keep = append(keep, g.shown...)
	if loss != nil {
		keep = append(keep, loss)
	}
	if err := g.emit(loss != nil, keep...); err != nil {
		return nil, err
	}
	g.compiled = true
	f := &Func{graph: g}
	if loss != nil {
		if err := f.differentiate(loss); err != nil {
			return nil, err
		}
	}
	op.Hold(slices.Concat(keep, f.grads, op.Unread(g.wrapped)))
	f.machine = G.NewTapeMachine(g.rec.Expr())
	var err error
	if f.arena, err = g.rec.Plan(g.parameters(), keep, f.run); err != nil {
		return nil, fmt.Errorf("nn: gorgonia does not take the graph: %w", err)
	}
	return f, nil
}

// differentiate adds the gradients of loss.
func (f *Func) differentiate(loss *Node) error {
	found, err := f.graph.rec.Gradients(loss, f.graph.parameters(), f.graph.inputs)
	if err != nil {
		return fmt.Errorf("nn: %w", err)
	}
	for i, n := range found {
		if n != nil {
			f.params, f.grads = append(f.params, f.graph.used[i]), append(f.grads, n)
		}
	}
	return nil
}

// CheckGradients compares gradients of what f returns with differences of it, for a test of a layer or an encoding: those
// of every parameter that f uses and the result depends on, up to 64 elements of each. train is Build's; all runs have the
// same masks of dropout. The error names the first element that differs by more than 1e-4, relative where it is above 1.
// Parameters end as they were.
func CheckGradients(train bool, f func(g *Graph) *Node) error {
	if f == nil {
		return errors.New("nn: CheckGradients: the function that adds layers is nil")
	}
	var loss *Node
	var sum *op.Weights
	g, err := Build(train, func(g *Graph) { loss, sum = op.Weighted(f(g)) })
	if err != nil {
		return err
	}
	c, err := Compile(g, loss)
	if err != nil {
		return err
	}
	defer c.Close()
	var all []op.Variable
	for i, p := range c.params {
		all = append(all, op.Variable{Name: p.Name, Data: p.Data, Grad: func() []float32 { return Value(c.grads[i]) }})
	}
	if err := op.Differences(all, func() (float64, error) { err := c.Run(0); return sum.Sum, err }); err != nil {
		return fmt.Errorf("nn: %w", err)
	}
	return nil
}

// Gradients returns every parameter that the loss depends on, and where its gradient stands after a run.
func (f *Func) Gradients() (params []*Param, grads []*Node) { return f.params, f.grads }

// Run computes every node of the graph from the inputs and parameters as they are now. step numbers the run, for
// dropout. An operation that fails is an error that names it; if memory is too little, the first run returns a *TooLarge.
func (f *Func) Run(step uint64) error {
	if err := f.graph.unmoved(); err != nil {
		return err
	}
	f.arena.ParametersMoved()
	return f.RunAgain(step)
}

// RunAgain is Run for parameters that have not moved since: in a graph without gradients, what depends on them alone
// is not computed anew.
func (f *Func) RunAgain(step uint64) error {
	f.graph.At(step)
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

// Value returns the elements of n after a run, which the next one overwrites. n is a leaf, or was kept as Compile says; where
// gorgonia's own operations stand among the layers, or somebody else runs the graph, every result of a layer is. Value
// panics with an *op.Error for what was not kept or has not run: its elements are nowhere.
func Value(n *Node) []float32 { return op.Value(n) }

// FirstBad runs step once more and names the first operation, in the order of computation, whose result is not finite,
// or "".
func (f *Func) FirstBad(step uint64) (string, error) {
	f.graph.At(step)
	return f.arena.FirstBad(f.run)
}

// Memory returns the bytes that the graph's results and scratch take, without parameters and inputs.
func (f *Func) Memory() int { return f.arena.Bytes() }

// Watch calls hear with the label of every operation that has run, in the order of computation; the label of a backward pass
// begins with "d ". With nil it stops.
func (f *Func) Watch(hear func(op string)) { f.arena.Watch(hear) }
