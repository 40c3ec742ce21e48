package op

import "fmt"

// ShiftScores lays the scores of each shift out as scores of every query and key along one axis:
//
//	A[h,q,k] = s[h, k-q + (m-1)],  0 ≤ q, k < n ≤ m;  backward, ds[h, δ+(m-1)] = Σ_q dA[h,q,q+δ]
//
// s (heads, 2m-1), or as many numbers -> A (heads, n, n)
func ShiftScores(s *Node, heads, n int) *Node { return apply(shiftScores(s.Shape(), heads, n), s) }

func shiftScores(s Shape, heads, n int) def {
	shifts := s.TotalSize() / heads
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
	return def{
		name: fmt.Sprintf("shift-scores{%d,%d}", heads, n),
		want: fmt.Sprintf("scores (%d, 2m-1) with m at least %d", heads, n),
		shape: func([]Shape) (Shape, bool) {
			return Shape{heads, n, n}, s.TotalSize() == heads*shifts && shifts%2 == 1 && n <= zero+1
		},
		unread: []int{0, output},
		fwd:    func(y []float32, in [][]float32) { each(func(a, s int) { y[a] = in[0][s] }) },
		bwd: func(d [][]float32, dy, _ []float32, _ [][]float32) {
			clear(d[0])
			each(func(a, s int) { d[0][s] += dy[a] })
		},
	}
}
