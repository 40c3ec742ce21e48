package op

import (
	"github.com/attnconv/attnconv/internal/gemm"
	"github.com/attnconv/attnconv/internal/kernel/pool"
	"github.com/attnconv/attnconv/internal/kernel/threads"
	"github.com/attnconv/attnconv/internal/kernel/vec"
)

// MixSeparableOp lets every head average the tokens by a product of weights along rows and weights along columns, and
// maps the heads to the output:
//
//	y[b,q] = Σ_h Z[b,h,q]·W_hᵀ + bias
//	Z[b,h,q] = Σ_k drop(P)[h,q,k] · x[b,k]
//	P[h, (i,j), (k,l)] = R[h,i,k] · C[h,j,l]
//
// It is MixFullOp for such P; the softmax of any score f(row) + g(column) is one.
//
// x (batch, rows·cols, in), R (heads, rows, rows), C (heads, cols, cols), W (out, heads·in), bias (out) -> y (batch,
// rows·cols, out)
//
// The sum over k, with its backward, is what every mixing operation comes down to. plainMix, the oracle of their tests,
// says it in loops, with p = drop(P), v[b][h] = x[b] and dz = dy·W_h:
//
//	for b := range p {
//		for h := range p[b] {
//			for q := range p[b][h] {
//				for k := range p[b][h][q] {
//					for c := range v[b][h][k] {
//						z[b][h][q][c] += p[b][h][q][k] * v[b][h][k][c]
//						dv[b][h][k][c] += p[b][h][q][k] * dz[b][h][q][c]
//						dp[b][h][q][k] += dz[b][h][q][c] * v[b][h][k][c]
//					}
//				}
//			}
//		}
//	}
//
// MixSeparableOp never builds P: V = (R⊗I)·X mixes rows, Z = (I⊗C)·V mixes columns, with rows + cols multiplications an
// element instead of rows·cols. Nor does Z, heads times as large as X, ever exist as a whole. A batch is cut so that
// what one goroutine works on stays in its caches:
//
//	image b of x, (rows·cols, in)             slice s, copied     for each head h, one band
//
//	         slice 0   slice 1   slice 2      ┌─────────┐
//	       ┌─────────┬─────────┬───────┐      │         │   R_h    ┌─────────┐   C_h    ┌─────────┐
//	band 0 │         │         │       │      │    X    │ ───────► │    V    │ ───────► │    Z    │ ──► y[b, band] +=
//	       ├─────────┼─────────┼───────┤      │         │          └─────────┘          └─────────┘        Z·W_h[s]ᵀ
//	band 1 │         │         │       │      │         │
//	       └─────────┴─────────┴───────┘      └─────────┘
//
// Forward shares out image × band and loops over slice × head. Backward shares out images and loops over slice × head ×
// band; meanwhile other goroutines sum dW over the images of the previous chunk, by head × piece of a slice, from Z
// packed segment by segment of tokens. separableSizes has the pieces, separableScratch the memory, separableRun the
// arithmetic.
//
// Dropout masks single (query, key) pairs, which breaks the product. The result is exact all the same: the product is
// computed, and the dropped pairs are subtracted, Z[q] -= Σ P[q,k]·X[k], forward and backward. Pairs with P < 2⁻³² do
// not count, and neither do factors R and C below it. The mask is the one that MixFullOp would draw.
type MixSeparableOp struct {
	Drop    Dropout
	Factors Precision // of the heads' maps; the mixing along rows and columns is in float32
}

func (o MixSeparableOp) String() string {
	return "mix-separable" + o.Drop.String() + o.Factors.String()
}

// In implements Multiplying.
func (o MixSeparableOp) In(p Precision) Op {
	o.Factors = p
	return o
}

func (o MixSeparableOp) Shape(in []Shape) (Shape, error) {
	x, r, c, w := in[0], in[1], in[2], in[3]
	var out Shape
	ok := hasDims(in, 3, 3, 3, 2, 1) && r[0] == c[0] && r[1] == r[2] && c[1] == c[2] && x[1] == r[1]*c[1] &&
		w[1] == r[0]*x[2] && in[4][0] == w[0]
	if ok {
		out = Shape{x[0], x[1], w[0]}
	}
	return fits(o, in, ok, out, mixWant)
}

