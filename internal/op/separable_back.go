package op

import "github.com/attnconv/attnconv/internal/kernel"

// separableBack is the memory of the backward of a separableMix. It works chunk by chunk: while the pictures of one
// chunk are mixed, dW takes in those of the chunk before.
type separableBack struct {
	chunk, segments int
	slots           [2]slots
	dr, dc          []float32 // of each picture and head
}

// slots hold what dW needs of a chunk: Z of each picture, head and segment, and dyᵀ of each picture and segment.
type slots struct {
	z        []kernel.Right
	dyt      []kernel.Left
	zs, dyts []float32
}

const (
	chunkTokens   = 2048
	segmentTokens = 400 // a longer sum over tokens is cut: its factors would leave the caches
	pieceCols     = 144 // of dW that one task makes
)

func newSeparableBack(m *separableMix) (b separableBack) {
	b.chunk = min(m.batch, max(1, chunkTokens/m.tokens))
	b.segments = (m.tokens + m.segment() - 1) / m.segment()
	for i := range b.slots {
		b.slots[i].z = make([]kernel.Right, b.chunk*m.heads*b.segments)
		b.slots[i].dyt = make([]kernel.Left, b.chunk*b.segments)
	}
	return b
}

// segment is the number of tokens in a segment: whole rows of pixels.
func (m *separableMix) segment() int { return m.cols * min(m.rows, max(1, segmentTokens/m.cols)) }

func (m *separableMix) backRooms() []room {
	b := &m.back
	rooms := []room{
		{m.heads * kernel.RightSize(m.out, m.in), &m.backMapRoom},
		{m.batch * m.heads * m.rows * m.rows, &b.dr},
		{m.batch * m.heads * m.cols * m.cols, &b.dc},
	}
	for i := range b.slots {
		rooms = append(rooms, room{b.chunk * m.heads * kernel.RightSize(m.tokens, m.in), &b.slots[i].zs},
			room{b.chunk * m.tokens * m.out, &b.slots[i].dyts})
	}
	return rooms
}

// backward sets the gradients of x, R, C and W in d; that of x may be nil.
func (m *separableMix) backward(d [][]float32, dy, x, w []float32) {
	wm := kernel.Matrix(w, m.out, m.heads*m.in)
	size := kernel.RightSize(m.out, m.in)
	kernel.Parallel(m.heads, func(h int) {
		m.maps[h].Pack(wm.Block(0, h*m.in, m.out, m.in), m.backMapRoom[h*size:(h+1)*size])
	})
	chunk := m.back.chunk
	pieces := (m.in + pieceCols - 1) / pieceCols
	for first := 0; first < m.batch+chunk; first += chunk {
		now, before := &m.back.slots[first/chunk%2], &m.back.slots[(first/chunk+1)%2]
		n, tasks := max(0, min(chunk, m.batch-first)), 0
		if first > 0 {
			tasks = m.heads * pieces
		}
		kernel.Parallel(n+tasks, func(t int) {
			if t < n {
				b := first + t
				m.backPicture(now, t, b, m.picture(dy, b), m.picture(x, b), m.gradient(d[0], b))
				return
			}
			m.mapGrad(d[3], before, min(chunk, m.batch-first+chunk), (t-n)/pieces, (t-n)%pieces, first > chunk)
		})
	}
	m.sumWeightGrads(d[1], d[2])
}

func (m *separableMix) gradient(dx []float32, b int) []float32 {
	if dx == nil {
		return nil
	}
	return m.picture(dx, b)
}

