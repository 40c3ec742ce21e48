package nn

import "github.com/attnconv/attnconv/internal/op"

// Linear is y = x·Wᵀ + b.  x (…, in) -> y (…, out)
type Linear struct {
	W *Param // (out, in)
	B *Param // (out)
}

// NewLinear returns a Linear with weight and bias from U(±1/√in).
func NewLinear(s Scope, in, out int) *Linear {
	return &Linear{W: s.Param("weight", Uniform(in), out, in), B: s.Param("bias", Uniform(in), out)}
}

// Forward adds the layer to g.
func (l *Linear) Forward(g *Graph, x *Node) *Node { return op.Linear(x, g.Use(l.W), g.Use(l.B)) }

// AfterGELU is the layer behind another one with the exact GELU between: l(gelu(up(x))).
func (l *Linear) AfterGELU(g *Graph, up *Linear, x *Node) *Node {
	return op.GELULinear(op.MatMul(x, g.Use(up.W)), g.Use(up.B), g.Use(l.W), g.Use(l.B))
}
