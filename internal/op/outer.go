package op

import "github.com/attnconv/attnconv/internal/kernel/threads"

// OuterOp is the full weights of separable ones, P[h, (i,j), (k,l)] = R[h,i,k]·C[h,j,l].
//
// R (heads, rows, rows), C (heads, cols, cols) -> P (heads, rows·cols, rows·cols)
type OuterOp struct{}

func (OuterOp) String() string { return "outer" }

func (o OuterOp) Shape(in []Shape) (Shape, error) {
	r, c := in[0], in[1]
	var out Shape
	ok := hasDims(in, 3, 3) && r[0] == c[0] && r[1] == r[2] && c[1] == c[2]
	if ok {
		out = Shape{r[0], r[1] * c[1], r[1] * c[1]}
	}
	return fits(o, in, ok, out, "R (heads, rows, rows) and C (heads, cols, cols)")
}

func (OuterOp) Cost(*Node) Cost { return Cost{} }

func (OuterOp) Kernel(in []Shape) Kernel {
	r, c := in[0], in[1]
	heads, rows, cols := r[0], r[1], c[1]
	t := rows * cols
	each := func(h int, f func(p, r, c int)) { // the first of cols neighbors in P and C, and their factor in R
		for q := range t {
			for k := range rows {
				f((h*t+q)*t+k*cols, (h*rows+q/cols)*rows+k, (h*cols+q%cols)*cols)
			}
		}
	}
	return Kernel{
		NotSaved: []int{Output},
		Forward: func(p []float32, in [][]float32) {
			threads.Parallel(heads, func(h int) {
				each(h, func(pi, ri, ci int) {
					for l, v := range in[1][ci : ci+cols] {
						p[pi+l] = in[0][ri] * v
					}
				})
			})
		},
		Backward: func(d [][]float32, dp, _ []float32, in [][]float32) {
			clear(d[0])
			clear(d[1])
			threads.Parallel(heads, func(h int) {
				each(h, func(pi, ri, ci int) {
					for l, g := range dp[pi : pi+cols] {
						d[0][ri] += g * in[1][ci+l]
						d[1][ci+l] += g * in[0][ri]
					}
				})
			})
		},
	}
}
