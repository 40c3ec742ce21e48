package op

import (
	"fmt"

	"github.com/gomlx/gomlx/core/graph"

	"github.com/attnconv/attnconv/internal/kernel"
)

const batchNormEps = 1e-5 // PyTorch's

// Moments are the mean and the variance (biased) of each channel over the rows of one batch.
type Moments struct {
	Rows           int
	Mean, Variance []float32
	rest           []float32 // what float32 cannot hold of Mean
}

// BatchNorm normalises each channel over the batch:
//
//	z = γ·(x - μ)/√(σ² + 1e-5) + β + add,  y = max(0, z) if relu, else z,  μ and σ² over all axes but the last
//
// x, add (…, d), γ, β (d) -> y (…, d). add may be nil. Each run leaves μ and σ² in m, for the running statistics.
func BatchNorm(x, gamma, beta, add *Node, relu bool, m *Moments) *Node {
	return Apply(BatchNormOp{add != nil, relu, m}, optional(x, gamma, beta, add)...)
}

// BatchNormOp is BatchNorm.
type BatchNormOp struct {
	Add, ReLU bool
	Moments   *Moments
}

func (o BatchNormOp) String() string { return fmt.Sprintf("batch-norm{add=%t,relu=%t}", o.Add, o.ReLU) }

func (o BatchNormOp) Shape(in []Shape) (Shape, error) {
	x := in[0]
	ok := x.Dims() > 1 && in[1].Eq(x[x.Dims()-1:]) && in[2].Eq(in[1]) && (!o.Add || in[3].Eq(x))
	return fits(o, in, ok, x, "x (…, d), gamma (d), beta (d) and what is added, like x")
}

func (o BatchNormOp) Kernel([]Shape) Kernel {
	var rstd []float32
	m, relu := o.Moments, o.ReLU
	k := Kernel{
		NotSaved: []int{3},
		InPlace:  true,
		Forward: func(y []float32, in [][]float32) {
			d := len(in[1])
			if len(m.Mean) != d {
				m.Mean, m.rest, m.Variance, rstd = make([]float32, d), make([]float32, d), make([]float32, d), make([]float32, d)
			}
			m.Rows = len(y) / d
			kernel.Moments(m.Mean, m.rest, m.Variance, in[0])
			kernel.Rstd(rstd, m.Variance, batchNormEps)
			kernel.BatchNorm(y, in[0], last(in, 3), m.Mean, m.rest, rstd, in[1], in[2], relu)
		},
		Lower: func(l *Lowering, in []*graph.Node) *graph.Node {
			x, d := in[0], in[1].Shape().Size()
			rows := graph.Reshape(x, x.Shape().Size()/d, d)
			mean := graph.ReduceMean(rows, 0)
			about := graph.Sub(rows, alike(mean, rows))
			rest := graph.ReduceMean(about, 0) // the error of mean, far from zero
			about, mean = graph.Sub(about, alike(rest, rows)), graph.Add(mean, rest)
			variance := graph.ReduceMean(graph.Square(about), 0)
			l.moments[m] = LoweredMoments{x.Shape().Size() / d, mean, variance}
			scale := graph.Mul(in[1], inverseRoot(variance, batchNormEps))
			y := graph.Add(graph.Mul(about, alike(scale, rows)), alike(in[2], rows))
			return added(graph.Reshape(y, x.Shape().Dimensions...), in[3:], relu)
		},
		Backward: func(d [][]float32, dy, y []float32, in [][]float32) {
			kernel.BatchNormGrad(d[0], last(d, 3), d[1], d[2], dy, y, in[0], m.Mean, m.rest, rstd, in[1], in[2], relu)
		},
	}
	if !o.Add { // half of a residual network's results; with add, what is added would have to stay instead
		k.Recompute = func(y []float32, in [][]float32) {
			kernel.BatchNorm(y, in[0], nil, m.Mean, m.rest, rstd, in[1], in[2], relu)
		}
	}
	if !o.Add || !relu { // what ReLU let through follows from x, or is everything
		k.NotSaved = []int{3, Output}
	}
	return k
}

// added returns y, plus what is in add, if anything, and no less than zero if relu.
func added(y *graph.Node, add []*graph.Node, relu bool) *graph.Node {
	if len(add) > 0 {
		y = graph.Add(y, add[0])
	}
	if relu {
		zero := graph.ZerosLike(y)
		y = graph.Where(graph.LessOrEqual(y, zero), zero, y) // NaN stays
	}
	return y
}

// last returns list[i], or nil where the list is shorter.
func last(list [][]float32, i int) []float32 {
	if i < len(list) {
		return list[i]
	}
	return nil
}
