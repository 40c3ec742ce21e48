package op

import (
	"fmt"

	"github.com/attnconv/attnconv/internal/gemm"
	"github.com/attnconv/attnconv/internal/kernel/vec"
)

// A ShiftTable says how queries meet a table of vectors for shifts: each head by its channels from First on, for the
// shifts within so many tokens.
type ShiftTable struct {
	Heads, First, Tokens int
	Scale                float32
}

// meets reports whether the table has a vector for each shift, of elements that heads of wide channels together have.
func (s ShiftTable) meets(table Shape, wide int) bool {
	return table.Dims() == 2 && table[0]%2 == 1 && s.Tokens <= table[0]/2+1 &&
		(table[1] == wide && s.First == 0 || s.First+table[1] <= wide/s.Heads)
}

// ShiftsOfOp is what each query gives each shift within n tokens, by its channels from first on:
//
//	y[t, h, δ+n-1] = scale·Σ_p q[t, h, first+p]·r[δ, p],  |δ| < n
//
// q (batch, T, heads·d), r (2m-1, p) with m at least n, or (2m-1, heads·d), vectors for each head, with first = 0
// -> y (batch, T, heads·(2n-1)); backward, dq = scale·Σ_δ dy·r and dr = scale·Σ_t dy·q.
type ShiftsOfOp struct{ ShiftTable }

func (o ShiftsOfOp) String() string {
	return fmt.Sprintf("shifts-of{%d,%d,%d,%v}", o.Heads, o.First, o.Tokens, o.Scale)
}

func (o ShiftsOfOp) Shape(in []Shape) (Shape, error) {
	q, table := in[0], in[1]
	var out Shape
	ok := q.Dims() == 3 && q[2]%o.Heads == 0 && o.meets(table, q[2])
	if ok {
		out = Shape{q[0], q[1], o.Heads * (2*o.Tokens - 1)}
	}
	return fits(o, in, ok, out, fmt.Sprintf("q (batch, T, heads·d), r (2m-1, p) with m at least %d", o.Tokens))
}

// Cost counts by definition the shifts to the keys that there are, and as it runs all of the grid's.
func (o ShiftsOfOp) Cost(n *Node) Cost {
	q, width := n.in[0].shape, n.in[1].shape[1]
	if width != q[2] { // not vectors for each head
		width *= o.Heads
	}
	tokens := q[0] * q[1]
	return Cost{Definition: tokens * o.Tokens * width, Run: tokens * (2*o.Tokens - 1) * width}
}

func (o ShiftsOfOp) Kernel(in []Shape) Kernel {
	table, heads, n := in[1], o.Heads, o.Tokens
	rows, wide, shifts := in[0][0]*in[0][1], in[0][2], 2*n-1
	d, p := wide/heads, table[1]
	own := table[1] == wide // vectors for each head
	if own {
		p = d
	}
	query := func(x []float32, h int) gemm.Mat {
		return gemm.Matrix(x, rows, wide).Block(0, h*d+o.First, rows, p)
	}
	vectors := func(x []float32, h int) gemm.Mat {
		if !own {
			h = 0
		}
		return gemm.Matrix(x, table[0], table[1]).Block(table[0]/2-(n-1), h*d, shifts, p)
	}
	scores := func(x []float32, h int) gemm.Mat {
		return gemm.Matrix(x, rows, heads*shifts).Block(0, h*shifts, rows, shifts)
	}
	return Kernel{
		NotSaved: []int{Output},
		Forward: func(y []float32, in [][]float32) {
			for h := range heads {
				gemm.Mul(scores(y, h), query(in[0], h), vectors(in[1], h).T())
			}
			vec.Scale(o.Scale, y)
		},
		Backward: func(g [][]float32, dy, _ []float32, in [][]float32) {
			clear(g[0])
			clear(g[1])
			for h := range heads {
				gemm.Plan{Add: true}.Mul(query(g[0], h), scores(dy, h), vectors(in[1], h))
				gemm.Plan{Add: true}.Mul(vectors(g[1], h), scores(dy, h).T(), query(in[0], h))
			}
			vec.Scale(o.Scale, g[0])
			vec.Scale(o.Scale, g[1])
		},
	}
}
