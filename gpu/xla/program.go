package xla

import (
	"fmt"
	"runtime"

	"github.com/gomlx/compute"
	"github.com/gomlx/compute/shapes"
	"github.com/gomlx/gomlx/core/graph"
)

// A program is a graph of GoMLX's, compiled: buffers in, buffers out.
type program struct {
	on    Device
	graph *graph.Graph
}

// compile has the backend compile what build makes of inputs of the shapes.
func (d Device) compile(name string, in []shapes.Shape, build func(in []*graph.Node) []*graph.Node) (*program, error) {
	g := graph.NewGraph(d.Backend, name)
	err := caught(func() error {
		nodes := make([]*graph.Node, len(in))
		for i, s := range in {
			nodes[i] = graph.Parameter(g, fmt.Sprintf("in%d", i), s)
		}
		return g.Compile(build(nodes)...)
	})
	if err != nil {
		g.Finalize()
		return nil, fmt.Errorf("%s on %s: %w", name, d.Name(), err)
	}
	return &program{d, g}, nil
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

// run computes the results. The program may overwrite the buffers that donate names, which are gone afterwards.
func (p *program) run(in []compute.Buffer, donate []bool) ([]compute.Buffer, error) {
	out, err := p.graph.Executable().Execute(in, donate, 0)
	if err != nil {
		return nil, p.on.failed(err)
	}
	return out, nil
}

func (p *program) close() { p.graph.Finalize() }
