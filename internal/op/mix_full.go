package op

import (
	"github.com/attnconv/attnconv/internal/gemm"
	"github.com/attnconv/attnconv/internal/kernel/pool"
	"github.com/attnconv/attnconv/internal/kernel/threads"
)

// MixFull lets every head average the tokens by its own weights, shared by the batch, and maps the heads to the output:
//
//	y[b,q] = Σ_h Σ_k drop(P)[h,q,k] · x[b,k]·W_hᵀ + bias
//
// x (batch, T, in), P (heads, T, T), W (out, heads·in) head-major, bias (out) -> y (batch, T, out). The dropout mask is
// drawn once per run, for all images: row h·T+q, column k of its stream.
func MixFull(x, p, w, bias *Node, drop Dropout) *Node {
	return Apply(MixFullOp{drop}, x, p, w, bias)
}

// MixFullOp is MixFull.
type MixFullOp struct{ Drop Dropout }

func (o MixFullOp) String() string { return "mix-full" + o.Drop.String() }

func (o MixFullOp) Shape(in []Shape) (Shape, error) {
	x, p, w := in[0], in[1], in[2]
	var out Shape
	ok := hasDims(in, 3, 3, 2, 1) && p[1] == x[1] && p[2] == x[1] && w[1] == p[0]*x[2] && in[3][0] == w[0]
	if ok {
		out = Shape{x[0], x[1], w[0]}
	}
	return fits(o, in, ok, out, mixWant)
}

func (o MixFullOp) Cost(n *Node) Cost {
	x, heads := n.in[0].shape, n.in[1].shape[0]
	return mixing(heads * x[1] * x.TotalSize()).and(mapped(x[0]*x[1], heads*x[2], n.shape[2]))
}

func (o MixFullOp) Kernel(s []Shape) Kernel {
	heads, drop := s[1][0], o.Drop
	batch, t, in, out := s[0][0], s[0][1], s[0][2], s[2][0]
	v := newValues(batch, t, heads, in, out)
	m := &fullMix{values: v, drop: drop}
	own := Scratch{At: &m.masks}
	if drop.Rate > 0 {
		own.Floats = heads * t * t
	}
	return Kernel{
		NotSaved:    []int{3, Output},
		Scratch:     append(v.scratch(), own),
		BackScratch: append(v.backScratch(), own),
		Forward: func(y []float32, a [][]float32) {
			m.weigh(a[1])
			v.forward(y, a[0], a[2], a[3], m.mix)
		},
		Backward: func(d [][]float32, dy, _ []float32, a [][]float32) {
			m.weigh(a[1])
			clear(d[0])
			clear(d[1])
			v.backward(d[2], d[3], dy, a[0], a[2], m.mix, func(dz, x []float32, first, n int) {
				m.unmix(d[0], d[1], dz, x, first, n)
			})
			if drop.Rate > 0 {
				m.masked(d[1], d[1])
			}
		},
	}
}

const mixWant = "x (batch, tokens, in), weights for each head, W (out, heads·in) and bias (out)"

type fullMix struct {
	*values
	drop  Dropout
	p     []float32 // this run's weights, after dropout
	masks []float32 // scratch for them
}

// weigh sets p to the weights of this run.
func (m *fullMix) weigh(p []float32) {
	if m.p = p; m.drop.Rate > 0 {
		m.p = m.masks
		m.masked(m.p, p)
	}
}

// masked sets dst = mask ∘ src.
func (m *fullMix) masked(dst, src []float32) {
	t, drop := m.tokens, m.drop.now()
	threads.Parallel(m.heads, func(h int) {
		room := pool.Get(t)
		defer pool.Put(room)
		mask := *room
		for row := h * t; row < (h+1)*t; row++ {
			drop.Row(mask, uint32(row))
			for k, v := range mask {
				dst[row*t+k] = v * src[row*t+k]
			}
		}
	})
}

func (m *fullMix) head(h int) gemm.Mat {
	return gemm.Matrix(m.p[h*m.tokens*m.tokens:(h+1)*m.tokens*m.tokens], m.tokens, m.tokens)
}

// image returns the tokens of image b in x, and column returns head h's block of its rows in z.
func (m *fullMix) image(x []float32, b int) gemm.Mat {
	size := m.tokens * m.in
	return gemm.Matrix(x[b*size:(b+1)*size], m.tokens, m.in)
}

func (m *fullMix) column(z []float32, b, h int) gemm.Mat {
	wide := m.heads * m.in
	return gemm.Matrix(z, len(z)/wide, wide).Block(b*m.tokens, h*m.in, m.tokens, m.in)
}

// mix sets Z_h = P_h·X for n images.
func (m *fullMix) mix(z, x []float32, n int) {
	threads.Parallel(n*m.heads, func(i int) {
		b, h := i/m.heads, i%m.heads
		gemm.Plan{Serial: true}.Mul(m.column(z, b, h), m.head(h), m.image(x, b))
	})
}

// unmix adds dX = Σ_h P_hᵀ·dZ_h image by image, and dP_h = Σ_b dZ_h·Xᵀ head by head.
func (m *fullMix) unmix(dx, dp, dz, x []float32, first, n int) {
	threads.Parallel(n+m.heads, func(i int) {
		if i < n {
			if len(dx) > 0 {
				for h := range m.heads {
					gemm.Plan{Add: true, Serial: true}.Mul(m.image(dx, first+i), m.head(h).T(), m.column(dz, i, h))
				}
			}
			return
		}
		h, tt := i-n, m.tokens*m.tokens
		for b := range n {
			gemm.Plan{Add: true, Serial: true}.Mul(gemm.Matrix(dp[h*tt:(h+1)*tt], m.tokens, m.tokens), m.column(dz, b, h), m.image(x, b).T())
		}
	})
}
