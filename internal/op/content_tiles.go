package op

import (
	"github.com/attnconv/attnconv/internal/gemm"
	"github.com/attnconv/attnconv/internal/kernel/pool"
	"github.com/attnconv/attnconv/internal/kernel/vec"
)

// tileFloats is about how many weights are made at a time, of some queries and all keys. With what is made of the keys
// and values of an image they stay in the second-level cache.
const tileFloats = 1 << 15

func (m *contentMix) tileRows() int { return min(m.tokens, max(48, tileFloats/m.tokens)) }

// A contentTile is what one goroutine works with: an image's keys and values, packed for products, and the weights of
// some queries of one head.
type contentTile struct {
	*contentMix
	keys, values                             gemm.Mat // Kᵀ (d, tokens), V (tokens, e)
	keysT, valuesT                           gemm.Mat // K and Vᵀ: for backward alone
	keyRoom, keyTRoom, valueRoom, valueTRoom []float32

	b, h, first, n int       // which image, head, and queries
	p, d           []float32 // (n, tokens): scores, then weights; their gradients
	shifts         []float32 // (n, rows+cols): what the queries give each row and column of keys
	strips, panels []float32 // memory of packed A, and of packed B
	room           *[]float32
}

// tile borrows the memory of a goroutine that goes backward too, or not.
func (m *contentMix) tile(backward bool) *contentTile {
	n, e, d, t := m.tileRows(), m.value.size, m.query.size, m.tokens
	most := max(d, e)
	sizes := []int{
		gemm.PackedBFloats(d, t), gemm.PackedBFloats(t, e), 0, 0, n * t, 0, n * (m.Rows + m.Cols),
		n * max(most, t, m.Rows+m.Cols), 0,
	}
	if backward {
		sizes[2], sizes[3], sizes[5] = gemm.PackedBFloats(t, d), gemm.PackedBFloats(e, t), n*t
		sizes[8] = gemm.PackedBFloats(n, most)
	}
	sum := 0
	for _, size := range sizes {
		sum += size
	}
	w := &contentTile{contentMix: m, room: pool.Get(sum)}
	rest := *w.room
	for i, to := range []*[]float32{
		&w.keyRoom, &w.valueRoom, &w.keyTRoom, &w.valueTRoom, &w.p, &w.d, &w.shifts, &w.strips, &w.panels,
	} {
		*to, rest = rest[:sizes[i]], rest[sizes[i]:]
	}
	return w
}

func (w *contentTile) end() { pool.Put(w.room) }

// begin packs the keys and values of image b and head h, but for what all heads share and the last head has packed.
func (w *contentTile) begin(b, h int, again, backward bool) {
	w.b, w.h = b, h
	if w.Content && !(again && w.key.forAll()) {
		k := w.image(&w.key, w.key.x, b, h)
		w.keys = gemm.PackB(k.T(), w.keyRoom)
		if backward {
			w.keysT = gemm.PackB(k, w.keyTRoom)
		}
	}
	if again && w.value.forAll() {
		return
	}
	v := w.image(&w.value, w.value.x, b, h)
	if !backward {
		w.values = gemm.PackB(v, w.valueRoom)
	} else if w.KeyIsValue && w.key.forAll() == w.value.forAll() {
		w.valuesT = w.keys
	} else {
		w.valuesT = gemm.PackB(v.T(), w.valueTRoom)
	}
}

// eachTile calls f for the queries of an image, some at a time.
func (w *contentTile) eachTile(f func()) {
	size := w.tileRows()
	for w.first = 0; w.first < w.tokens; w.first += size {
		w.n = min(size, w.tokens-w.first)
		f()
	}
}

// of views the rows of the tile's queries in x: (n, size).
func (w *contentTile) of(l *lot, x []float32) gemm.Mat {
	return w.image(l, x, w.b, w.h).Block(w.first, 0, w.n, l.size)
}

// square views the tile's part of p or d.
func (w *contentTile) square(x []float32) gemm.Mat {
	return gemm.Matrix(x[:w.n*w.tokens], w.n, w.tokens)
}

// times sets c = a·b, or adds it.
func (w *contentTile) times(c, a, b gemm.Mat, add bool) {
	gemm.Plan{Add: add}.Mul(c, gemm.PackA(a, w.strips), b)
}

