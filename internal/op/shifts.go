package op

import (
	"fmt"
)

// ShiftScoresOp is A[h,q,k] = s[h, k-q + (m-1)], 0 ≤ q, k < n ≤ m, for every query and key along one axis; backward,
// ds[h, δ+(m-1)] = Σ_q dA[h,q,q+δ].
type ShiftScoresOp struct{ Heads, Tokens int }

func (o ShiftScoresOp) String() string { return fmt.Sprintf("shift-scores{%d,%d}", o.Heads, o.Tokens) }

func (o ShiftScoresOp) Shape(in []Shape) (Shape, error) {
	shifts := in[0].TotalSize() / max(1, o.Heads)
	ok := in[0].TotalSize() == o.Heads*shifts && shifts%2 == 1 && o.Tokens <= shifts/2+1
	return fits(o, in, ok, Shape{o.Heads, o.Tokens, o.Tokens},
		fmt.Sprintf("scores (%d, 2m-1) with m at least %d", o.Heads, o.Tokens))
}

// Cost counts none. The paper's does where the scores are a map of vectors, one for each shift: the reference gathers a
// vector for each pair of positions before it maps them.
func (o ShiftScoresOp) Cost(n *Node) Cost {
	if m := n.in[0]; m.op == (LinearOp{}) {
		return Cost{Paper: o.Tokens * o.Tokens * m.in[0].shape.TotalSize()}
	}
	return Cost{}
}

func (o ShiftScoresOp) Kernel(in []Shape) Kernel {
	heads, n := o.Heads, o.Tokens
	shifts := in[0].TotalSize() / heads
	zero := shifts / 2
	each := func(f func(a, s int)) {
		for h := range heads {
			for q := range n {
				for k := range n {
					f((h*n+q)*n+k, h*shifts+k-q+zero)
				}
			}
		}
	}
	return Kernel{
		NotSaved: []int{0, Output},
		Forward:  func(y []float32, in [][]float32) { each(func(a, s int) { y[a] = in[0][s] }) },
		Backward: func(d [][]float32, dy, _ []float32, _ [][]float32) {
			clear(d[0])
			each(func(a, s int) { d[0][s] += dy[a] })
		},
	}
}
