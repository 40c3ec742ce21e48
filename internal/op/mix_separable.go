package op

import "github.com/attnconv/attnconv/internal/kernel"

// MixSeparable is MixFull for heads whose weights are a product of one along rows and one along columns,
//
//	P[h, (i,j), (k,l)] = R[h,i,k] · C[h,j,l],
//
// which the softmax of any score f(row) + g(column) is. The T × T map is never built: V = (R⊗I)·X mixes rows, Z =
// (I⊗C)·V columns, with rows+cols multiplications a number instead of rows·cols.
//
// x (batch, rows·cols, in), R (heads, rows, rows), C (heads, cols, cols), W (out, heads·in), bias (out) -> y (batch,
// rows·cols, out)
//
// Dropout masks single (query, key) pairs and so breaks the product. It is done exactly all the same: the product
// stands, and the dropped pairs are subtracted, Z[q] -= Σ P[q,k]·X[k], forward and backward. Pairs with P < 2⁻³² do not
// count. The mask is the one that MixFull would draw.
func MixSeparable(x, r, c, w, bias *Node, drop Dropout) *Node {
	return apply(mixSeparable(x.Shape(), r.Shape(), c.Shape(), w.Shape(), drop), x, r, c, w, bias)
}

func mixSeparable(x, r, c, w Shape, drop Dropout) def {
	if x.Dims() != 3 || r.Dims() != 3 || c.Dims() != 3 || w.Dims() != 2 {
		return refuse("mix-separable", mixWant)
	}
	m := newSeparableMix(x, r[0], r[1], c[1], w[0], drop)
	return def{
		name: "mix-separable" + drop.String(),
		want: mixWant,
		shape: func(s []Shape) (Shape, bool) {
			ok := r.Eq(Shape{m.heads, m.rows, m.rows}) && c.Eq(Shape{m.heads, m.cols, m.cols}) &&
				m.tokens == m.rows*m.cols && w[1] == m.heads*m.in && s[4].Eq(Shape{m.out})
			return Shape{m.batch, m.tokens, m.out}, ok
		},
		rooms:     m.rooms(),
		backRooms: m.backRooms(),
		unread:    []int{4, output},
		fwd: func(y []float32, a [][]float32) {
			m.weigh(a[1], a[2])
			m.forward(y, a[0], a[3], a[4])
		},
		bwd: func(d [][]float32, dy, _ []float32, a [][]float32) {
			m.weigh(a[1], a[2])
			m.backward(d, dy, a[0], a[3])
			kernel.SumRows(d[4], dy)
		},
	}
}

// A separableMix works head by head on parts of one picture that stay in the second-level cache: Z, which is heads
// times as large as X, is never in memory as a whole.
type separableMix struct {
	batch, tokens, heads, in, out, rows, cols int
	drop                                      Dropout

	left  []weights // this run's, of each head; with dropout R carries the scale 1/(1-rate)
	pairs *droppedPairs
	maps  []kernel.Right // W_hᵀ, or W_h backward
	back  separableBack

	mapRoom, backMapRoom []float32
}

// weights are one head's R and C, and both transposed.
type weights struct {
	r         []kernel.Left // band by band
	rt, c, ct kernel.Left
}

func newSeparableMix(x Shape, heads, rows, cols, out int, drop Dropout) *separableMix {
	m := &separableMix{batch: x[0], tokens: x[1], heads: heads, in: x[2], out: out, rows: rows, cols: cols, drop: drop}
	m.left, m.maps = make([]weights, heads), make([]kernel.Right, heads)
	for h := range m.left {
		m.left[h].r = make([]kernel.Left, m.bands())
	}
	if drop.Rate > 0 {
		m.pairs = newDroppedPairs(heads, rows, cols)
	}
	m.back = newSeparableBack(m)
	return m
}

func (m *separableMix) rooms() []room {
	return []room{{m.heads * kernel.RightSize(m.in, m.out), &m.mapRoom}}
}

// A band is some rows of pixels, of all columns: as many queries as a product needs to be fast.
const bandTokens = 128

