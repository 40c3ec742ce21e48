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
	in := []*Node{x, gamma, beta}
	if add != nil {
		in = append(in, add)
	}
	return apply(batchNorm(add != nil, relu, m), in...)
}

func batchNorm(adds, relu bool, m *Moments) def {
	var rstd []float32
	d := def{
		name: fmt.Sprintf("batch-norm{add=%t,relu=%t}", adds, relu),
		want: "x (…, d), gamma (d), beta (d) and what is added, like x",
		shape: func(in []Shape) (Shape, bool) {
			x := in[0]
			ok := x.Dims() > 1 && in[1].Eq(x[x.Dims()-1:]) && in[2].Eq(in[1]) && (len(in) < 4 || in[3].Eq(x))
			return x, ok
		},
		unread: []int{3},
		over:   true,
		fwd: func(y []float32, in [][]float32) {
			d := len(in[1])
			if len(m.Mean) != d {
				m.Mean, m.rest, m.Variance, rstd = make([]float32, d), make([]float32, d), make([]float32, d), make([]float32, d)
			}
			m.Rows = len(y) / d
			kernel.Moments(m.Mean, m.rest, m.Variance, in[0])
			kernel.Rstd(rstd, m.Variance, batchNormEps)
			kernel.BatchNorm(y, in[0], last(in, 3), m.Mean, m.rest, rstd, in[1], in[2], relu)
		},
		lower: func(l *Lowering, in []*graph.Node) *graph.Node {
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
		bwd: func(d [][]float32, dy, y []float32, in [][]float32) {
			kernel.BatchNormGrad(d[0], last(d, 3), d[1], d[2], dy, y, in[0], m.Mean, m.rest, rstd, in[1], in[2], relu)
		},
	}
	if !adds { // half of a residual network's results; with add, what is added would have to stay instead
		d.again = func(y []float32, in [][]float32) {
			kernel.BatchNorm(y, in[0], nil, m.Mean, m.rest, rstd, in[1], in[2], relu)
		}
	}
	if !adds || !relu { // what ReLU let through follows from x, or is everything
		d.unread = []int{3, output}
	}
	return d
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

// FoldNorm returns what a batch norm with running statistics does to each channel: y = scale·x + shift,
//
//	scale = γ/√(variance + 1e-5),  shift = β - mean·scale
//
// γ, β, mean, variance (d) -> (2, d), scales before shifts. It has no gradient.
func FoldNorm(gamma, beta, mean, variance *Node) *Node {
	return apply(foldNorm, gamma, beta, mean, variance)
}

var foldNorm = def{
	name: "fold-norm",
	want: "gamma, beta, mean and variance (d)",
	shape: func(in []Shape) (Shape, bool) {
		ok := in[0].Dims() == 1 && in[1].Eq(in[0]) && in[2].Eq(in[0]) && in[3].Eq(in[0])
		return append(Shape{2}, in[0]...), ok
	},
	lower: func(_ *Lowering, in []*graph.Node) *graph.Node {
		scale := graph.Mul(in[0], inverseRoot(in[3], batchNormEps))
		return graph.Stack([]*graph.Node{scale, graph.Sub(in[1], graph.Mul(in[2], scale))}, 0)
	},
	fwd: func(y []float32, in [][]float32) {
		d := len(in[0])
		scale, shift := y[:d], y[d:]
		kernel.Rstd(scale, in[3], batchNormEps)
		for i, gamma := range in[0] {
			scale[i] *= gamma
			shift[i] = in[1][i] - in[2][i]*scale[i]
		}
	},
}
