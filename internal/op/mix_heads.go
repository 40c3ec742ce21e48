package op

import (
	"fmt"

	"github.com/attnconv/attnconv/internal/gemm"
	"github.com/attnconv/attnconv/internal/kernel/pool"
	"github.com/attnconv/attnconv/internal/kernel/threads"
	"github.com/attnconv/attnconv/internal/kernel/vec"
)

// MixHeadsOp averages the tokens by each head's own weights, and puts the heads side by side:
//
//	z[b,q,h] = Σ_k drop(P)[h,q,k] · v[b,k,h]
//
// v (batch, T, e) for all heads, or, if Each, (batch, T, heads·e), P (heads, T, T) -> z (batch, T, heads·e). The mask
// of image b is row (b·heads + h)·T + q, column k of its stream; if images have no masks of their own, that of image 0.
type MixHeadsOp struct {
	Each    bool // every head has values of its own
	Drop    Dropout
	Factors Precision
}

func (o MixHeadsOp) String() string {
	return fmt.Sprintf("mix-heads{%t}%v%v", o.Each, o.Drop, o.Factors)
}

// In implements Multiplying.
func (o MixHeadsOp) In(p Precision) Op {
	o.Factors = p
	return o
}

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
	return fits(o, in, ok, out, "values (batch, tokens, channels of one or all heads) and weights (heads, tokens, "+
		"tokens)")
}

func (o MixHeadsOp) Cost(n *Node) Cost {
	return mixing(n.in[0].shape[0] * n.in[1].shape.TotalSize() * n.shape[2] / n.in[1].shape[0])
}

func (o MixHeadsOp) Kernel(in []Shape) Kernel {
	v, p := in[0], in[1]
	sizes := headsSizes{batch: v[0], tokens: v[1], heads: p[0], channels: v[2], each: o.Each}
	if o.Each {
		sizes.channels /= sizes.heads
	}
	return Kernel{
		Skips:    []int{0},
		NotSaved: []int{Output},
		Forward: func(z []float32, a [][]float32) {
			run := headsRun{sizes, o.Drop, o.Factors.of, a[0], a[1]}
			threads.Parallel(run.batch*run.heads, func(i int) { run.forward(z, i/run.heads, i%run.heads) })
		},
		Backward: func(d [][]float32, dz, _ []float32, a [][]float32) {
			run := headsRun{sizes, o.Drop, o.Factors.of, a[0], a[1]}
			images := run.batch
			if d[0] == nil {
				images = 0
			}
			threads.Parallel(images+run.heads, func(i int) {
				if i < images {
					run.valueGrad(d[0], dz, i)
				} else {
					run.weightGrad(d[1], dz, i-images)
				}
			})
		},
	}
}

// headsSizes are the sizes of one MixHeads.
type headsSizes struct {
	batch, tokens, heads, channels int // channels of one head
	each                           bool
}

// values views head h's of image b in v: (tokens, channels).
func (n headsSizes) values(v []float32, b, h int) gemm.Mat {
	if n.each {
		return n.mixed(v, b, h)
	}
	return gemm.Matrix(nth(v, b, n.tokens*n.channels), n.tokens, n.channels)
}

// mixed views head h's of image b in z: (tokens, channels).
func (n headsSizes) mixed(z []float32, b, h int) gemm.Mat {
	wide := n.heads * n.channels
	return gemm.Matrix(nth(z, b, n.tokens*wide), n.tokens, wide).Cols(h*n.channels, n.channels)
}

// weights is P_h, in order of rows.
func (n headsSizes) weights(p []float32, h int) []float32 { return nth(p, h, n.tokens*n.tokens) }

func (n headsSizes) square(p []float32) gemm.Mat { return gemm.Matrix(p, n.tokens, n.tokens) }

// A headsRun is one forward or backward, with its inputs. Its scratch is one map of the pool's.
type headsRun struct {
	headsSizes
	drop   Dropout
	factor func(gemm.Mat) gemm.Mat
	v, p   []float32
}

// masked sets dst to head h's src under the mask of image b.
func (m *headsRun) masked(dst, src []float32, b, h int) {
	if b = m.drop.image(b); !m.drop.PerImage {
		b = 0
	}
	vec.MaskRows(dst, src, m.tokens, m.drop.now(), uint32((b*m.heads+h)*m.tokens))
}

// withMasked calls f with head h's weights for image b.
func (m *headsRun) withMasked(b, h int, f func(p gemm.Mat)) {
	p := m.weights(m.p, h)
	if m.drop.Rate == 0 {
		f(m.square(p))
		return
	}
	scratch := pool.Get(len(p))
	defer pool.Put(scratch)
	m.masked(*scratch, p, b, h)
	f(m.square(*scratch))
}

// forward sets Z_h = drop(P_h)·V_h of one image.
func (m *headsRun) forward(z []float32, b, h int) {
	m.withMasked(b, h, func(p gemm.Mat) {
		gemm.Plan{Serial: true}.Mul(m.mixed(z, b, h), m.factor(p), m.factor(m.values(m.v, b, h)))
	})
}

// valueGrad sets dV_h = drop(P_h)ᵀ·dZ_h of one image; values that heads share get the sum over the heads.
func (m *headsRun) valueGrad(dv, dz []float32, b int) {
	for h := range m.heads {
		m.withMasked(b, h, func(p gemm.Mat) {
			gemm.Plan{Add: h > 0 && !m.each, Serial: true}.Mul(m.values(dv, b, h), m.factor(p.T()),
				m.factor(m.mixed(dz, b, h)))
		})
	}
}

// weightGrad sets dP_h = Σ_b mask ∘ dZ_h·V_hᵀ.
func (m *headsRun) weightGrad(dp, dz []float32, h int) {
	dp = m.weights(dp, h)
	clear(dp)
	scratch := pool.Get(len(dp))
	defer pool.Put(scratch)
	for b := range m.batch {
		gemm.Plan{Serial: true}.Mul(m.square(*scratch), m.factor(m.mixed(dz, b, h)), m.factor(m.values(m.v, b, h).T()))
		m.masked(*scratch, *scratch, b, h)
		vec.Axpy(1, *scratch, dp)
	}
}
