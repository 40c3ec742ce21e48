package op

import (
	"fmt"

	"github.com/attnconv/attnconv/internal/gemm"
	"github.com/attnconv/attnconv/internal/kernel/pool"
	"github.com/attnconv/attnconv/internal/kernel/threads"
	"github.com/attnconv/attnconv/internal/kernel/vec"
)

// MixHeads lets every head average the tokens by its own weights, shared by the batch, and puts the heads side by side:
//
//	z[b,q,h] = Σ_k drop(P)[h,q,k] · v[b,k,h]
//
// v (batch, T, e) for all heads, or, where each has its own, (batch, T, heads·e), P (heads, T, T) -> z (batch, T,
// heads·e). The mask of image b is row (b·heads + h)·T + q, column k of its stream; if images have no masks of their
// own, that of image 0.
func MixHeads(v, p *Node, each bool, drop Dropout) *Node {
	return Apply(MixHeadsOp{each, drop}, v, p)
}

// MixHeadsOp is MixHeads.
type MixHeadsOp struct {
	Each bool // every head has values of its own
	Drop Dropout
}

func (o MixHeadsOp) String() string { return fmt.Sprintf("mix-heads{%t}%v", o.Each, o.Drop) }

func (o MixHeadsOp) Shape(in []Shape) (Shape, error) {
	v, p := in[0], in[1]
	var out Shape
	ok := hasDims(in, 3, 3) && p[0] > 0 && p[1] == v[1] && p[2] == v[1] && (!o.Each || v[2]%p[0] == 0)
	if ok {
		out = Shape{v[0], v[1], p[0] * v[2]}
		if o.Each {
			out[2] = v[2]
		}
	}
	return fits(o, in, ok, out, "values (batch, tokens, channels of one or all heads) and weights (heads, tokens, tokens)")
}

func (o MixHeadsOp) Cost(n *Node) Cost {
	return mixing(n.in[0].shape[0] * n.in[1].shape.TotalSize() * n.shape[2] / n.in[1].shape[0])
}

func (o MixHeadsOp) Kernel(in []Shape) Kernel {
	v, p, each, drop := in[0], in[1], o.Each, o.Drop
	m := &headMix{batch: v[0], tokens: v[1], heads: p[0], e: v[2], wide: v[2], drop: drop}
	if each {
		m.e = v[2] / m.heads
	}
	return Kernel{
		NotSaved: []int{Output},
		Forward: func(z []float32, in [][]float32) {
			threads.Parallel(m.batch*m.heads, func(i int) { m.forward(z, in[0], in[1], i/m.heads, i%m.heads) })
		},
		Backward: func(d [][]float32, dz, _ []float32, in [][]float32) {
			n := m.batch
			if d[0] == nil {
				n = 0
			}
			threads.Parallel(n+m.heads, func(i int) {
				if i < n {
					m.values(d[0], dz, in[1], i)
				} else {
					m.weights(d[1], dz, in[0], i-n)
				}
			})
		},
	}
}

type headMix struct {
	batch, tokens, heads int
	e, wide              int // numbers of a head's values, and of a token's
	drop                 Dropout
}

// of views what head h has of image b in x, where tokens have wide numbers: (tokens, e).
func (m *headMix) of(x []float32, wide, b, h int) gemm.Mat {
	at := h * m.e
	if wide == m.e {
		at = 0
	}
	size := m.tokens * wide
	return gemm.Matrix(x[b*size:(b+1)*size], m.tokens, wide).Block(0, at, m.tokens, m.e)
}

func (m *headMix) square(p []float32) gemm.Mat { return gemm.Matrix(p, m.tokens, m.tokens) }

// masked sets dst to head h's part of p under the mask of image b.
func (m *headMix) masked(dst, p []float32, b, h int) {
	if !m.drop.PerImage {
		b = 0
	}
	vec.MaskRows(dst, p, m.tokens, m.drop.now(), uint32((b*m.heads+h)*m.tokens))
}

// withMasked calls f with head h's weights for image b.
func (m *headMix) withMasked(p []float32, b, h int, f func(p gemm.Mat)) {
	tt := m.tokens * m.tokens
	p = p[h*tt : (h+1)*tt]
	if m.drop.Rate == 0 {
		f(m.square(p))
		return
	}
	room := pool.Get(tt)
	m.masked(*room, p, b, h)
	f(m.square(*room))
	pool.Put(room)
}

func (m *headMix) forward(z, v, p []float32, b, h int) {
	m.withMasked(p, b, h, func(p gemm.Mat) {
		gemm.Plan{Serial: true}.Mul(m.of(z, m.heads*m.e, b, h), p, m.of(v, m.wide, b, h))
	})
}

// values sets dV_h = Pᵀ·dZ_h of one image, or adds the heads' up.
func (m *headMix) values(dv, dz, p []float32, b int) {
	for h := range m.heads {
		m.withMasked(p, b, h, func(p gemm.Mat) {
			to, from := m.of(dv, m.wide, b, h), m.of(dz, m.heads*m.e, b, h)
			gemm.Plan{Add: h > 0 && m.wide == m.e, Serial: true}.Mul(to, p.T(), from)
		})
	}
}

// weights sets dP = Σ_b mask ∘ dZ_h·V_hᵀ of one head.
func (m *headMix) weights(dp, dz, v []float32, h int) {
	tt := m.tokens * m.tokens
	dp = dp[h*tt : (h+1)*tt]
	clear(dp)
	room := pool.Get(tt)
	for b := range m.batch {
		gemm.Plan{Serial: true}.Mul(m.square(*room), m.of(dz, m.heads*m.e, b, h), m.of(v, m.wide, b, h).T())
		m.masked(*room, *room, b, h)
		vec.Axpy(1, *room, dp)
	}
	pool.Put(room)
}
