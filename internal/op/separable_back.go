package op

import (
	"github.com/attnconv/attnconv/internal/gemm"
	"github.com/attnconv/attnconv/internal/kernel/pool"
	"github.com/attnconv/attnconv/internal/kernel/threads"
	"github.com/attnconv/attnconv/internal/kernel/vec"
)

// separableBack is the memory of the backward of a separableMix. It works chunk by chunk: while the images of one
// chunk are mixed, dW takes in those of the chunk before.
type separableBack struct {
	chunk, segments int
	maps            []gemm.Mat // W_h
	slots           [2]slots
	dr, dc          []float32 // of each image and head
}

// slots hold what dW needs of a chunk: Z of each image, head, slice and segment, and dyᵀ of each image and segment.
type slots struct {
	z        []gemm.Mat
	dyt      []gemm.Mat
	zs, dyts []float32
}

const (
	chunkTokens   = 2048
	segmentTokens = 400 // a longer sum over tokens is cut: its factors would leave the caches
)

func newSeparableBack(m *separableMix) (b separableBack) {
	b.chunk = min(m.batch, max(1, chunkTokens/m.tokens))
	b.segments = (m.tokens + m.segment() - 1) / m.segment()
	b.maps = make([]gemm.Mat, m.heads)
	for i := range b.slots {
		b.slots[i].z = make([]gemm.Mat, b.chunk*m.heads*len(m.slices)*b.segments)
		b.slots[i].dyt = make([]gemm.Mat, b.chunk*b.segments)
	}
	return b
}

// segment is the number of tokens in a segment: whole rows of pixels.
func (m *separableMix) segment() int { return m.cols * min(m.rows, max(1, segmentTokens/m.cols)) }

func (m *separableMix) backScratch() []Scratch {
	b := &m.back
	all := []Scratch{
		{m.heads * gemm.PackedBFloats(m.out, m.in), &m.backMapRoom},
		{m.batch * m.heads * m.rows * m.rows, &b.dr},
		{m.batch * m.heads * m.cols * m.cols, &b.dc},
	}
	for i := range b.slots {
		all = append(all, Scratch{b.chunk * m.heads * gemm.PackedBFloats(m.tokens, m.in), &b.slots[i].zs},
			Scratch{b.chunk * m.tokens * m.out, &b.slots[i].dyts})
	}
	return all
}

// backward sets the gradients of x, R, C and W in d; that of x may be nil.
func (m *separableMix) backward(d [][]float32, dy, x, w []float32) {
	wm := gemm.Matrix(w, m.out, m.heads*m.in)
	size := gemm.PackedBFloats(m.out, m.in)
	threads.Parallel(m.heads, func(h int) {
		m.back.maps[h] = gemm.PackB(wm.Block(0, h*m.in, m.out, m.in), m.backMapRoom[h*size:(h+1)*size])
	})
	chunk := m.back.chunk
	for first := 0; first < m.batch+chunk; first += chunk {
		now, before := &m.back.slots[first/chunk%2], &m.back.slots[(first/chunk+1)%2]
		n, tasks := max(0, min(chunk, m.batch-first)), 0
		if first > 0 {
			tasks = m.heads * m.pieces()
		}
		threads.Parallel(n+tasks, func(t int) {
			if t < n {
				b := first + t
				m.backImage(now, t, b, m.image(dy, b), m.image(x, b), m.gradient(d[0], b))
				return
			}
			m.mapGrad(d[3], before, min(chunk, m.batch-first+chunk), (t-n)/m.pieces(), (t-n)%m.pieces(), first > chunk)
		})
	}
	m.sumWeightGrads(d[1], d[2])
}

func (m *separableMix) gradient(dx []float32, b int) []float32 {
	if dx == nil {
		return nil
	}
	return m.image(dx, b)
}

