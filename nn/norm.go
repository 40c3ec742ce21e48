package nn

import "github.com/attnconv/attnconv/nn/op"

// LayerNorm is y = γ·(x - μ)/√(σ² + 1e-12) + β over the last axis.  x (…, d) -> y (…, d)
//
// Source: Ba, Kiros, Hinton 2016 (arXiv:1607.06450), with BERT's 1e-12.
type LayerNorm struct {
	Gamma *Param // (d)
	Beta  *Param // (d)
}

// NewLayerNorm returns a norm of d channels, with scale 1 and shift 0.
func NewLayerNorm(s Scope, d int) *LayerNorm {
	return &LayerNorm{Gamma: s.Param("weight", Const(1), d), Beta: s.Param("bias", Const(0), d)}
}

// Forward implements Layer.
func (l *LayerNorm) Forward(g *Graph, x *Node) *Node {
	return op.LayerNorm(x, g.Use(l.Gamma), g.Use(l.Beta))
}

// ResidualNorm adds the branch y to x and normalizes: LayerNorm(x + dropout(y)), over the last axis.  x, y (…, d) ->
// (…, d)
type ResidualNorm struct {
	Gamma *Param // (d)
	Beta  *Param // (d)
	rate  float64
	key   uint64
}

// NewResidualNorm returns a norm with scale 1, shift 0 and the given dropout rate on the branch.
func NewResidualNorm(s Scope, d int, dropout float64) *ResidualNorm {
	return &ResidualNorm{
		Gamma: s.Param("weight", Const(1), d), Beta: s.Param("bias", Const(0), d),
		rate: dropout, key: s.Key("dropout"),
	}
}

// Forward returns LayerNorm(x + dropout(y)).
func (l *ResidualNorm) Forward(g *Graph, x, y *Node) *Node {
	return op.ResidualNorm(x, y, g.Use(l.Gamma), g.Use(l.Beta), g.Dropout(l.rate, l.key))
}

// Norm returns LayerNorm(x), for a block that norms what it reads.
func (l *ResidualNorm) Norm(g *Graph, x *Node) *Node {
	return op.LayerNorm(x, g.Use(l.Gamma), g.Use(l.Beta))
}

// Add returns x + dropout(y).
func (l *ResidualNorm) Add(g *Graph, x, y *Node) *Node {
	return op.Residual(x, y, g.Dropout(l.rate, l.key))
}
