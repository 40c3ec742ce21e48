package nn

import (
	"errors"
	"fmt"
	"slices"

	G "gorgonia.org/gorgonia"

	"github.com/attnconv/attnconv/internal/op"
)

// A Func is a compiled graph, which can run any number of times. It is not safe for concurrent use.
type Func struct {
	graph   *Graph
	machine G.VM
	arena   *op.Arena
	params  []*Param
	grads   []*Node
}

// Compile prepares g for runs. A run computes loss with its gradients (if loss is not nil) and the nodes of keep,
// without nil ones. Operations that these do not depend on do not run.
//
// Compile rewrites the recorded operations into faster ones that are equal up to rounding, and plans memory, which the
// first run allocates. Nothing can be added to g afterwards. After a run, Value knows loss, its gradients, keep and the
// taps; other results lose their memory to later results of the run.
//
// A graph is compiled once. It has gradients of one loss, which may be a sum. Compile returns an error for nodes of
// another graph, and for an operation without a gradient where one is needed.
func Compile(g *Graph, loss *Node, keep ...*Node) (*Func, error) {
	if g == nil || g.rec == nil {
		return nil, errors.New("Compile: the graph is nil or empty: want one of Build or On")
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
		return nil, fmt.Errorf("gorgonia does not take the graph: %w", err)
	}
	return f, nil
}

// differentiate adds the gradients of loss.
func (f *Func) differentiate(loss *Node) error {
	found, err := f.graph.rec.Gradients(loss, f.graph.parameters(), f.graph.inputs)
	if err != nil {
		return err
	}
	for i, n := range found {
		if n != nil {
			f.params, f.grads = append(f.params, f.graph.used[i]), append(f.grads, n)
		}
	}
	return nil
}

// CheckGradients tests a layer or an encoding: it compares gradients with finite differences of what f returns. It
// checks up to 64 elements of each parameter that f uses and the result depends on. train is the argument of Build; all
// runs have the same dropout masks. The error names the first element that differs by more than 1e-4, relative to the
// gradient if that is above 1. The parameters end as they were.
func CheckGradients(train bool, f func(g *Graph) *Node) error {
	if f == nil {
		return errors.New("CheckGradients: the function that adds layers is nil")
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
	return op.Differences(all, func() (float64, error) { err := c.Run(0); return sum.Sum, err })
}

// Gradients returns every parameter that the loss depends on, and the node of its gradient, which Value reads after a
// run.
func (f *Func) Gradients() (params []*Param, grads []*Node) { return f.params, f.grads }

// Run computes the graph from the current inputs and parameters. step numbers the run, for dropout. If an operation
// fails, the error names it. If there is too little memory, the first run returns a *TooLarge.
func (f *Func) Run(step uint64) error {
	if err := f.graph.checkData(); err != nil {
		return err
	}
	f.arena.ParametersMoved()
	return f.RunAgain(step)
}

// RunAgain is Run for parameters that have not changed since the last run. In a graph without gradients, results that
// depend only on parameters are not computed again.
func (f *Func) RunAgain(step uint64) error {
	f.graph.At(step)
	return f.run()
}

func (f *Func) run() error {
	if f.arena != nil { // nil while Compile records the order of execution
		if err := f.arena.Open(); err != nil {
			return err
		}
	}
	defer f.machine.Reset() // without it the next run would do nothing
	return cause(f.machine.RunAll())
}

// cause returns the error of the operation that failed. gorgonia puts its instruction and its registers in front.
func cause(err error) error {
	if machine, ok := err.(interface{ Err() error }); ok {
		err = machine.Err()
	}
	for {
		wrapped, ok := err.(interface{ Cause() error })
		if !ok {
			return err
		}
		err = wrapped.Cause()
	}
}

// Close frees the machine that runs the graph.
func (f *Func) Close() error { return f.machine.Close() }

// Value returns the elements of n after a run; the next run overwrites them. n is an input, a parameter, or a node that
// Compile kept. If gorgonia's own operations are among the layers, or if the caller runs gorgonia's graph, every result
// of a layer is kept. Value panics with an *op.Error for a node that was not kept or has not run.
func Value(n *Node) []float32 { return op.Value(n) }

// Evaluate computes a graph once, without gradients, and returns copies of the values of the nodes that build returns.
// The errors are those of Build, Compile and Run.
func Evaluate(build func(g *Graph) []*Node) ([][]float32, error) {
	var nodes []*Node
	g, err := Build(false, func(g *Graph) { nodes = build(g) })
	if err != nil || len(nodes) == 0 {
		return nil, err
	}
	f, err := Compile(g, nil, nodes...)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if err := f.Run(0); err != nil {
		return nil, err
	}
	values := make([][]float32, len(nodes))
	for i, n := range nodes {
		values[i] = slices.Clone(Value(n))
	}
	return values, nil
}

// FirstBad runs step once more and returns the name of the first operation, in order of computation, whose result is
// not finite; or "".
func (f *Func) FirstBad(step uint64) (string, error) {
	f.graph.At(step)
	return f.arena.FirstBad(f.run)
}

// Memory returns the bytes of the graph's results and scratch buffers, without parameters and inputs.
func (f *Func) Memory() int { return f.arena.Bytes() }

// Watch calls hear with the label of every operation after it has run. The label of a backward pass begins with "d ". A
// nil function ends this.
func (f *Func) Watch(hear func(op string)) { f.arena.Watch(hear) }
