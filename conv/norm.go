package conv

import (
	"github.com/attnconv/attnconv/internal/op"
	"github.com/attnconv/attnconv/nn"
)

// A Norm is batch normalisation (Ioffe, Szegedy 2015) of each channel: over the batch in training, by running
// statistics else.
//
//	y = γ·(x - μ)/√(σ² + 1e-5) + β
//
// After each step the running statistics move by 0.1 towards the batch's; the variance that they take in is the
// unbiased one.
type Norm struct {
	Gamma, Beta    *nn.Param // (channels)
	Mean, Variance *nn.Param // (channels), measured
}

const momentum = 0.1 // of the running statistics; PyTorch's

// NewNorm returns a norm with scale 1 and shift 0.
func NewNorm(s nn.Scope, channels int) *Norm {
	return &Norm{
		Gamma: s.Param("weight", nn.Const(1), channels), Beta: s.Param("bias", nn.Const(0), channels),
		Mean: s.Measured("running_mean", 0, channels), Variance: s.Measured("running_var", 1, channels),
	}
}

// A Unit is a convolution without bias, a norm, and what follows them.
type Unit struct {
	Conv *Conv
	Norm *Norm
}

// Forward adds y = Norm(Conv(x)) + add to g, no less than zero if relu. add may be nil. In a graph that does not train
// the norm is folded into the convolution.
func (u *Unit) Forward(g *nn.Graph, x, add *nn.Node, relu bool) *nn.Node {
	y := u.forward(g, x, add, relu)
	if g.Notice != nil {
		g.Notice(u, x, add, y, relu)
	}
	return y
}

func (u *Unit) forward(g *nn.Graph, x, add *nn.Node, relu bool) *nn.Node {
	c, n := u.Conv, u.Norm
	w, gamma, beta := g.Use(c.W), g.Use(n.Gamma), g.Use(n.Beta)
	if g.Train {
		m := &op.Moments{}
		g.Track(m, n.Mean, n.Variance, momentum)
		return op.BatchNorm(op.Conv(x, w, nil, c.over()), gamma, beta, add, relu, m)
	}
	norm := op.FoldNorm(gamma, beta, g.Use(n.Mean), g.Use(n.Variance))
	return op.ReadyConv(x, op.PrepareConv(x, w, norm, c.over()), norm, add, c.W.Shape, c.over(), relu)
}
