package op

import (
	"github.com/attnconv/attnconv/internal/gemm"
	"github.com/attnconv/attnconv/internal/kernel/pool"
	"github.com/attnconv/attnconv/internal/kernel/vec"
)

// tileFloats is about how many weights a tile has. With the packed keys and values of an image they stay in the
// second-level cache.
const tileFloats = 1 << 15

// tileRows is how many queries a tile has.
func (n contentSizes) tileRows() int { return min(n.tokens, max(48, tileFloats/n.tokens)) }

// contentScratch is what one goroutine works in, from the pool.
type contentScratch struct {
	keys, values   []float32 // Kᵀ (d, tokens) and V (tokens, e), packed
	keysT, valuesT []float32 // K (tokens, d) and Vᵀ (e, tokens), packed, in backward
	p, d           []float32 // of a tile, (queries, tokens): scores, then weights; their gradients
	strips, panels []float32 // a packed left factor, and a right one
	pooled         *[]float32
}

func (n contentSizes) newScratch(backward bool) *contentScratch {
	rows, d, e, t := n.tileRows(), n.query.channels, n.value.channels, n.tokens
	s := &contentScratch{}
	parts := []struct {
		floats   int
		to       *[]float32
		backward bool // only in backward
	}{
		{gemm.PackedBFloats(d, t), &s.keys, false},
		{gemm.PackedBFloats(t, e), &s.values, false},
		{gemm.PackedBFloats(t, d), &s.keysT, true},
		{gemm.PackedBFloats(e, t), &s.valuesT, true},
		{rows * t, &s.p, false},
		{rows * t, &s.d, true},
		{rows * max(d, e, t), &s.strips, false},
		{gemm.PackedBFloats(rows, max(d, e)), &s.panels, true},
	}
	sum := 0
	for _, p := range parts {
		if backward || !p.backward {
			sum += p.floats
		}
	}
	s.pooled = pool.Get(sum)
	rest := *s.pooled
	for _, p := range parts {
		if backward || !p.backward {
			*p.to, rest = rest[:p.floats], rest[p.floats:]
		}
	}
	return s
}

func (s *contentScratch) release() { pool.Put(s.pooled) }

// A contentTile is some queries of one head of one image, with all keys.
type contentTile struct {
	*contentRun
	*contentScratch
	isBackward     bool
	b, h, first, n int // the image, the head, and its n queries from the first one on
}

func (m *contentRun) forwardTile(b int) *contentTile {
	return &contentTile{contentRun: m, contentScratch: m.newScratch(false), b: b}
}

func (m *contentRun) backwardTile(b int) *contentTile {
	return &contentTile{contentRun: m, contentScratch: m.newScratch(true), b: b, isBackward: true}
}

// begin goes to head h, before its first tile, and packs its keys and values: if it is not the goroutine's first head,
// only those that heads do not share.
func (t *contentTile) begin(h int, first bool) {
	t.h, t.first, t.n = h, 0, 0
	if t.Content && (first || !t.key.shared()) {
		k := t.head(t.key, t.x(t.key), t.b, h)
		gemm.PackB(k.T(), t.keys)
		if t.isBackward {
			gemm.PackB(k, t.keysT)
		}
	}
	if first || !t.value.shared() {
		switch v := t.head(t.value, t.x(t.value), t.b, h); {
		case !t.isBackward:
			gemm.PackB(t.Factors.of(v), t.values)
		case !t.valuesAreKeys():
			gemm.PackB(t.Factors.of(v.T()), t.valuesT)
		}
	}
}

// next goes to the head's next tile, and reports whether there is one.
func (t *contentTile) next() bool {
	t.first += t.n
	t.n = min(t.tileRows(), t.tokens-t.first)
	return t.n > 0
}

// packedKeys is Kᵀ (d, tokens), packedKeysT its transpose; packedValues is V (tokens, e), packedValuesT its transpose.
func (t *contentTile) packedKeys() gemm.Mat  { return gemm.Panels(t.keys, t.key.channels, t.tokens) }
func (t *contentTile) packedKeysT() gemm.Mat { return gemm.Panels(t.keysT, t.tokens, t.key.channels) }
func (t *contentTile) packedValues() gemm.Mat {
	return t.Factors.of(gemm.Panels(t.values, t.tokens, t.value.channels))
}

func (t *contentTile) packedValuesT() gemm.Mat {
	if t.valuesAreKeys() {
		return t.packedKeys()
	}
	return t.Factors.of(gemm.Panels(t.valuesT, t.value.channels, t.tokens))
}

// valuesAreKeys reports whether what is packed of the keys serves as the values.
func (t *contentTile) valuesAreKeys() bool {
	return t.Content && t.KeyIsValue && t.Factors == Float32
}

// of views the rows of the tile's queries in an operand's tensor: (n, channels).
func (t *contentTile) of(o operand, x []float32) gemm.Mat {
	return t.head(o, x, t.b, t.h).Block(t.first, 0, t.n, o.channels)
}

// weights views the tile's part of p: (n, tokens).
func (t *contentTile) weights() gemm.Mat { return gemm.Matrix(t.p[:t.n*t.tokens], t.n, t.tokens) }