func (o MixSeparableOp) Cost(n *Node) Cost {
	x, r, c := n.in[0].shape, n.in[1].shape, n.in[2].shape
	return mixing(r[0] * (r[1] + c[1]) * x.TotalSize()).and(mapped(x[0]*x[1], r[0]*x[2], n.shape[2]))
}

func (o MixSeparableOp) Kernel(in []Shape) Kernel {
	x, r, c, w := in[0], in[1], in[2], in[3]
	sizes := separableSizes{batch: x[0], heads: r[0], rows: r[1], cols: c[1], in: x[2], out: w[0]}
	scratch := &separableScratch{separableSizes: sizes, factors: o.Factors}
	run := newSeparableRun(sizes, scratch, o.Drop)
	return Kernel{
		Skips:       []int{0},
		Scratch:     scratch.forward(),
		BackScratch: scratch.backward(),
		NotSaved:    []int{4, Output},
		Forward: func(y []float32, a [][]float32) {
			run.begin(a[0], a[1], a[2], a[3])
			run.forward(y, a[4])
		},
		Backward: func(d [][]float32, dy, _ []float32, a [][]float32) {
			run.begin(a[0], a[1], a[2], a[3])
			run.backward(d[0], d[1], d[2], d[3], dy)
			vec.SumRows(d[4], dy)
		},
	}
}

// A separableRun is one forward or backward: its inputs, and its weights as factors of products.
type separableRun struct {
	separableSizes
	scratch *separableScratch
	x, w    []float32
	weights []separableWeights // of each head
	dropped *droppedPairs      // nil without dropout
}

// separableWeights are one head's R and C, with dropout R/(1-rate), packed.
type separableWeights struct {
	r         []gemm.Mat // band by band
	rT, c, cT gemm.Mat
}

func newSeparableRun(sizes separableSizes, scratch *separableScratch, drop Dropout) *separableRun {
	m := &separableRun{separableSizes: sizes, scratch: scratch, weights: make([]separableWeights, sizes.heads)}
	for h := range m.weights {
		m.weights[h].r = make([]gemm.Mat, sizes.bands())
	}
	if drop.Rate > 0 {
		m.dropped = newDroppedPairs(sizes, drop)
	}
	return m
}

// begin takes a run's inputs and draws its mask.
func (m *separableRun) begin(x, r, c, w []float32) {
	m.x, m.w = x, w
	if m.dropped != nil {
		r = m.dropped.draw(r, c)
	}
	buffer := pool.Get(max(m.rows*m.rows, m.cols*m.cols))
	defer pool.Put(buffer)
	for h := range m.weights {
		to := &m.weights[h]
		row := gemm.Matrix(flushed(*buffer, m.rowWeights(r, h)), m.rows, m.rows)
		for i := range to.r {
			d := m.band(i)
			to.r[i].RepackA(row.Block(d.first, 0, d.rows, m.rows))
		}
		to.rT.RepackA(row.T())
		col := gemm.Matrix(flushed(*buffer, m.colWeights(c, h)), m.cols, m.cols)
		to.c.RepackA(col)
		to.cT.RepackA(col.T())
	}
}

// flushed copies weights to dst, with zero for the negligible ones. Products with them would be subnormal, and a
// hundred times as slow.
func flushed(dst, weights []float32) []float32 {
	for i, w := range weights {
		if w < negligible {
			w = 0
		}
		dst[i] = w
	}
	return dst[:len(weights)]
}

// forward sets y = Σ_h Z_h·W_hᵀ + bias.
func (m *separableRun) forward(y, bias []float32) {
	m.scratch.packMapsT(m.w)
	threads.Parallel(m.batch*m.bands(), func(task int) {
		b, d := task/m.bands(), m.band(task%m.bands())
		out := m.ofBand(m.image(y, b), d)
		m.forwardBand(out, m.image(m.x, b), d)
		gemm.AddRow(out, bias)
	})
}

