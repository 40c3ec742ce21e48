package op

import "fmt"

// ShiftScores lays the scores of each shift out as scores of every query and key along one axis:
//
//	A[h,q,k] = s[k-q + (m-1), h],  0 ≤ q, k < n ≤ m;  backward, ds[δ+(m-1), h] = Σ_q dA[h,q,q+δ]
//
// s (2m-1, heads) -> A (heads, n, n)
func ShiftScores(s *Node, n int) *Node { return apply(shiftScores(s.Shape(), n), s) }

func shiftScores(s Shape, n int) def {
	if s.Dims() != 2 {
		return refuse("shift-scores", "scores (2m-1, heads)")
	}
	heads, zero := s[1], s[0]/2
	each := func(f func(a, s int)) {
		for h := range heads {
			for q := range n {
				for k := range n {
					f((h*n+q)*n+k, (k-q+zero)*heads+h)
				}
			}
		}
	}
	return def{
		name:   fmt.Sprintf("shift-scores{%d}", n),
		want:   fmt.Sprintf("scores (2m-1, heads) with m at least %d", n),
		shape:  func([]Shape) (Shape, bool) { return Shape{heads, n, n}, s[0]%2 == 1 && n <= zero+1 },
		unread: []int{0, output},
		fwd:    func(y []float32, in [][]float32) { each(func(a, s int) { y[a] = in[0][s] }) },
		bwd: func(d [][]float32, dy, _ []float32, _ [][]float32) {
			clear(d[0])
			each(func(a, s int) { d[0][s] += dy[a] })
		},
	}
}
