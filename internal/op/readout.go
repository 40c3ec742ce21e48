package op

import (
	"github.com/attnconv/attnconv/internal/kernel/threads"
	"github.com/attnconv/attnconv/internal/kernel/vec"
)

// WithTokenOp puts a token before those of each image.
type WithTokenOp struct{}

func (WithTokenOp) String() string { return "with-token" }

func (o WithTokenOp) Shape(in []Shape) (Shape, error) {
	var out Shape
	ok := hasDims(in, 3, 1) && in[1][0] == in[0][2]
	if ok {
		out = Shape{in[0][0], in[0][1] + 1, in[0][2]}
	}
	return fits(o, in, ok, out, "x (batch, tokens, d) and a token (d)")
}

func (WithTokenOp) Cost(*Node) Cost { return Cost{} }

func (WithTokenOp) Kernel(in []Shape) Kernel {
	batch, d, size := in[0][0], in[0][2], in[0][1]*in[0][2]
	return Kernel{
		NotSaved: []int{0, 1, Output},
		Forward: func(y []float32, in [][]float32) {
			for b := range batch {
				copy(y[b*(size+d):], in[1])
				copy(y[b*(size+d)+d:], nth(in[0], b, size))
			}
		},
		Backward: func(g [][]float32, dy, _ []float32, _ [][]float32) {
			clear(g[1])
			for b := range batch {
				vec.Add(g[1], dy[b*(size+d):][:d])
				copy(nth(g[0], b, size), dy[b*(size+d)+d:])
			}
		},
	}
}

// FirstTokenOp is the first token of each image.
type FirstTokenOp struct{}

func (FirstTokenOp) String() string { return "first-token" }

func (o FirstTokenOp) Shape(in []Shape) (Shape, error) {
	var out Shape
	ok := hasDims(in, 3) && in[0][1] > 0
	if ok {
		out = Shape{in[0][0], in[0][2]}
	}
	return fits(o, in, ok, out, "x (batch, tokens, d)")
}

func (FirstTokenOp) Cost(*Node) Cost { return Cost{Field: Field{Whole: true}} }

func (FirstTokenOp) Kernel(in []Shape) Kernel {
	batch, d, size := in[0][0], in[0][2], in[0][1]*in[0][2]
	return Kernel{
		NotSaved: []int{0, Output},
		Forward: func(y []float32, in [][]float32) {
			for b := range batch {
				copy(nth(y, b, d), nth(in[0], b, size))
			}
		},
		Backward: func(g [][]float32, dy, _ []float32, _ [][]float32) {
			clear(g[0])
			for b := range batch {
				copy(nth(g[0], b, size), nth(dy, b, d))
			}
		},
	}
}

// WeightTokensOp is y[b] = Σ_t p[b,t]·x[b,t].
type WeightTokensOp struct{}

func (WeightTokensOp) String() string { return "weight-tokens" }

func (o WeightTokensOp) Shape(in []Shape) (Shape, error) {
	var out Shape
	ok := hasDims(in, 3, 2) && in[1].Eq(Shape{in[0][0], in[0][1]})
	if ok {
		out = Shape{in[0][0], in[0][2]}
	}
	return fits(o, in, ok, out, "x (batch, tokens, d) and weights (batch, tokens)")
}

func (WeightTokensOp) Cost(n *Node) Cost { return mixing(n.in[0].shape.TotalSize()) }

func (WeightTokensOp) Kernel(in []Shape) Kernel {
	batch, tokens, d := in[0][0], in[0][1], in[0][2]
	return Kernel{
		NotSaved: []int{Output},
		Forward: func(y []float32, in [][]float32) {
			clear(y)
			threads.Parallel(batch, func(b int) {
				for t := b * tokens; t < (b+1)*tokens; t++ {
					vec.Axpy(in[1][t], nth(in[0], t, d), nth(y, b, d))
				}
			})
		},
		Backward: func(g [][]float32, dy, _ []float32, in [][]float32) {
			clear(g[0])
			threads.Parallel(batch, func(b int) {
				for t := b * tokens; t < (b+1)*tokens; t++ {
					vec.Axpy(in[1][t], nth(dy, b, d), nth(g[0], t, d))
					g[1][t] = vec.Dot(nth(in[0], t, d), nth(dy, b, d))
				}
			})
		},
	}
}
