package op

import (
	"github.com/attnconv/attnconv/internal/gemm"
	"github.com/attnconv/attnconv/internal/kernel/threads"
	"github.com/attnconv/attnconv/internal/kernel/vec"
)

// MixFullOp averages the tokens by each head's own weights, shared by the batch, and maps the heads to the output:
//
//	y[b,q] = Σ_h Σ_k drop(P)[h,q,k] · x[b,k]·W_hᵀ + bias
//
// x (batch, T, in), P (heads, T, T), W (out, heads·in) head-major, bias (out) -> y (batch, T, out). The dropout mask is
// drawn once per run, for all images: row h·T+q, column k of its stream.
type MixFullOp struct {
	Drop    Dropout
	Factors Precision
}

func (o MixFullOp) String() string { return "mix-full" + o.Drop.String() + o.Factors.String() }

// In implements Multiplying.
func (o MixFullOp) In(p Precision) Op {
	o.Factors = p
	return o
}

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

const mixWant = "x (batch, tokens, in), weights for each head, W (out, heads·in) and bias (out)"

func (o MixFullOp) Kernel(in []Shape) Kernel {
	x, p, w := in[0], in[1], in[2]
	sizes := fullSizes{batch: x[0], tokens: x[1], heads: p[0], in: x[2], out: w[0]}
	scratch := &fullScratch{}
	run := &fullRun{fullSizes: sizes, scratch: scratch, drop: o.Drop, factor: o.Factors.of}
	mixed, masked := Scratch{sizes.mixedFloats(), &scratch.z}, Scratch{0, &scratch.p}
	if o.Drop.Rate > 0 {
		masked.Floats = p.TotalSize()
	}
	return Kernel{
		Skips:       []int{0},
		NotSaved:    []int{3, Output},
		Scratch:     []Scratch{mixed, masked},
		BackScratch: []Scratch{mixed, {sizes.mixedFloats(), &scratch.dz}, masked},
		Forward: func(y []float32, a [][]float32) {
			run.begin(a[0], a[1], a[2])
			run.forward(y, a[3])
		},
		Backward: func(d [][]float32, dy, _ []float32, a [][]float32) {
			run.begin(a[0], a[1], a[2])
			run.backward(d[0], d[1], d[2], dy)
			vec.SumRows(d[3], dy)
		},
	}
}

// fullSizes are the sizes of one MixFull. Z is heads times as large as X, so it exists for one chunk of images at a
// time, and is recomputed in backward.
type fullSizes struct{ batch, tokens, heads, in, out int }

// chunkSize is how many images a chunk has: a function of the shapes only.
func (n fullSizes) chunkSize() int { return min(n.batch, max(1, chunkTokens/n.tokens)) }
func (n fullSizes) chunks() int    { return (n.batch + n.chunkSize() - 1) / n.chunkSize() }

func (n fullSizes) chunk(i int) (first, images int) {
	first = i * n.chunkSize()
	return first, min(n.chunkSize(), n.batch-first)
}

func (n fullSizes) mixedFloats() int { return n.chunkSize() * n.tokens * n.heads * n.in }

// images views images of x, which has so many channels: (images·tokens, channels).
func (n fullSizes) images(x []float32, channels, first, images int) gemm.Mat {
	size := n.tokens * channels
	return gemm.Matrix(x[first*size:][:images*size], images*n.tokens, channels)
}

// image is image b of x: (tokens, in).
func (n fullSizes) image(x []float32, b int) gemm.Mat { return n.images(x, n.in, b, 1) }

// mixed views Z or dZ of a chunk: (images·tokens, heads·in), head after head.
func (n fullSizes) mixed(z []float32, images int) gemm.Mat {
	return n.images(z, n.heads*n.in, 0, images)
}

// head is Z_h of image t of a chunk: (tokens, in).
func (n fullSizes) head(z gemm.Mat, t, h int) gemm.Mat {
	return z.Block(t*n.tokens, h*n.in, n.tokens, n.in)
}

