package op

import "github.com/attnconv/attnconv/internal/kernel"

// GELU returns y[i,j] = g(x[i,j] + b[j]) with g(u) = u·½(1 + erf(u/√2)), the exact form; backward, dx = dy·g'(x + b)
// and db = Σ dx over rows.
//
// x (…, d), b (d) -> y (…, d)
func GELU(x, b *Node) *Node { return apply(gelu, x, b) }

var gelu = def{
	name: "gelu",
	want: "x (…, d) and b (d)",
	shape: func(in []Shape) (Shape, bool) {
		x := in[0]
		return x, x.Dims() > 0 && in[1].Eq(x[x.Dims()-1:])
	},
	unread: []int{output},
	fwd:    func(y []float32, in [][]float32) { kernel.GELU(y, in[0], in[1]) },
	bwd: func(d [][]float32, dy, _ []float32, in [][]float32) {
		kernel.GELUGrad(d[0], dy, in[0], in[1])
		kernel.SumRows(d[1], d[0])
	},
}