// scores sets p to the scores of the tile.
func (w *contentTile) scores() {
	p := w.square(w.p)
	if w.Content {
		w.times(p, w.of(&w.query, w.query.x), w.keys, false)
		if w.Scale != 1 {
			vec.ScaleSerial(w.Scale, w.p[:w.n*w.tokens])
		}
	}
	if !w.Position {
		return
	}
	wide := w.Rows + w.Cols
	for i := range w.n { // the windows of shifts that reach the keys from here
		t, to := w.first+i, w.shifts[i*wide:(i+1)*wide]
		copy(to[:w.Rows], w.token(&w.row, w.row.x, w.b, w.h, t)[w.Rows-1-t/w.Cols:])
		copy(to[w.Rows:], w.token(&w.col, w.col.x, w.b, w.h, t)[w.Cols-1-t%w.Cols:])
	}
	w.times(p, gemm.Matrix(w.shifts[:w.n*wide], w.n, wide), w.places, w.Content)
}

// forward sets what heads lo to hi make of image b.
func (m *contentMix) forward(z []float32, b, lo, hi int) {
	w, out := m.tile(false), m.outOf()
	for h := lo; h < hi; h++ {
		w.begin(b, h, h > lo, false)
		w.eachTile(func() {
			w.scores()
			vec.SoftmaxDrop(w.p[:w.n*m.tokens], m.tokens, m.Drop.now(), m.maskRow(b, h, w.first))
			w.times(w.of(out, z), w.square(w.p), w.values, false)
		})
	}
	w.end()
}

// backward sets all gradients of image b: with P the weights under the mask, of one head,
//
//	dV = Pᵀ·dZ,  dA = p·(mask·dZ·Vᵀ - …),  dQ = dA·K,  dK = dAᵀ·Q
func (m *contentMix) backward(dz []float32, b int) {
	for _, l := range []*lot{&m.value, &m.key} {
		if l.dx != nil {
			clear(l.dx[b*m.tokens*l.wide : (b+1)*m.tokens*l.wide])
		}
	}
	w, out := m.tile(true), m.outOf()
	for h := range m.Count {
		w.begin(b, h, h > 0, true)
		w.eachTile(func() { w.backward(w.of(out, dz)) })
	}
	w.end()
}

// backward hands dZ of the tile's queries on to the inputs.
func (w *contentTile) backward(dz gemm.Mat) {
	w.scores()
	w.times(w.square(w.d), dz, w.valuesT, false)
	p, d := w.p[:w.n*w.tokens], w.d[:w.n*w.tokens]
	vec.SoftmaxDropGrad(d, p, w.tokens, w.Drop.now(), w.maskRow(w.b, w.h, w.first))
	if w.value.dx != nil {
		w.addTimes(&w.value, w.square(p), dz)
	}
	if w.Position {
		w.shiftGrads()
	}
	if !w.Content {
		return
	}
	if w.Scale != 1 {
		vec.ScaleSerial(w.Scale, d)
	}
	w.times(w.of(&w.query, w.query.dx), w.square(d), w.keysT, false)
	if w.key.dx != nil {
		w.addTimes(&w.key, w.square(d), w.of(&w.query, w.query.x))
	}
}

// addTimes adds aᵀ·b to the gradient of a lot.
func (w *contentTile) addTimes(l *lot, a, b gemm.Mat) {
	w.times(w.image(l, l.dx, w.b, w.h), a.T(), gemm.PackB(b, w.panels), true)
}

// shiftGrads hands the gradients of the scores to those of the shifts.
func (w *contentTile) shiftGrads() {
	wide := w.Rows + w.Cols
	w.times(gemm.Matrix(w.shifts[:w.n*wide], w.n, wide), w.square(w.d), w.placesT, false)
	for i := range w.n {
		t, from := w.first+i, w.shifts[i*wide:(i+1)*wide]
		window(w.token(&w.row, w.row.dx, w.b, w.h, t), from[:w.Rows], w.Rows-1-t/w.Cols)
		window(w.token(&w.col, w.col.dx, w.b, w.h, t), from[w.Rows:], w.Cols-1-t%w.Cols)
	}
}

// window sets dst to zeros but for src from at on.
func window(dst, src []float32, at int) {
	clear(dst)
	copy(dst[at:], src)
}
