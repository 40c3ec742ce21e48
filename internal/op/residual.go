package op

import (
	"github.com/attnconv/attnconv/internal/kernel/threads"
	"github.com/attnconv/attnconv/internal/kernel/vec"
)

// ResidualOp is z = x + drop(y). It redraws the mask in backward.
type ResidualOp struct{ Drop Dropout }

func (o ResidualOp) String() string { return "residual" + o.Drop.String() }

func (o ResidualOp) Shape(in []Shape) (Shape, error) {
	return fits(o, in, in[0].Dims() > 1 && in[1].Eq(in[0]), in[0], "x (batch, …, d), and y like x")
}

func (ResidualOp) Cost(*Node) Cost { return Cost{} }

func (o ResidualOp) Kernel(in []Shape) Kernel {
	x := in[0]
	d := x[x.Dims()-1]
	perImage := x[1:].TotalSize() / max(1, d)
	masked := func(to, from []float32) {
		mask := o.Drop.rows(perImage)
		threads.Blocks(len(to)/d, 64, func(lo, hi int) {
			vec.MaskRows(to[lo*d:hi*d], from[lo*d:hi*d], d, mask, uint32(lo))
		})
	}
	return Kernel{
		NotSaved: []int{0, 1, Output},
		Forward: func(z []float32, in [][]float32) {
			masked(z, in[1])
			vec.Add(z, in[0])
		},
		Backward: func(g [][]float32, dz, _ []float32, _ [][]float32) {
			copy(g[0], dz)
			masked(g[1], dz)
		},
	}
}
