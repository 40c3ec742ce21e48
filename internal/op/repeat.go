package op

import (
	"fmt"

	"github.com/gomlx/gomlx/core/graph"

	"github.com/attnconv/attnconv/internal/kernel"
)

// Repeat gives every token of a batch the same numbers.  v (n) -> y (batch, tokens, n)
func Repeat(v *Node, batch, tokens int) *Node { return apply(repeat(batch, tokens), v) }

func repeat(batch, tokens int) def {
	return def{
		name:   fmt.Sprintf("repeat{%d,%d}", batch, tokens),
		want:   "v (n)",
		shape:  func(in []Shape) (Shape, bool) { return append(Shape{batch, tokens}, in[0]...), in[0].Dims() == 1 },
		unread: []int{0, output},
		fwd: func(y []float32, in [][]float32) {
			for len(y) > 0 {
				y = y[copy(y, in[0]):]
			}
		},
		lower: func(_ *Lowering, in []*graph.Node) *graph.Node {
			return graph.BroadcastPrefix(in[0], batch, tokens)
		},
		bwd: func(d [][]float32, dy, _ []float32, _ [][]float32) { kernel.SumRows(d[0], dy) },
	}
}