// weights is P_h: (tokens, tokens).
func (n fullSizes) weights(p []float32, h int) gemm.Mat {
	return gemm.Matrix(nth(p, h, n.tokens*n.tokens), n.tokens, n.tokens)
}

// fullScratch is what the arena reserves: Z and dZ of a chunk, and the weights under dropout's mask.
type fullScratch struct{ z, dz, p []float32 }

// A fullRun is one forward or backward: its inputs, with p the weights after dropout.
type fullRun struct {
	fullSizes
	scratch *fullScratch
	drop    Dropout
	factor  func(gemm.Mat) gemm.Mat
	x, p    []float32
	w       gemm.Mat // (out, heads·in)
}

func (m *fullRun) begin(x, p, w []float32) {
	m.x, m.p, m.w = x, p, m.factor(gemm.Matrix(w, m.out, m.heads*m.in))
	if m.drop.Rate > 0 {
		m.p = m.scratch.p
		m.masked(m.p, p)
	}
}

// masked sets dst = mask ∘ src.
func (m *fullRun) masked(dst, src []float32) {
	t, drop := m.tokens, m.drop.now()
	threads.Parallel(m.heads, func(h int) {
		vec.MaskRows(nth(dst, h, t*t), nth(src, h, t*t), t, drop, uint32(h*t))
	})
}

// forward sets y = [Z_1 … Z_H]·Wᵀ + bias.
func (m *fullRun) forward(y, bias []float32) {
	for i := range m.chunks() {
		first, images := m.chunk(i)
		z, y := m.mixed(m.scratch.z, images), m.images(y, m.out, first, images)
		m.mix(z, first, images)
		gemm.Plan{Epilogue: gemm.Bias(y, bias)}.Mul(y, m.factor(z), m.w.T())
	}
}

// mix sets Z_h = P_h·X for a chunk.
func (m *fullRun) mix(z gemm.Mat, first, images int) {
	threads.Parallel(images*m.heads, func(i int) {
		t, h := i/m.heads, i%m.heads
		gemm.Plan{Serial: true}.Mul(m.head(z, t, h), m.factor(m.weights(m.p, h)), m.factor(m.image(m.x, first+t)))
	})
}

// backward sets dW = dyᵀ·[Z_1 … Z_H] and the gradients of x, which may be nil, and P, from dZ = dy·W.
func (m *fullRun) backward(dx, dp, dw, dy []float32) {
	clear(dx)
	clear(dp)
	for i := range m.chunks() {
		first, images := m.chunk(i)
		z, dz := m.mixed(m.scratch.z, images), m.mixed(m.scratch.dz, images)
		dy := m.factor(m.images(dy, m.out, first, images))
		m.mix(z, first, images)
		gemm.Plan{Add: i > 0}.Mul(gemm.Matrix(dw, m.out, m.heads*m.in), dy.T(), m.factor(z))
		gemm.Mul(dz, dy, m.w)
		m.unmix(dx, dp, dz, first, images)
	}
	if m.drop.Rate > 0 {
		m.masked(dp, dp)
	}
}

// unmix adds dX = Σ_h P_hᵀ·dZ_h image by image, and dP_h = Σ_b dZ_h·Xᵀ head by head.
func (m *fullRun) unmix(dx, dp []float32, dz gemm.Mat, first, images int) {
	add := gemm.Plan{Add: true, Serial: true}
	threads.Parallel(images+m.heads, func(i int) {
		if i >= images {
			h := i - images
			for t := range images {
				add.Mul(m.weights(dp, h), m.factor(m.head(dz, t, h)), m.factor(m.image(m.x, first+t).T()))
			}
			return
		}
		if dx != nil {
			for h := range m.heads {
				add.Mul(m.image(dx, first+i), m.factor(m.weights(m.p, h).T()), m.factor(m.head(dz, i, h)))
			}
		}
	})
}