// forwardBand sets y = Σ_h Z_h·W_hᵀ for one band of an image.
func (m *separableRun) forwardBand(y gemm.Mat, image []float32, d band) {
	buffers := m.forwardBuffers()
	defer buffers.release()
	for k := range m.slices() {
		s := m.slice(k)
		x, v, z := m.plane(buffers.x, s, m.rows), m.plane(buffers.v, s, d.rows), m.plane(buffers.z, s, d.rows)
		x.load(image, m.in)
		for h := range m.heads {
			m.mix(z, v, x, h, d)
			// Z's tokens are an odd number of cache lines apart, so that several are in cache together: no need to pack
			// them
			gemm.Plan{Add: k+h > 0, InPlaceA: true}.Mul(y, m.scratch.factors.of(z.tokens()), m.scratch.mapT(h, s))
		}
	}
}

// mix sets V and Z, one band of them, of the slice in x for head h.
func (m *separableRun) mix(z, v, x plane, h int, d band) {
	m.mixRows(v, x, h, d)
	gemm.MulEach(z.byRow(), m.weights[h].c, v.byRow(), false) // Z = (I⊗C)·V
	if m.dropped != nil {
		pairs := m.dropped.byQuery[h].Queries(d.first*m.cols, (d.first+d.rows)*m.cols)
		vec.SubPairs(z.data, z.ld, x.data, x.ld, x.channels, &pairs)
	}
}

// mixRows sets V = (R⊗I)·X, one band of it.
func (m *separableRun) mixRows(v, x plane, h int, d band) {
	gemm.MulEach(v.byCol(), m.weights[h].r[d.index], x.byCol(), false)
}

// backward sets the gradients of x, R, C and W; that of x may be nil.
func (m *separableRun) backward(dx, dr, dc, dw, dy []float32) {
	m.scratch.packMaps(m.w)
	for i := range m.chunks() + 1 {
		first, n := m.chunk(i)
		tasks := 0 // of dW, over the images of the previous chunk
		if i > 0 {
			tasks = m.heads * m.pieces()
		}
		threads.Parallel(n+tasks, func(t int) {
			if t < n {
				b := first + t
				m.backwardImage(m.image(dx, b), m.image(dy, b), b, m.scratch.saved(i, t))
			} else {
				m.mapGrad(dw, i-1, (t-n)/m.pieces(), (t-n)%m.pieces())
			}
		})
	}
	m.sumWeightGrads(dr, dc)
}

// backwardImage sets dX, dR and dC of image b, and leaves Z and dyᵀ in save for mapGrad.
func (m *separableRun) backwardImage(dx, dy []float32, b int, save savedImage) {
	buffers := m.backwardBuffers()
	defer buffers.release()
	dyRows := gemm.Matrix(dy, m.tokens(), m.out)
	save.grad(dyRows)
	dyStrips := gemm.PackA(m.scratch.factors.of(dyRows), buffers.strips)
	var dots *[]float32
	if m.dropped != nil {
		dots = m.dropped.dots()
		defer pool.Put(dots)
	}
	for k := range m.slices() {
		s := m.slice(k)
		x, v, z := m.plane(buffers.x, s, m.rows), m.plane(buffers.v, s, m.rows), m.plane(buffers.z, s, m.rows)
		sum := m.plane(buffers.dx, s, m.rows) // of dX over the heads
		x.load(m.image(m.x, b), m.in)
		for h := range m.heads {
			m.remix(z, v, x, h, save)
			// they take the memory of Z and V
			dz, u := z, v
			gemm.Mul(dz.tokens(), dyStrips, m.scratch.mapOf(h).Cols(s.first, s.channels)) // dZ = dy·W_h
			dr, dc := m.scratch.weightGrads(b, h)
			m.addWeightGrads(dr, dc, u, x, dz, v, h)
			if dx != nil {
				m.addInputGrad(sum, u, dz, h)
			}
			if m.dropped != nil {
				vec.PairDots(m.dropped.of(*dots, h), dz.data, dz.ld, x.data, x.ld, s.channels, &m.dropped.byQuery[h])
			}
		}
		if dx != nil {
			sum.store(dx, m.in)
		}
	}
	for h := range m.heads {
		if m.dropped != nil {
			dr, dc := m.scratch.weightGrads(b, h)
			m.dropped.subtractGrads(dr, dc, h, m.dropped.of(*dots, h))
		}
	}
}

