package op

import (
	"fmt"

	"github.com/attnconv/attnconv/internal/kernel/vec"
)

// BatchNormEps is what a batch norm adds to the variance: PyTorch's.
const BatchNormEps = 1e-5

// Moments are the mean and the variance (biased) of each channel over the rows of one batch.
type Moments struct {
	Rows           int
	Mean, Variance []float32
	rest           []float32 // what float32 cannot hold of Mean
}

// Unbiased is what the biased variance of so many rows is multiplied by.
func Unbiased(rows int) float32 { return float32(rows) / float32(max(1, rows-1)) }

// Move moves running statistics by rate towards those of m, with the unbiased variance. They stay if no batch was
// measured: no result depends on the norm, or it was taken in before.
func (m *Moments) Move(mean, variance []float32, rate float32) {
	if m.Rows == 0 {
		return
	}
	vec.Scale(Unbiased(m.Rows), m.Variance)
	vec.Blend(mean, m.Mean, rate)
	vec.Blend(variance, m.Variance, rate)
	m.Rows = 0
}

// BatchNormOp normalizes each channel over the batch:
//
//	z = γ·(x - μ)/√(σ² + 1e-5) + β + add,  y = max(0, z) if relu, else z,  μ and σ² over all axes but the last
//
// add may be absent. Each run leaves μ and σ² in Moments, for the running statistics.
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

func (BatchNormOp) Cost(*Node) Cost { return Cost{} }

func (o BatchNormOp) Kernel([]Shape) Kernel {
	var rstd []float32
	m, relu := o.Moments, o.ReLU
	k := Kernel{
		NotSaved: []int{3},
		InPlace:  true,
		Forward: func(y []float32, in [][]float32) {
			d := len(in[1])
			if len(m.Mean) != d {
				m.Mean, m.rest, m.Variance = make([]float32, d), make([]float32, d), make([]float32, d)
			}
			if len(rstd) != d { // the moments may have been another kernel's, of the same norm emitted before
				rstd = make([]float32, d)
			}
			m.Rows = len(y) / d
			vec.Moments(m.Mean, m.rest, m.Variance, in[0])
			vec.Rstd(rstd, m.Variance, BatchNormEps)
			vec.BatchNorm(y, in[0], last(in, 3), m.Mean, m.rest, rstd, in[1], in[2], relu)
		},
		Backward: func(d [][]float32, dy, y []float32, in [][]float32) {
			vec.BatchNormGrad(d[0], last(d, 3), d[1], d[2], dy, y, in[0], m.Mean, m.rest, rstd, in[1], in[2], relu)
		},
	}
	if !o.Add { // half of a residual network's results; with add, what is added would have to stay instead
		k.Recompute = func(y []float32, in [][]float32) {
			vec.BatchNorm(y, in[0], nil, m.Mean, m.rest, rstd, in[1], in[2], relu)
		}
	}
	if !o.Add || !relu { // what ReLU let through follows from x, or is everything
		k.NotSaved = []int{3, Output}
	}
	return k
}

// last returns list[i], or nil where the list is shorter.
func last(list [][]float32, i int) []float32 {
	if i < len(list) {
		return list[i]
	}
	return nil
}
