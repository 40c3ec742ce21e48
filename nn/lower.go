package nn

import (
	"fmt"
	"runtime"

	"github.com/gomlx/compute"
	"github.com/gomlx/compute/shapes"
	"github.com/gomlx/gomlx/core/graph"

	"github.com/attnconv/attnconv/internal/op"
)

// Used returns the parameters that g uses, in the order of their first use.
func (g *Graph) Used() []*Param { return g.used }

// Tracked returns the running statistics that a step of training moves.
func (g *Graph) Tracked() (params []*Param) {
	for _, t := range g.norms {
		params = append(params, t.mean, t.variance)
	}
	return params
}

// Lower builds n again in a graph of GoMLX's, where used holds the values of Used. Inputs that l knows no place of are
// constants there.
func (g *Graph) Lower(l *op.Lowering, n *Node, used []*graph.Node) *graph.Node {
	for i, p := range g.used {
		l.Place(g.nodes[p], used[i])
	}
	for _, n := range g.inputs {
		if !l.Knows(n) {
			l.Constant(n)
		}
	}
	return l.Lower(n)
}

// LowerStepped is Stepped in a graph of GoMLX's: what becomes of the values of Tracked. Lower comes first.
func (g *Graph) LowerStepped(l *op.Lowering, values []*graph.Node) (moved []*graph.Node) {
	for i, t := range g.norms {
		m := l.Moments(t.moments)
		variance := graph.MulScalar(m.Variance, unbiased(m.Rows))
		for k, to := range []*graph.Node{m.Mean, variance} {
			stays := graph.MulScalar(values[2*i+k], 1-t.rate)
			moved = append(moved, graph.Add(stays, graph.MulScalar(to, t.rate)))
		}
	}
	return moved
}

// A Program is a graph of GoMLX's, compiled: buffers in, buffers out.
type Program struct{ graph *graph.Graph }

// NewProgram has the backend compile what build makes of inputs of the shapes.
func NewProgram(on compute.Backend, name string, in []shapes.Shape, build func(in []*graph.Node) []*graph.Node) (
	*Program, error,
) {
	g := graph.NewGraph(on, name)
	err := caught(func() error {
		nodes := make([]*graph.Node, len(in))
		for i, s := range in {
			nodes[i] = graph.Parameter(g, fmt.Sprintf("in%d", i), s)
		}
		return g.Compile(build(nodes)...)
	})
	if err != nil {
		g.Finalize()
		return nil, fmt.Errorf("nn: %s on %s: %w", name, on.Name(), err)
	}
	return &Program{g}, nil
}

// caught returns the error of f, or the one that it panics with, as GoMLX does where a graph cannot be built.
func caught(f func() error) (err error) {
	defer func() {
		switch r := recover().(type) {
		case nil:
		case runtime.Error:
			panic(r)
		case error:
			err = r
		default:
			panic(r)
		}
	}()
	return f()
}

// Run computes the results. The buffers that donate names are the program's to overwrite, and gone afterwards.
func (p *Program) Run(in []compute.Buffer, donate []bool) ([]compute.Buffer, error) {
	return p.graph.Executable().Execute(in, donate, 0)
}

// Close frees the program.
func (p *Program) Close() { p.graph.Finalize() }