// remix sets V of a slice once more, and saves Z: straight from V, unless pairs are to be subtracted from it or its
// elements rounded.
func (m *separableRun) remix(z, v, x plane, h int, save savedImage) {
	asIs := m.dropped == nil && m.scratch.factors == Float32
	for i := range m.bands() {
		d := m.band(i)
		if asIs {
			m.mixRows(v.band(d), x, h, d)
		} else {
			m.mix(z.band(d), v.band(d), x, h, d)
		}
	}
	if asIs {
		save.mix(m.weights[h].c, v, h)
	} else {
		save.mixed(z, h)
	}
}

// addWeightGrads adds one slice's part of dR and dC, the first slice sets it, and sets U, for which V gives its memory:
//
//	dC[j,l] = Σ_i dZ[i,j]·V[i,l],  U = (I⊗Cᵀ)·dZ,  dR[i,k] = Σ_j U[i,j]·X[k,j]
func (m *separableRun) addWeightGrads(dr, dc []float32, u, x, dz, v plane, h int) {
	add, row := x.first > 0, x.cols*x.ld
	gemm.Dots(gemm.Matrix(dc, m.cols, m.cols), dz.data, v.data, x.ld, x.channels, m.rows, row, add)
	gemm.MulEach(u.byRow(), m.weights[h].cT, dz.byRow(), false)
	gemm.Dots(gemm.Matrix(dr, m.rows, m.rows), u.data, x.data, row, x.channels, m.cols, x.ld, add)
}

// addInputGrad adds (Rᵀ⊗I)·U of head h to dX, the first head sets it, less what the dropped pairs would have added.
func (m *separableRun) addInputGrad(dx, u, dz plane, h int) {
	gemm.MulEach(dx.byCol(), m.weights[h].rT, u.byCol(), h > 0)
	if m.dropped != nil {
		vec.SubPairs(dx.data, dx.ld, dz.data, dz.ld, dz.channels, &m.dropped.byKey[h])
	}
}

// mapGrad adds Σ dyᵀ·Z over the images of chunk i to a piece of head h's part of dW; the first chunk sets it.
func (m *separableRun) mapGrad(dw []float32, i, h, piece int) {
	j := piece * pieceChannels
	s := m.slice(j / sliceChannels)
	channels := min(pieceChannels, m.in-j)
	to := gemm.Matrix(dw, m.out, m.heads*m.in).Block(0, h*m.in+j, m.out, channels)
	_, images := m.chunk(i)
	for t := range images {
		saved := m.scratch.saved(i, t)
		for g := range m.segments() {
			z := saved.z(h, s, m.segment(g)).Cols(j-s.first, channels)
			gemm.Plan{Add: i+t+g > 0}.Mul(to, saved.dyT(m.segment(g)), z)
		}
	}
}

// sumWeightGrads sets dR and dC to the sums over the images, in their order. What was summed is the gradient of the
// scaled R, and of C with the scale in V.
func (m *separableRun) sumWeightGrads(dr, dc []float32) {
	scale := float32(1)
	if m.dropped != nil {
		scale = m.dropped.scale()
	}
	threads.Parallel(m.heads, func(h int) {
		r, c := m.rowWeights(dr, h), m.colWeights(dc, h)
		clear(r)
		clear(c)
		for b := range m.batch {
			ofR, ofC := m.scratch.weightGrads(b, h)
			vec.Axpy(scale, ofR, r)
			vec.Axpy(1, ofC, c)
		}
	})
}
