package op

import (
	"fmt"

	"github.com/attnconv/attnconv/internal/gemm"
	"github.com/attnconv/attnconv/internal/kernel/vec"
)

// ContentScoresOp is Scale·q[q]·k[k] of every pair, for taps: nothing trains through it.
type ContentScoresOp struct {
	Heads Heads
	Scale float32
}

func (o ContentScoresOp) String() string {
	return fmt.Sprintf("content-scores{%v,%v}", o.Heads, o.Scale)
}

func (o ContentScoresOp) Shape(in []Shape) (Shape, error) {
	query, key := in[0], in[1]
	tokens := o.Heads.tokens()
	ok := hasDims(in, 3, 3) && query[1] == tokens && query[2]%o.Heads.Count == 0 &&
		(key.Eq(query) || key.Eq(Shape{query[0], tokens, query[2] / o.Heads.Count}))
	return fits(o, in, ok, Shape{query[0], o.Heads.Count, tokens, tokens},
		"queries (batch, tokens, heads·d) and keys (batch, tokens, d) or (batch, tokens, heads·d)")
}

func (o ContentScoresOp) Cost(n *Node) Cost {
	return mixing(n.shape.TotalSize() * n.in[0].shape[2] / o.Heads.Count)
}

func (o ContentScoresOp) Kernel(in []Shape) Kernel {
	query, key, heads, tokens := in[0], in[1], o.Heads.Count, o.Heads.tokens()
	d := query[2] / heads
	head := func(x []float32, s Shape, b, h int) gemm.Mat { // its part of image b, or all heads' key
		if s[2] == d {
			h = 0
		}
		return gemm.Matrix(x[b*tokens*s[2]:(b+1)*tokens*s[2]], tokens, s[2]).Block(0, h*d, tokens, d)
	}
	return Kernel{
		Forward: func(y []float32, in [][]float32) {
			for i := range query[0] * heads {
				to := gemm.Matrix(y[i*tokens*tokens:(i+1)*tokens*tokens], tokens, tokens)
				gemm.Mul(to, head(in[0], query, i/heads, i%heads), head(in[1], key, i/heads, i%heads).T())
			}
			vec.Scale(o.Scale, y)
		},
	}
}

// ShiftPairScoresOp is row[q, δ1] + col[q, δ2] of every pair, for taps: nothing trains through it.
type ShiftPairScoresOp struct{ Heads Heads }

func (o ShiftPairScoresOp) String() string { return fmt.Sprintf("shift-pair-scores{%v}", o.Heads) }

func (o ShiftPairScoresOp) Shape(in []Shape) (Shape, error) {
	h, tokens := o.Heads, o.Heads.tokens()
	ok := hasDims(in, 3, 3) && in[0].Eq(Shape{in[0][0], tokens, h.Count * (2*h.Rows - 1)}) &&
		in[1].Eq(Shape{in[0][0], tokens, h.Count * (2*h.Cols - 1)})
	return fits(o, in, ok, Shape{in[0][0], h.Count, tokens, tokens},
		"scores of shifts along rows and columns (batch, tokens, heads·(2n-1))")
}

func (ShiftPairScoresOp) Cost(*Node) Cost { return Cost{} }

func (o ShiftPairScoresOp) Kernel([]Shape) Kernel {
	h := o.Heads
	tokens, rowShifts, colShifts := h.tokens(), 2*h.Rows-1, 2*h.Cols-1
	return Kernel{
		Forward: func(y []float32, in [][]float32) {
			for i := range y {
				n, q, k := i/(tokens*tokens), i/tokens%tokens, i%tokens // n counts images and heads
				from := (n/h.Count*tokens+q)*h.Count + n%h.Count
				row, col := k/h.Cols-q/h.Cols+h.Rows-1, k%h.Cols-q%h.Cols+h.Cols-1
				y[i] = in[0][from*rowShifts+row] + in[1][from*colShifts+col]
			}
		},
	}
}
