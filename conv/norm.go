package conv

import (
	"cmp"

	"github.com/attnconv/attnconv/nn"
	"github.com/attnconv/attnconv/op"
)

// A Norm is batch normalisation (Ioffe, Szegedy 2015) of each channel: over the batch in training, by running
// statistics else.
//
//	y = γ·(x - μ)/√(σ² + 1e-5) + β
//
// After each step the running statistics move by Rate towards the batch's; the variance that they take in is the
// unbiased one.
type Norm struct {
	Gamma, Beta    *nn.Param // (channels)
	Mean, Variance *nn.Param // (channels), measured
	Rate           float32   // 0: 0.1, PyTorch's
}

const defaultRate = 0.1

// NewNorm returns a norm with scale 1 and shift 0.
func NewNorm(s nn.Scope, channels int) *Norm {
	return &Norm{
		Gamma: s.Param("weight", nn.Const(1), channels), Beta: s.Param("bias", nn.Const(0), channels),
		Mean: s.Measured("running_mean", 0, channels), Variance: s.Measured("running_var", 1, channels),
	}
}

// Forward adds the layer to g.
func (n *Norm) Forward(g *nn.Graph, x *nn.Node) *nn.Node {
	gamma, beta := g.Use(n.Gamma), g.Use(n.Beta)
	if !g.Train {
		return op.RunningNorm(x, gamma, beta, g.Use(n.Mean), g.Use(n.Variance))
	}
	m := &op.Moments{}
	g.Track(m, n.Mean, n.Variance, cmp.Or(n.Rate, defaultRate))
	return op.BatchNorm(x, gamma, beta, nil, false, m)
}

// A Unit is a convolution without bias, and a norm.
type Unit struct {
	Conv *Conv
	Norm *Norm
}

// Forward adds y = Norm(Conv(x)) to g.
func (u *Unit) Forward(g *nn.Graph, x *nn.Node) *nn.Node {
	return u.Norm.Forward(g, u.Conv.Forward(g, x))
}

// Result ends the name of the tap on a unit's result; the name of the unit's weights precedes it.
const Result = " result"

// result taps y, what the network makes of the unit's own result.
func (u *Unit) result(g *nn.Graph, y *nn.Node) *nn.Node { return g.Tap(u.Conv.W.Name+Result, y) }