// weightGrads views the tile's part of d: (n, tokens).
func (t *contentTile) weightGrads() gemm.Mat { return gemm.Matrix(t.d[:t.n*t.tokens], t.n, t.tokens) }

// mul sets c = a·b, or adds it, for a packed b.
func (t *contentTile) mul(c, a, b gemm.Mat, add bool) {
	gemm.Plan{Add: add}.Mul(c, gemm.PackA(a, t.strips), b)
}

// forward sets Z of the tile.
func (t *contentTile) forward(z []float32) {
	t.scores()
	vec.SoftmaxDrop(t.p[:t.n*t.tokens], t.tokens, t.Drop.now(), t.maskRow(t.b, t.h, t.first))
	t.mul(t.of(t.result, z), t.Factors.of(t.weights()), t.packedValues(), false)
}

// scores sets p to A = Scale·Q·Kᵀ + Row + Col + Shift.
func (t *contentTile) scores() {
	if t.Content {
		t.mul(t.weights(), t.of(t.query, t.x(t.query)), t.packedKeys(), false)
		if t.Scale != 1 {
			vec.ScaleSerial(t.Scale, t.p[:t.n*t.tokens])
		}
	}
	if !t.Content {
		clear(t.p[:t.n*t.tokens])
	}
	if t.Position {
		for i := range t.n {
			rows, cols := t.shifts(t.row, t.x(t.row), i), t.shifts(t.col, t.x(t.col), i)
			vec.AddOuter(nth(t.p, i, t.tokens), t.toRows(rows, i), t.toCols(cols, i))
		}
	}
	if t.Shift {
		t.eachShift(t.p, nth(t.x(t.shift), t.h, t.shift.channels), func(p, s []float32) { vec.AddSerial(p, p, s) })
	}
}

// eachShift calls f with each row of keys of each query of the tile: its part of p, and of a table of all shifts.
func (t *contentTile) eachShift(p, table []float32, f func(p, table []float32)) {
	rows, cols := t.Heads.Rows, t.Heads.Cols
	for i := range t.n {
		q := t.first + i
		for k := range rows {
			at := (k-q/cols+rows-1)*(2*cols-1) + cols - 1 - q%cols
			f(p[i*t.tokens+k*cols:][:cols], table[at:at+cols])
		}
	}
}

// shifts is what the tile's query i has in the tensor of Row or of Col: an element for each shift along that axis.
// toRows are those to the rows of keys, toCols those to the columns.
func (t *contentTile) shifts(o operand, x []float32, i int) []float32 {
	return t.token(o, x, t.b, t.h, t.first+i)
}

func (t *contentTile) toRows(shifts []float32, i int) []float32 {
	return shifts[t.Heads.Rows-1-(t.first+i)/t.Heads.Cols:][:t.Heads.Rows]
}

func (t *contentTile) toCols(shifts []float32, i int) []float32 {
	return shifts[t.Heads.Cols-1-(t.first+i)%t.Heads.Cols:][:t.Heads.Cols]
}

// backward sets, or adds, the gradients of the tile: with m the mask and p = softmax(A),
//
//	dV += (m∘p)ᵀ·dZ,  dA = p∘(m∘dZ·Vᵀ - Σ_k p∘m∘dZ·Vᵀ),  dQ = Scale·dA·K,  dK += Scale·dAᵀ·Q
func (t *contentTile) backward(dz []float32) {
	t.scores()
	dZ := t.Factors.of(t.of(t.result, dz))
	t.mul(t.weightGrads(), dZ, t.packedValuesT(), false)
	p, d := t.p[:t.n*t.tokens], t.d[:t.n*t.tokens]
	vec.SoftmaxDropGrad(d, p, t.tokens, t.Drop.now(), t.maskRow(t.b, t.h, t.first))
	t.addGrad(t.value, t.Factors.of(t.weights()), dZ)
	if t.Position {
		t.shiftGrads()
	}
	if t.Shift {
		t.eachShift(d, t.shiftGrad(t.b, t.h), func(d, sum []float32) { vec.AddSerial(sum, sum, d) })
	}
	if t.Content {
		if t.Scale != 1 {
			vec.ScaleSerial(t.Scale, d)
		}
		t.mul(t.of(t.query, t.grad(t.query)), t.weightGrads(), t.packedKeysT(), false)
		t.addGrad(t.key, t.weightGrads(), t.of(t.query, t.x(t.query)))
	}
}

// addGrad adds aᵀ·b to the gradient of an operand, if it is wanted.
func (t *contentTile) addGrad(o operand, a, b gemm.Mat) {
	if d := t.grad(o); d != nil {
		t.mul(t.head(o, d, t.b, t.h), a.T(), gemm.PackB(b, t.panels), true)
	}
}

// shiftGrads sets the gradients of the tile's shifts: the sums of dA over the keys of a row, and of a column.
func (t *contentTile) shiftGrads() {
	for i := range t.n {
		rows, cols := t.shifts(t.row, t.grad(t.row), i), t.shifts(t.col, t.grad(t.col), i)
		clear(rows)
		clear(cols)
		vec.SumOuter(t.toRows(rows, i), t.toCols(cols, i), nth(t.d, i, t.tokens))
	}
}
