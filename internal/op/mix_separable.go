package op

import (
	"github.com/attnconv/attnconv/internal/gemm"
	"github.com/attnconv/attnconv/internal/kernel/pool"
	"github.com/attnconv/attnconv/internal/kernel/threads"
	"github.com/attnconv/attnconv/internal/kernel/vec"
)

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
// count, and neither do factors R and C below it. The mask is the one that MixFull would draw.
func MixSeparable(x, r, c, w, bias *Node, drop Dropout) *Node {
	return Apply(MixSeparableOp{drop}, x, r, c, w, bias)
}

// MixSeparableOp is MixSeparable.
type MixSeparableOp struct{ Drop Dropout }

func (o MixSeparableOp) String() string { return "mix-separable" + o.Drop.String() }

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
	m := newSeparableMix(x, r[0], r[1], c[1], w[0], o.Drop)
	return Kernel{
		Scratch:     m.scratch(),
		BackScratch: m.backScratch(),
		NotSaved:    []int{4, Output},
		Forward: func(y []float32, a [][]float32) {
			m.weigh(a[1], a[2])
			m.forward(y, a[0], a[3], a[4])
		},
		Backward: func(d [][]float32, dy, _ []float32, a [][]float32) {
			m.weigh(a[1], a[2])
			m.backward(d, dy, a[0], a[3])
			vec.SumRows(d[4], dy)
		},
	}
}

// A separableMix works on slices of one image's channels, head by head, which stay in the caches from one product to
// the next: Z, which is heads times as large as X, is never in memory as a whole.
type separableMix struct {
	batch, tokens, heads, in, out, rows, cols int
	drop                                      Dropout

	slices []slice
	left   []weights // this run's, of each head; with dropout R carries the scale 1/(1-rate)
	r, c   []float32
	pairs  *droppedPairs
	maps   []gemm.Mat // a slice's rows of W_hᵀ, head by head, slice by slice
	back   separableBack

	mapRoom, backMapRoom []float32
}

// weights are one head's R and C, and both transposed.
type weights struct {
	r         []gemm.Mat // band by band
	rt, c, ct gemm.Mat
}

func newSeparableMix(x Shape, heads, rows, cols, out int, drop Dropout) *separableMix {
	m := &separableMix{batch: x[0], tokens: x[1], heads: heads, in: x[2], out: out, rows: rows, cols: cols, drop: drop,
		slices: slicesOf(x[2]), r: make([]float32, heads*rows*rows), c: make([]float32, heads*cols*cols),
		pairs: newDroppedPairs(heads, rows, cols)}
	m.left, m.maps = make([]weights, heads), make([]gemm.Mat, heads*len(m.slices))
	for h := range m.left {
		m.left[h].r = make([]gemm.Mat, m.bands())
	}
	m.back = newSeparableBack(m)
	return m
}

func (m *separableMix) scratch() []Scratch {
	return []Scratch{{m.heads * gemm.PackedBFloats(m.in, m.out), &m.mapRoom}}
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
	r, c = counting(m.r, r), counting(m.c, c)
	for h := range m.left {
		row := gemm.Matrix(r[h*m.rows*m.rows:(h+1)*m.rows*m.rows], m.rows, m.rows)
		col := gemm.Matrix(c[h*m.cols*m.cols:(h+1)*m.cols*m.cols], m.cols, m.cols)
		left, n := &m.left[h], m.bandRows()
		for i := range left.r {
			left.r[i].RepackA(row.Block(i*n, 0, min(n, m.rows-i*n), m.rows))
		}
		left.rt.RepackA(row.T())
		left.c.RepackA(col)
		left.ct.RepackA(col.T())
	}
}

// counting copies weights to dst, with zero for those that cannot count. Products with them would be so small that
// processors take a hundred times as long over them (subnormal numbers).
func counting(dst, weights []float32) []float32 {
	for i, w := range weights {
		if w < negligible {
			w = 0
		}
		dst[i] = w
	}
	return dst
}

// A slice is n channels of all tokens of an image, from channel j on, copied out. Tokens lie ld numbers apart: an odd
// number of cache lines, for rows of pixels that are a multiple of a page apart would not be in cache together. What is
// behind the n numbers is zero in x, and then in all that is mixed from it.
type slice struct{ j, n, ld int }

// sliceCols is how many channels a slice has.
const sliceCols = 3 * pieceCols

func slicesOf(in int) (all []slice) {
	for j := 0; j < in; j += sliceCols {
		n := min(sliceCols, in-j)
		all = append(all, slice{j, n, wholeLines(n) | 16})
	}
	return all
}

