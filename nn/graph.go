package nn

import (
	"errors"
	"fmt"

	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"

	"github.com/attnconv/attnconv/internal/kernel"
	"github.com/attnconv/attnconv/internal/op"
)

// Node is a value in a graph.
type Node = op.Node

// A Layer adds itself to a graph: x -> y.
type Layer interface {
	Forward(g *Graph, x *Node) *Node
}

// A Graph is an expression graph over borrowed parameters: several graphs may share one set of weights.
type Graph struct {
	Train bool // dropout is on
	Clock *op.Clock
	// Notice, if there is one, is told what the units of a convolutional network read and what comes of it, as the network
	// adds itself: add is nil where nothing is added.
	Notice func(unit any, x, add, y *Node, relu bool)
	expr   *G.ExprGraph
	nodes  map[*Param]*Node
	used   []*Param // in the order of their first use
	inputs []*Node
	norms  []Tracked
}

// Build makes a graph by running f on an empty one. Shapes that do not fit make f panic; Build returns them as an
// error.
func Build(train bool, f func(g *Graph)) (g *Graph, err error) {
	g = On(G.NewGraph(), train)
	defer func() {
		var shape *op.Error
		switch r := recover().(type) {
		case nil:
		case error:
			if !errors.As(r, &shape) {
				panic(r)
			}
			g, err = nil, fmt.Errorf("nn: %w", shape)
		default:
			panic(r)
		}
	}()
	f(g)
	return g, nil
}

// On returns a graph that adds to expr, a graph of gorgonia's that may hold anything else. Gorgonia's operations and
// layers of this module mix, in a graph of Build, too: gradients flow through both, whether Gradients or G.Grad asks for
// them. Compile plans no memory for a mixed graph: every result has its own. Shapes that do not fit panic.
func On(expr *G.ExprGraph, train bool) *Graph {
	return &Graph{Train: train, Clock: &op.Clock{}, expr: expr, nodes: map[*Param]*Node{}}
}

// Use returns p's node in g.
func (g *Graph) Use(p *Param) *Node {
	n, ok := g.nodes[p]
	if !ok {
		n = op.Leaf(g.expr, p.Name, dense(p.Data, p.Shape))
		g.nodes[p] = n
		g.used = append(g.used, p)
	}
	return n
}

// Used returns the parameters that g uses, in the order of their first use.
func (g *Graph) Used() []*Param { return g.used }

// parameters returns the nodes of the parameters, in the order of their first use.
func (g *Graph) parameters() (all []*Node) {
	for _, p := range g.used {
		all = append(all, g.nodes[p])
	}
	return all
}

// Input adds an input that is not learned. It reads data whenever the graph runs.
func (g *Graph) Input(name string, data []float32, shape ...int) *Node {
	n := op.Leaf(g.expr, name, dense(data, shape))
	g.inputs = append(g.inputs, n)
	return n
}

// Track makes mean and variance the running statistics of m: after each step that a graph of training has taken they
// move by rate towards the moments of its batch. The variance that they take in is the unbiased one.
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

// Unbiased is what the variance of rows elements is multiplied by.
func Unbiased(rows int) float32 { return float32(rows) / float32(max(1, rows-1)) }

// Stepped says that the parameters have moved by what the last run found.
func (g *Graph) Stepped() {
	for _, t := range g.norms {
		kernel.Scale(Unbiased(t.Moments.Rows), t.Moments.Variance)
		kernel.Blend(t.Mean.Data, t.Moments.Mean, t.Rate)
		kernel.Blend(t.Variance.Data, t.Moments.Variance, t.Rate)
	}
}

// Dropout returns the dropout of rate with the stream of key: none in a graph that does not train.
func (g *Graph) Dropout(rate float64, key uint64) op.Dropout {
	if !g.Train || rate == 0 {
		return op.Dropout{}
	}
	return op.Dropout{Rate: float32(rate), Key: key, Clock: g.Clock}
}

func dense(data []float32, shape []int) *tensor.Dense {
	return tensor.New(tensor.WithShape(shape...), tensor.WithBacking(data))
}