// backImage does one image, slice by slice and head by head: with V and Z made again,
//
//	dZ = dy·W_h,  U = (I⊗Cᵀ)·dZ,  dX += (Rᵀ⊗I)·U,  dR[i,k] = Σ U[i]·X[k],  dC[j,l] = Σ_i dZ[i,j]·V[i,l]
//
// less what the dropped pairs would have added. It leaves Z and dyᵀ in slot t for mapGrad.
func (m *separableMix) backImage(to *slots, t, b int, dy, x, dx []float32) {
	size := m.tokens * m.slices[0].ld
	room := pool.Get(4*size + m.tokens*m.out)
	xs, v, z, rest := cut(*room, size, size, size)
	dxs, strips := rest[:size], rest[size:]
	dym := gemm.Matrix(dy, m.tokens, m.out)
	left := gemm.PackA(dym, strips)
	m.eachSegment(func(k, lo, n int) {
		to.dyt[t*m.back.segments+k] = gemm.PackA(dym.Block(lo, 0, n, m.out).T(), to.dyts[(t*m.tokens+lo)*m.out:])
	})
	dots := m.pairs.dots()
	for k, s := range m.slices {
		s.take(xs, x, m.in)
		for h := range m.heads {
			for band, at := 0, 0; band < m.bands(); band++ {
				at += s.ld * m.mix(z[at:], v[at:], xs[:m.tokens*s.ld], s, h, band)
			}
			m.keep(to, z, t, h, k)
			dz, u := z, v
			w := m.back.maps[h].Cols(s.j, s.n)
			gemm.Mul(s.tokens(dz, m.tokens), left, w)
			dr, dc := m.weightGrads(b, h)
			gemm.Dots(gemm.Matrix(dc, m.cols, m.cols), dz, v, s.ld, s.n, m.rows, m.cols*s.ld, k > 0)
			m.mixCols(u, m.left[h].ct, dz, s, m.rows)
			gemm.Dots(gemm.Matrix(dr, m.rows, m.rows), u, xs, m.cols*s.ld, m.cols*s.ld, 1, 0, k > 0)
			if dx != nil {
				gemm.Plan{Add: h > 0, InPlaceB: true}.Mul(m.lines(s, dxs, m.rows), m.left[h].rt, m.lines(s, u, m.rows))
			}
			if m.drop.Rate > 0 {
				if dx != nil {
					vec.SubPairs(dxs[:m.tokens*s.ld], s.ld, dz, s.ld, s.n, &m.pairs.byKey[h])
				}
				vec.PairDots(m.pairs.of(*dots, h), dz, s.ld, xs, s.ld, s.n, &m.pairs.byQuery[h])
			}
		}
		if dx != nil {
			s.put(dx, dxs, m.in)
		}
	}
	if m.drop.Rate > 0 {
		for h := range m.heads {
			dr, dc := m.weightGrads(b, h)
			m.pairs.weightGrads(dr, dc, h, m.pairs.of(*dots, h))
		}
	}
	pool.Put(dots)
	pool.Put(room)
}

// weightGrads is where the gradients of R and C of image b and head h go.
func (m *separableMix) weightGrads(b, h int) (dr, dc []float32) {
	rows, cols := m.rows*m.rows, m.cols*m.cols
	return m.back.dr[(b*m.heads+h)*rows:][:rows], m.back.dc[(b*m.heads+h)*cols:][:cols]
}

// keep packs a slice's Z of head h for mapGrad.
func (m *separableMix) keep(to *slots, z []float32, t, h, k int) {
	s := m.slices[k]
	m.eachSegment(func(g, lo, n int) {
		at := (t*m.heads+h)*gemm.PackedBFloats(m.tokens, m.in) + gemm.PackedBFloats(m.tokens, s.j) + gemm.PackedBFloats(lo, s.n)
		to.z[m.slot(t, h, k, g)] = gemm.PackB(s.tokens(z[lo*s.ld:], n), to.zs[at:at+gemm.PackedBFloats(n, s.n)])
	})
}

// slot is the place of Z of image t of a chunk, head h, slice k and segment g.
func (m *separableMix) slot(t, h, k, g int) int {
	return ((t*m.heads+h)*len(m.slices)+k)*m.back.segments + g
}

// eachSegment calls f for every segment of an image's tokens: n of them from lo on.
func (m *separableMix) eachSegment(f func(k, lo, n int)) {
	for k, lo := 0, 0; lo < m.tokens; k, lo = k+1, lo+m.segment() {
		f(k, lo, min(m.segment(), m.tokens-lo))
	}
}

// pieceCols is how many columns of dW one task makes: few, so that no goroutine waits long for the last one. It is a
// multiple of what a packed B can be cut into.
const pieceCols = 64

// pieces is the number of tasks that make one head's part of dW.
func (m *separableMix) pieces() int { return (m.in + pieceCols - 1) / pieceCols }

// mapGrad adds Σ dyᵀ·Z over n images to a piece of head h's part of dW, or sets it.
func (m *separableMix) mapGrad(dw []float32, from *slots, n, h, piece int, add bool) {
	j := piece * pieceCols
	k := j / sliceCols
	cols := min(pieceCols, m.in-j)
	c := gemm.Matrix(dw, m.out, m.heads*m.in).Block(0, h*m.in+j, m.out, cols)
	for t := range n {
		for g := range m.back.segments {
			z := from.z[m.slot(t, h, k, g)].Cols(j-m.slices[k].j, cols)
			gemm.Plan{Add: add || t+g > 0}.Mul(c, from.dyt[t*m.back.segments+g], z)
		}
	}
}

// sumWeightGrads adds up the gradients of R and C over the images, in their order.
func (m *separableMix) sumWeightGrads(dr, dc []float32) {
	scale := 1 / (1 - m.drop.Rate) // dR is of the scaled R; dC has the scale in V
	rr, cc := m.rows*m.rows, m.cols*m.cols
	threads.Parallel(m.heads, func(h int) {
		r, c := dr[h*rr:(h+1)*rr], dc[h*cc:(h+1)*cc]
		clear(r)
		clear(c)
		for b := range m.batch {
			ofR, ofC := m.weightGrads(b, h)
			vec.Axpy(scale, ofR, r)
			vec.Axpy(1, ofC, c)
		}
	})
}