// take copies the slice of x, whose tokens have d numbers, to dst.
func (s slice) take(dst, x []float32, d int) {
	for t := 0; t < len(x)/d; t++ {
		row := dst[t*s.ld : (t+1)*s.ld]
		copy(row, x[t*d+s.j:][:s.n])
		clear(row[s.n:])
	}
}

// put copies the slice in src to where it belongs in x.
func (s slice) put(x, src []float32, d int) {
	for t := 0; t < len(x)/d; t++ {
		copy(x[t*d+s.j:][:s.n], src[t*s.ld:])
	}
}

// tokens views n tokens of the slice in x, (n, channels).
func (s slice) tokens(x []float32, n int) gemm.Mat {
	return gemm.Matrix(x[:n*s.ld], n, s.ld).Block(0, 0, n, s.n)
}

// lines views n rows of pixels of the slice in x.
func (m *separableMix) lines(s slice, x []float32, n int) gemm.Mat {
	return gemm.Matrix(x[:n*m.cols*s.ld], n, m.cols*s.ld)
}

func (m *separableMix) image(x []float32, b int) []float32 {
	size := len(x) / m.batch
	return x[b*size : (b+1)*size]
}

// mix sets V and Z of one band of the slice in x for head h, and returns how many tokens they have.
func (m *separableMix) mix(z, v, x []float32, s slice, h, band int) int {
	first := band * m.bandRows()
	n := min(m.bandRows(), m.rows-first)
	gemm.Plan{InPlaceB: true}.Mul(m.lines(s, v, n), m.left[h].r[band], m.lines(s, x, m.rows)) // V = (R⊗I)·X
	m.mixCols(z, m.left[h].c, v, s, n)                                                        // Z = (I⊗C)·V
	if m.drop.Rate > 0 {
		pairs := m.pairs.byQuery[h].Queries(first*m.cols, (first+n)*m.cols)
		vec.SubPairs(z[:n*m.cols*s.ld], s.ld, x, s.ld, s.n, &pairs)
	}
	return n * m.cols
}

// mixCols sets Z = (I⊗C)·V for n rows of pixels of a slice.
func (m *separableMix) mixCols(z []float32, c gemm.Mat, v []float32, s slice, n int) {
	size := m.cols * s.ld
	for i := range n {
		zi, vi := gemm.Strided(z[i*size:], m.cols, s.n, s.ld), gemm.Strided(v[i*size:], m.cols, s.n, s.ld)
		gemm.Plan{InPlaceB: true}.Mul(zi, c, vi)
	}
}

// forward sets y = Σ_h Z_h·W_hᵀ + bias, band by band.
func (m *separableMix) forward(y, x, w, bias []float32) {
	wt := gemm.Matrix(w, m.out, m.heads*m.in).T()
	size := gemm.PackedBFloats(m.in, m.out)
	threads.Parallel(m.heads, func(h int) {
		for k, s := range m.slices {
			room := m.mapRoom[h*size+gemm.PackedBFloats(s.j, m.out):]
			m.maps[h*len(m.slices)+k] = gemm.PackB(wt.Block(h*m.in+s.j, 0, s.n, m.out), room)
		}
	})
	most := m.bandRows() * m.cols
	threads.Parallel(m.batch*m.bands(), func(task int) {
		b, band := task/m.bands(), task%m.bands()
		x, y := m.image(x, b), m.image(y, b)[band*most*m.out:]
		ld := m.slices[0].ld
		room := pool.Get((m.tokens + 3*most) * ld)
		xs, z, v, strips := cut((*room), m.tokens*ld, most*ld, most*ld)
		var out gemm.Mat
		for k, s := range m.slices {
			s.take(xs, x, m.in)
			for h := range m.heads {
				n := m.mix(z, v, xs[:m.tokens*s.ld], s, h, band)
				out = gemm.Matrix(y[:n*m.out], n, m.out)
				gemm.Plan{Add: k+h > 0}.Mul(out, gemm.PackA(s.tokens(z, n), strips), m.maps[h*len(m.slices)+k])
			}
		}
		gemm.AddRow(out, bias)
		pool.Put(room)
	})
}

// cut cuts room into parts of a, b, c numbers and the rest.
func cut(room []float32, a, b, c int) (w, x, y, z []float32) {
	return room[:a], room[a : a+b], room[a+b : a+b+c], room[a+b+c:]
}
