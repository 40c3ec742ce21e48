package nn

import "github.com/attnconv/attnconv/nn/op"

// Linear is y = x·Wᵀ + b.  x (…, in) -> y (…, out)
type Linear struct {
	W *Param // (out, in)
	B *Param // (out)
}

// NewLinear returns a Linear with weight and bias from U(±1/√in).
func NewLinear(s Scope, in, out int) *Linear {
	s = s.AsPart()
	return &Linear{W: s.Param("weight", Uniform(in), out, in), B: s.Param("bias", Uniform(in), out)}
}

// Forward implements Layer.
func (l *Linear) Forward(g *Graph, x *Node) *Node { return op.Linear(x, g.Use(l.W), g.Use(l.B)) }