func (m *separableMix) bandRows() int { return min(m.rows, max(1, bandTokens/m.cols)) }
func (m *separableMix) bands() int    { return (m.rows + m.bandRows() - 1) / m.bandRows() }

// weigh takes this run's weights and draws its mask.
func (m *separableMix) weigh(r, c []float32) {
	if m.drop.Rate > 0 {
		r = m.pairs.draw(r, c, m.drop.now())
	}
	for h := range m.left {
		row := kernel.Matrix(r[h*m.rows*m.rows:(h+1)*m.rows*m.rows], m.rows, m.rows)
		col := kernel.Matrix(c[h*m.cols*m.cols:(h+1)*m.cols*m.cols], m.cols, m.cols)
		left, n := &m.left[h], m.bandRows()
		for i := range left.r {
			left.r[i].Pack(row.Block(i*n, 0, min(n, m.rows-i*n), m.rows), nil)
		}
		left.rt.Pack(row.T(), nil)
		left.c.Pack(col, nil)
		left.ct.Pack(col.T(), nil)
	}
}

// lines views n rows of pixels with d numbers each as a matrix, (n, cols·d).
func (m *separableMix) lines(x []float32, n, d int) kernel.Mat {
	return kernel.Matrix(x[:n*m.cols*d], n, m.cols*d)
}

// line views row i of pixels, (cols, in).
func (m *separableMix) line(x []float32, i int) kernel.Mat {
	size := m.cols * m.in
	return kernel.Matrix(x[i*size:(i+1)*size], m.cols, m.in)
}

func (m *separableMix) picture(x []float32, b int) []float32 {
	size := len(x) / m.batch
	return x[b*size : (b+1)*size]
}

// mix sets V and Z of one band of one picture for head h, and returns how many tokens they have.
func (m *separableMix) mix(z, v, x []float32, h, band int) int {
	first := band * m.bandRows()
	n := min(m.bandRows(), m.rows-first)
	kernel.MulLeft(m.lines(v, n, m.in), &m.left[h].r[band], m.lines(x, m.rows, m.in), false) // V = (R⊗I)·X
	for i := range n {
		kernel.MulLeft(m.line(z, i), &m.left[h].c, m.line(v, i), false) // Z = (I⊗C)·V
	}
	if m.drop.Rate > 0 {
		pairs := m.pairs.byQuery[h].Queries(first*m.cols, (first+n)*m.cols)
		kernel.SubPairs(z[:n*m.cols*m.in], m.in, x, m.in, m.in, &pairs)
	}
	return n * m.cols
}

// forward sets y = Σ_h Z_h·W_hᵀ + bias, band by band.
func (m *separableMix) forward(y, x, w, bias []float32) {
	wt := kernel.Matrix(w, m.out, m.heads*m.in).T()
	size := kernel.RightSize(m.in, m.out)
	kernel.Parallel(m.heads, func(h int) {
		m.maps[h].Pack(wt.Block(h*m.in, 0, m.in, m.out), m.mapRoom[h*size:(h+1)*size])
	})
	most := m.bandRows() * m.cols
	kernel.Parallel(m.batch*m.bands(), func(task int) {
		b, band := task/m.bands(), task%m.bands()
		x, y := m.picture(x, b), m.picture(y, b)[band*most*m.out:]
		room := kernel.Borrow(3 * most * m.in)
		z, v, strips := (*room)[:most*m.in], (*room)[most*m.in:2*most*m.in], (*room)[2*most*m.in:]
		var left kernel.Left
		for h := range m.heads {
			n := m.mix(z, v, x, h, band)
			left.Pack(kernel.Matrix(z[:n*m.in], n, m.in), strips)
			kernel.MulPacked(kernel.Matrix(y[:n*m.out], n, m.out), &left, &m.maps[h], h > 0)
			if h == m.heads-1 {
				kernel.AddRowBlock(kernel.Matrix(y[:n*m.out], n, m.out), bias)
			}
		}
		kernel.GiveBack(room)
	})
}
