package conv

import (
	"cmp"

	"github.com/attnconv/attnconv/nn"
	"github.com/attnconv/attnconv/nn/op"
)

// A Norm is batch normalization (Ioffe, Szegedy 2015) of each channel. In training, μ and σ² are those of the batch;
// otherwise they are the running statistics.
//
//	y = γ·(x - μ)/√(σ² + 1e-5) + β
//
// After each step, the running statistics move by Rate towards those of the batch, with the unbiased variance.
type Norm struct {
	Gamma, Beta    *nn.Param // (channels)
	Mean, Variance *nn.Param // (channels), measured
	Rate           float32   // 0: 0.1, as in PyTorch
}

const defaultRate = 0.1

// NewNorm returns a norm with scale 1 and shift 0.
func NewNorm(s nn.Scope, channels int) *Norm {
	return &Norm{
		Gamma: s.Param("weight", nn.Const(1), channels), Beta: s.Param("bias", nn.Const(0), channels),
		Mean: s.Statistic("running_mean", 0, channels), Variance: s.Statistic("running_var", 1, channels),
	}
}

// Forward implements nn.Layer.
func (n *Norm) Forward(g *nn.Graph, x *nn.Node) *nn.Node {
	gamma, beta := g.Use(n.Gamma), g.Use(n.Beta)
	if !g.Train {
		return op.RunningNorm(x, gamma, beta, g.Use(n.Mean), g.Use(n.Variance))
	}
	m := &op.Moments{}
	g.Track(m, n.Mean, n.Variance, cmp.Or(n.Rate, defaultRate))
	return op.BatchNorm(x, gamma, beta, nil, false, m)
}

// A Unit is a convolution without bias, followed by a norm.
type Unit struct {
	Conv *Conv
	Norm *Norm
}

// Forward returns y = Norm(Conv(x)).
func (u *Unit) Forward(g *nn.Graph, x *nn.Node) *nn.Node {
	return u.Norm.Forward(g, u.Conv.Forward(g, x))
}

// Result is the end of the name of the tap on a unit's result. The name of the unit's weights precedes it.
const Result = " result"

// result taps y, which the network has computed from the unit's result.
func (u *Unit) result(g *nn.Graph, y *nn.Node) *nn.Node { return g.Tap(u.Conv.W.Name+Result, y) }
