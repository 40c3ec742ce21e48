package op

import (
	"fmt"

	"github.com/gomlx/gomlx/core/graph"

	"github.com/attnconv/attnconv/internal/kernel"
)

// SpaceToDepth turns each s × s square of pixels into one token, without loss:
//
//	y[b, I·(cols/s)+J, (dh·s+dw)·ch + c] = x[b, s·I+dh, s·J+dw, c],  0 ≤ dh, dw < s
//
// x (batch, rows, cols, ch) -> y (batch, rows/s · cols/s, s²·ch)
func SpaceToDepth(x *Node, s int) *Node { return apply(spaceToDepth(x.Shape(), s), x) }

func spaceToDepth(x Shape, s int) def {
	return def{
		name: fmt.Sprintf("space-to-depth{%d}", s),
		want: fmt.Sprintf("x (batch, rows, cols, channels) with rows and cols divisible by %d", s),
		shape: func(in []Shape) (Shape, bool) {
			if x.Dims() != 4 || x[1]%s != 0 || x[2]%s != 0 {
				return nil, false
			}
			return Shape{x[0], x[1] / s * (x[2] / s), s * s * x[3]}, true
		},
		unread: []int{0, output},
		fwd:    func(y []float32, in [][]float32) { kernel.SpaceToDepth(y, in[0], x[1], x[2], x[3], s) },
		lower: func(_ *Lowering, in []*graph.Node) *graph.Node {
			squares := graph.Reshape(in[0], x[0], x[1]/s, s, x[2]/s, s, x[3])
			tokens := x[1] / s * (x[2] / s)
			return graph.Reshape(graph.TransposeAllAxes(squares, 0, 1, 3, 2, 4, 5), x[0], tokens, s*s*x[3])
		},
		bwd: func(d [][]float32, dy, _ []float32, _ [][]float32) {
			kernel.DepthToSpace(d[0], dy, x[1], x[2], x[3], s)
		},
	}
}

// AsGrid gives tokens their rows and columns back.  x (batch, rows·cols, d) -> y (batch, rows, cols, d)
func AsGrid(x *Node, rows, cols int) *Node { return apply(asGrid(x.Shape(), rows, cols), x) }

func asGrid(x Shape, rows, cols int) def {
	return def{
		name: "as-grid",
		want: fmt.Sprintf("x (batch, %d, d)", rows*cols),
		shape: func([]Shape) (Shape, bool) {
			if x.Dims() != 3 || x[1] != rows*cols {
				return nil, false
			}
			return Shape{x[0], rows, cols, x[2]}, true
		},
		unread: []int{0, output},
		fwd:    func(y []float32, in [][]float32) { copy(y, in[0]) },
		lower:  func(_ *Lowering, in []*graph.Node) *graph.Node { return graph.Reshape(in[0], x[0], rows, cols, x[2]) },
		bwd:    func(d [][]float32, dy, _ []float32, _ [][]float32) { copy(d[0], dy) },
	}
}

// MeanTokens returns y[b] = (1/T)·Σ_t x[b,t], the mean of the tokens or pixels of each image.
//
// x (batch, …, d) -> y (batch, d)
func MeanTokens(x *Node) *Node { return apply(meanTokens(x.Shape()), x) }

func meanTokens(x Shape) def {
	d := x[len(x)-1]
	tokens := x.TotalSize() / max(1, x[0]*d)
	return def{
		name:   "mean-tokens",
		want:   "x (batch, …, d)",
		shape:  func(in []Shape) (Shape, bool) { return Shape{x[0], d}, x.Dims() > 2 },
		unread: []int{0, output},
		fwd:    func(y []float32, in [][]float32) { kernel.MeanTokens(y, in[0], tokens, d) },
		lower: func(_ *Lowering, in []*graph.Node) *graph.Node {
			return graph.ReduceMean(graph.Reshape(in[0], x[0], tokens, d), 1)
		},
		bwd: func(dx [][]float32, dy, _ []float32, _ [][]float32) { kernel.MeanTokensGrad(dx[0], dy, tokens, d) },
	}
}
