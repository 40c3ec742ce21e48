package op

import (
	"github.com/gomlx/gomlx/core/graph"

	"github.com/attnconv/attnconv/internal/kernel"
)

// AddToEach returns y[b] = x[b] + e: the same for every image of a batch.  x (batch, …), e (…) -> y (batch, …)
func AddToEach(x, e *Node) *Node { return apply(addToEach, x, e) }

var addToEach = def{
	name:   "add-to-each",
	want:   "x (batch, …) and e (…)",
	shape:  func(in []Shape) (Shape, bool) { return in[0], in[0].Dims() > 1 && in[0][1:].Eq(in[1]) },
	unread: []int{0, 1, output},
	over:   true,
	fwd:    func(y []float32, in [][]float32) { kernel.AddRow(y, in[0], in[1]) },
	lower:  func(_ *Lowering, in []*graph.Node) *graph.Node { return graph.Add(in[0], alike(in[1], in[0])) },
	bwd: func(d [][]float32, dy, _ []float32, _ [][]float32) {
		if d[1] != nil {
			kernel.SumRows(d[1], dy)
		}
		if d[0] != nil {
			copy(d[0], dy)
		}
	},
}
