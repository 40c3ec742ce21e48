package op

import (
	"github.com/attnconv/attnconv/internal/gemm"
	"github.com/attnconv/attnconv/internal/kernel/pool"
	"github.com/attnconv/attnconv/internal/kernel/threads"
	"github.com/attnconv/attnconv/internal/kernel/vec"
)

// LinearTokensOp maps the tokens of an image to others, the same for each channel:
//
//	y[b, o, c] = Σ_t W[o, t]·x[b, t, c] + v[o]
//
// The product of an image is W·X, so that nothing is transposed.
type LinearTokensOp struct{ Factors Precision }

func (o LinearTokensOp) String() string { return "linear-tokens" + o.Factors.String() }

// In implements Multiplying.
func (o LinearTokensOp) In(p Precision) Op { return LinearTokensOp{p} }

func (o LinearTokensOp) Shape(in []Shape) (Shape, error) {
	var out Shape
	ok := hasDims(in, 3, 2, 1) && in[1][1] == in[0][1] && in[2][0] == in[1][0]
	if ok {
		out = Shape{in[0][0], in[1][0], in[0][2]}
	}
	return fits(o, in, ok, out, "x (batch, tokens, channels), W (out, tokens) and b (out)")
}

func (LinearTokensOp) Cost(n *Node) Cost {
	x, w := n.in[0].shape, n.in[1].shape
	cost := mapped(x[0]*x[2], w[1], w[0])
	cost.Field = Field{Whole: true}
	return cost
}

// tokenParts is how many parts of the batch have sums of dW and db of their own; fewer where there are fewer images.
const tokenParts = 16

func (o LinearTokensOp) Kernel(in []Shape) Kernel {
	m := tokenMaps{batch: in[0][0], tokens: in[0][1], channels: in[0][2], out: in[1][0], factor: o.Factors.of}
	m.each = threads.Count(m.batch, tokenParts)
	var sums []float32
	return Kernel{
		Skips:       []int{0},
		NotSaved:    []int{2, Output},
		BackScratch: []Scratch{{threads.Count(m.batch, m.each) * m.weights(), &sums}},
		Forward: func(y []float32, a [][]float32) {
			w := m.factor(gemm.Matrix(a[1], m.out, m.tokens))
			threads.Parallel(m.batch, func(b int) {
				to := nth(y, b, m.out*m.channels)
				for i, v := range a[2] {
					fill(nth(to, i, m.channels), v)
				}
				gemm.Plan{Add: true, Serial: true}.Mul(m.result(y, b), w, m.factor(m.image(a[0], b)))
			})
		},
		Backward: func(d [][]float32, dy, _ []float32, a [][]float32) {
			if d[0] != nil {
				wT := m.factor(gemm.Matrix(a[1], m.out, m.tokens).T())
				threads.Parallel(m.batch, func(b int) {
					gemm.Plan{Serial: true}.Mul(m.image(d[0], b), wT, m.factor(m.result(dy, b)))
				})
			}
			m.weightGrad(d[1], d[2], dy, a[0], sums)
		},
	}
}

// tokenMaps are the sizes of one LinearTokensOp.
type tokenMaps struct {
	batch, tokens, channels, out int
	each                         int // images of a part
	factor                       func(gemm.Mat) gemm.Mat
}

// weights is how many elements W and v have together.
func (m tokenMaps) weights() int { return m.out * (m.tokens + 1) }

// image views image b of x, result that of y.
func (m tokenMaps) image(x []float32, b int) gemm.Mat {
	return gemm.Matrix(nth(x, b, m.tokens*m.channels), m.tokens, m.channels)
}

func (m tokenMaps) result(y []float32, b int) gemm.Mat {
	return gemm.Matrix(nth(y, b, m.out*m.channels), m.out, m.channels)
}

// weightGrad sets dW = Σ_b dY_b·X_bᵀ and dv, the sums of dY's rows: sums of parts of the batch, added in their order.
func (m tokenMaps) weightGrad(dw, dv, dy, x, sums []float32) {
	threads.Blocks(m.batch, m.each, func(first, end int) {
		sum := nth(sums, first/m.each, m.weights())
		rows, cols := pool.Get(m.out), pool.Get(m.channels)
		w, v := sum[:len(dw)], sum[len(dw):]
		clear(v)
		for b := first; b < end; b++ {
			gemm.Plan{Add: b > first, Serial: true}.Mul(gemm.Matrix(w, m.out, m.tokens), m.factor(m.result(dy, b)),
				m.factor(m.image(x, b).T()))
			vec.SumOuter(*rows, *cols, nth(dy, b, m.out*m.channels))
			vec.AddSerial(v, v, *rows)
		}
		pool.Put(rows)
		pool.Put(cols)
	})
	copy(dw, sums)
	copy(dv, sums[len(dw):])
	for p := 1; p < threads.Count(m.batch, m.each); p++ {
		sum := nth(sums, p, m.weights())
		vec.Add(dw, sum[:len(dw)])
		vec.Add(dv, sum[len(dw):])
	}
}

func fill(x []float32, v float32) {
	for i := range x {
		x[i] = v
	}
}
