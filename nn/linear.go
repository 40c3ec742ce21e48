package nn

import "github.com/attnconv/attnconv/nn/op"

// Node is a value in a graph. The operations of package op take and return nodes.
type Node = op.Node

// Linear is y = x·Wᵀ + b.  x (…, in) -> y (…, out)
type Linear struct {
	W *Param // (out, in)
	B *Param // (out); nil: no bias
}

// NewLinear returns a Linear with weight and bias from U(±1/√in). In a scope WithoutBias it has no bias.
func NewLinear(s Scope, in, out int) *Linear {
	s = s.AsPart()
	l := &Linear{W: s.Param("weight", Uniform(in), out, in)}
	if !s.bare {
		l.B = s.Param("bias", Uniform(in), out)
	}
	return l
}

// Forward implements Layer.
func (l *Linear) Forward(g *Graph, x *Node) *Node {
	if l.B == nil {
		return op.MatMul(x, g.Use(l.W))
	}
	return op.Linear(x, g.Use(l.W), g.Use(l.B))
}
