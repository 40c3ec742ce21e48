package op

import "github.com/attnconv/attnconv/internal/kernel/vec"

// ResidualNormOp is the layer norm of x + drop(y):
//
//	z = x + drop(y),  out = γ·(z - μ)/√(σ² + 1e-12) + β,  μ and σ² over the last axis
//
// It keeps μ and 1/σ of each row, and redraws the mask in backward.
type ResidualNormOp struct{ Drop Dropout }

func (o ResidualNormOp) String() string { return "residual-norm" + o.Drop.String() }

func (o ResidualNormOp) Shape(in []Shape) (Shape, error) {
	x := in[0]
	ok := x.Dims() > 0 && in[1].Eq(x) && in[2].Eq(x[x.Dims()-1:]) && in[3].Eq(in[2])
	return fits(o, in, ok, x, "x (…, d), y like x, gamma (d) and beta (d)")
}

func (ResidualNormOp) Cost(*Node) Cost { return Cost{} }

func (o ResidualNormOp) Kernel(in []Shape) Kernel {
	drop := o.Drop
	perImage := in[0][1:].TotalSize() / max(1, in[2].TotalSize()) // rows
	var mean, rstd []float32
	return Kernel{
		NotSaved: []int{3, Output},
		InPlace:  true,
		Forward: func(out []float32, in [][]float32) {
			if rows := len(out) / len(in[2]); len(mean) != rows {
				mean, rstd = make([]float32, rows), make([]float32, rows)
			}
			vec.ResidualNorm(out, mean, rstd, in[0], in[1], in[2], in[3], drop.rows(perImage))
		},
		Backward: func(d [][]float32, dout, _ []float32, in [][]float32) {
			vec.ResidualNormGrad(d[0], d[1], d[2], d[3], dout, in[0], in[1], mean, rstd, in[2], drop.rows(perImage))
		},
	}
}

// LayerNormOp is γ·(x - μ)/√(σ² + 1e-12) + β, μ and σ² over the last axis. It keeps μ and 1/σ of each row.
type LayerNormOp struct{}

func (LayerNormOp) String() string { return "layer-norm" }

func (o LayerNormOp) Shape(in []Shape) (Shape, error) {
	x := in[0]
	ok := x.Dims() > 0 && in[1].Eq(x[x.Dims()-1:]) && in[2].Eq(in[1])
	return fits(o, in, ok, x, "x (…, d), gamma (d) and beta (d)")
}

func (LayerNormOp) Cost(*Node) Cost { return Cost{} }

func (LayerNormOp) Kernel(in []Shape) Kernel {
	rows := in[0].TotalSize() / max(1, in[1].TotalSize())
	mean, rstd := make([]float32, rows), make([]float32, rows)
	return Kernel{
		NotSaved: []int{2, Output},
		InPlace:  true,
		Forward: func(y []float32, in [][]float32) {
			vec.ResidualNorm(y, mean, rstd, in[0], nil, in[1], in[2], vec.Dropout{})
		},
		Backward: func(d [][]float32, dy, _ []float32, in [][]float32) {
			vec.ResidualNormGrad(d[0], nil, d[1], d[2], dy, in[0], nil, mean, rstd, in[1], vec.Dropout{})
		},
	}
}