// backPicture does one picture, head by head: with V and Z made again,
//
//	dZ = dy·W_h,  U = (I⊗Cᵀ)·dZ,  dX += (Rᵀ⊗I)·U,  dR[i,k] = Σ U[i]·X[k],  dC[j,l] = Σ_i dZ[i,j]·V[i,l]
//
// less what the dropped pairs would have added. It leaves Z and dyᵀ in slot t for mapGrad.
func (m *separableMix) backPicture(s *slots, t, b int, dy, x, dx []float32) {
	size := m.tokens * m.in
	room := kernel.Borrow(2*size + m.tokens*m.out)
	z, v := (*room)[:size], (*room)[size:2*size]
	var left kernel.Left
	dym := kernel.Matrix(dy, m.tokens, m.out)
	left.Pack(dym, (*room)[2*size:])
	m.eachSegment(func(k, lo, n int) {
		dyt := s.dyts[(t*m.tokens+lo)*m.out:]
		s.dyt[t*m.back.segments+k].Pack(dym.Block(lo, 0, n, m.out).T(), dyt)
	})
	rows, cols := m.rows*m.rows, m.cols*m.cols
	for h := range m.heads {
		for band, at := 0, 0; band < m.bands(); band++ {
			at += m.in * m.mix(z[at:], v[at:], x, h, band)
		}
		m.eachSegment(func(k, lo, n int) {
			i := (t*m.heads+h)*m.back.segments + k
			at := (t*m.heads+h)*kernel.RightSize(m.tokens, m.in) + kernel.RightSize(lo, m.in)
			s.z[i].Pack(kernel.Matrix(z[lo*m.in:(lo+n)*m.in], n, m.in), s.zs[at:at+kernel.RightSize(n, m.in)])
		})
		dz, u := z, v
		kernel.MulPacked(kernel.Matrix(dz, m.tokens, m.in), &left, &m.maps[h], false)
		dr, dc := m.back.dr[(b*m.heads+h)*rows:][:rows], m.back.dc[(b*m.heads+h)*cols:][:cols]
		for i := range m.rows {
			kernel.MulRowsSerial(kernel.Matrix(dc, m.cols, m.cols), m.line(dz, i), m.line(v, i), i > 0)
		}
		for i := range m.rows {
			kernel.MulLeft(m.line(u, i), &m.left[h].ct, m.line(dz, i), false)
		}
		kernel.MulRowsSerial(kernel.Matrix(dr, m.rows, m.rows), m.lines(u, m.rows, m.in), m.lines(x, m.rows, m.in), false)
		if dx != nil {
			kernel.MulLeft(m.lines(dx, m.rows, m.in), &m.left[h].rt, m.lines(u, m.rows, m.in), h > 0)
		}
		if m.drop.Rate > 0 {
			if dx != nil {
				kernel.SubPairs(dx, m.in, dz, m.in, m.in, &m.pairs.byKey[h])
			}
			m.pairs.weightGrads(dr, dc, h, dz, m.in, x, m.in)
		}
	}
	kernel.GiveBack(room)
}

// eachSegment calls f for every segment of a picture's tokens: n of them from lo on.
func (m *separableMix) eachSegment(f func(k, lo, n int)) {
	for k, lo := 0, 0; lo < m.tokens; k, lo = k+1, lo+m.segment() {
		f(k, lo, min(m.segment(), m.tokens-lo))
	}
}

// mapGrad adds Σ dyᵀ·Z over n pictures to one piece of head h's part of dW, or sets it.
func (m *separableMix) mapGrad(dw []float32, s *slots, n, h, piece int, add bool) {
	pieces := (m.in + pieceCols - 1) / pieceCols
	wide := kernel.RightSize(1, (m.in+pieces-1)/pieces)
	j := piece * wide
	if j >= m.in {
		return
	}
	cols := min(wide, m.in-j)
	c := kernel.Matrix(dw, m.out, m.heads*m.in).Block(0, h*m.in+j, m.out, cols)
	for t := range n {
		for k := range m.back.segments {
			z := s.z[(t*m.heads+h)*m.back.segments+k].Cols(j, cols)
			kernel.MulPacked(c, &s.dyt[t*m.back.segments+k], &z, add || t > 0 || k > 0)
		}
	}
}

// sumWeightGrads adds up the gradients of R and C over the pictures, in their order.
func (m *separableMix) sumWeightGrads(dr, dc []float32) {
	scale := 1 / (1 - m.drop.Rate) // dR is of the scaled R; dC has the scale in V
	rr, cc := m.rows*m.rows, m.cols*m.cols
	kernel.Parallel(m.heads, func(h int) {
		r, c := dr[h*rr:(h+1)*rr], dc[h*cc:(h+1)*cc]
		clear(r)
		clear(c)
		for b := range m.batch {
			kernel.Axpy(scale, m.back.dr[(b*m.heads+h)*rr:][:rr], r)
			kernel.Axpy(1, m.back.dc[(b*m.heads+h)*cc:][:cc], c)
		}
	})
}
