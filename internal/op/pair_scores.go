package op

import (
	"fmt"

	"github.com/attnconv/attnconv/internal/kernel"
)

// ContentScores returns Scale·Query[q]·Key[k] of every pair: for looking at them. Nothing trains through it.
//
// t of one image -> (heads, tokens, tokens), the keys last
func ContentScores(t Terms, heads Heads) *Node {
	return apply(contentScores(t.Query.Shape(), t.Key.Shape(), t.Scale, heads), t.Query, t.Key)
}

func contentScores(query, key Shape, scale float32, h Heads) def {
	tokens, d := h.Rows*h.Cols, query[2]/h.Count
	return def{
		name: fmt.Sprintf("content-scores{%v,%v}", h, scale),
		want: "queries (1, tokens, heads·d) and keys (1, tokens, d) or (1, tokens, heads·d)",
		shape: func([]Shape) (Shape, bool) {
			return Shape{h.Count, tokens, tokens}, query.Eq(Shape{1, tokens, h.Count * d}) &&
				(key.Eq(query) || key.Eq(Shape{1, tokens, d}))
		},
		fwd: func(y []float32, in [][]float32) {
			for n := range h.Count {
				at := 0
				if key[2] != d {
					at = n * d
				}
				q := kernel.Matrix(in[0], tokens, query[2]).Block(0, n*d, tokens, d)
				k := kernel.Matrix(in[1], tokens, key[2]).Block(0, at, tokens, d)
				kernel.Mul(kernel.Matrix(y[n*tokens*tokens:(n+1)*tokens*tokens], tokens, tokens), q, k.T())
			}
			kernel.Scale(scale, y)
		},
	}
}

// ShiftPairScores returns Row[q, δ1] + Col[q, δ2] of every pair: for looking at them. Nothing trains through it.
//
// t of one image -> (heads, tokens, tokens), the keys last
func ShiftPairScores(t Terms, heads Heads) *Node {
	return apply(shiftPairScores(heads), t.Row, t.Col)
}

func shiftPairScores(h Heads) def {
	tokens, rowShifts, colShifts := h.Rows*h.Cols, 2*h.Rows-1, 2*h.Cols-1
	return def{
		name: fmt.Sprintf("shift-pair-scores{%v}", h),
		want: "scores of shifts along rows and columns (1, tokens, heads·(2n-1))",
		shape: func(in []Shape) (Shape, bool) {
			return Shape{h.Count, tokens, tokens}, in[0].Eq(Shape{1, tokens, h.Count * rowShifts}) &&
				in[1].Eq(Shape{1, tokens, h.Count * colShifts})
		},
		fwd: func(y []float32, in [][]float32) {
			for i := range y {
				n, q, k := i/(tokens*tokens), i/tokens%tokens, i%tokens
				row, col := k/h.Cols-q/h.Cols+h.Rows-1, k%h.Cols-q%h.Cols+h.Cols-1
				y[i] = in[0][(q*h.Count+n)*rowShifts+row] + in[1][(q*h.Count+n)*colShifts+col]
			}
		},
	}
}
