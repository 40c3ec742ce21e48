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
	batch, heads, in, out := x[0], r[0], x[2], w[0]
	v := newValues(batch, x[1], heads, in, out)
	m := &separableMix{values: v, rows: r[1], cols: c[1], drop: drop}
	return def{
		name: "mix-separable" + drop.String(),
		want: mixWant,
		shape: func(s []Shape) (Shape, bool) {
			ok := r.Eq(Shape{heads, m.rows, m.rows}) && c.Eq(Shape{heads, m.cols, m.cols}) && x[1] == m.rows*m.cols &&
				w[1] == heads*in && s[4].Eq(Shape{out})
			return Shape{batch, x[1], out}, ok
		},
		unread:    []int{4, output},
		rooms:     v.rooms(),
		backRooms: v.backRooms(),
		fwd: func(y []float32, a [][]float32) {
			m.weigh(a[1], a[2])
			v.forward(y, a[0], a[3], a[4], m.mix)
		},
		bwd: func(d [][]float32, dy, _ []float32, a [][]float32) {
			m.weigh(a[1], a[2])
			clear(d[0])
			clear(d[1])
			clear(d[2])
			v.backward(d[3], d[4], dy, a[0], a[3], m.mix, func(dz, x []float32, first, n int) {
				if d[0] != nil {
					m.unmix(d[0][first*len(x)/n:], dz, n)
				}
				m.weightGrads(d[1], d[2], dz, x, n)
			})
		},
	}
}

type separableMix struct {
	*values
	rows, cols int
	drop       Dropout
	left       []weights // this run's, of each head; with dropout R carries the scale 1/(1-rate)
	pairs      *droppedPairs
	dr, dc     []float32 // of each picture of a chunk and each head
}

// weights are one head's R and C, and both transposed, packed.
type weights struct{ r, rt, c, ct kernel.Small }

// weigh takes this run's weights and draws its mask.
func (m *separableMix) weigh(r, c []float32) {
	if m.drop.Rate > 0 {
		if m.pairs == nil {
			m.pairs = newDroppedPairs(m.heads, m.rows, m.cols)
		}
		r = m.pairs.draw(r, c, m.drop.now())
	}
	if m.left == nil {
		m.left = make([]weights, m.heads)
	}
	for h := range m.left {
		row := kernel.Matrix(r[h*m.rows*m.rows:(h+1)*m.rows*m.rows], m.rows, m.rows)
		col := kernel.Matrix(c[h*m.cols*m.cols:(h+1)*m.cols*m.cols], m.cols, m.cols)
		m.left[h].r.Pack(row)
		m.left[h].rt.Pack(row.T())
		m.left[h].c.Pack(col)
		m.left[h].ct.Pack(col.T())
	}
}

// lines views one picture as rows of pixels, (rows, cols·in).
func (m *separableMix) lines(x []float32, b int) kernel.Mat {
	size := m.tokens * m.in
	return kernel.Matrix(x[b*size:(b+1)*size], m.rows, m.cols*m.in)
}

// line views head h of row i of picture b in z, (cols, in).
func (m *separableMix) line(z []float32, b, h, i int) kernel.Mat {
	wide := m.heads * m.in
	return kernel.Matrix(z, len(z)/wide, wide).Block(b*m.tokens+i*m.cols, h*m.in, m.cols, m.in)
}

// part views row i of a (rows·cols, in) buffer, (cols, in).
func (m *separableMix) part(v []float32, i int) kernel.Mat {
	size := m.cols * m.in
	return kernel.Matrix(v[i*size:(i+1)*size], m.cols, m.in)
}

// mix sets Z for n pictures.
func (m *separableMix) mix(z, x []float32, n int) {
	size, wide := m.tokens*m.in, m.heads*m.in
	kernel.Parallel(n*m.heads, func(task int) {
		b, h := task/m.heads, task%m.heads
		v := borrow(size)
		kernel.MulSmall(kernel.Matrix(*v, m.rows, m.cols*m.in), &m.left[h].r, m.lines(x, b), false) // V = (R⊗I)·X
		for i := range m.rows {
			kernel.MulSmall(m.line(z, b, h, i), &m.left[h].c, m.part(*v, i), false) // Z = (I⊗C)·V
		}
		giveBack(v)
		if m.drop.Rate > 0 {
			kernel.SubPairs(z[b*m.tokens*wide+h*m.in:], wide, x[b*size:(b+1)*size], m.in, m.in, &m.pairs.byQuery[h])
		}
	})
}

// unmix adds dX = Σ_h (Rᵀ⊗Cᵀ)·dZ_h of n pictures to dx, less what the dropped pairs would have added.
func (m *separableMix) unmix(dx, dz []float32, n int) {
	size, wide := m.tokens*m.in, m.heads*m.in
	kernel.Parallel(n, func(b int) {
		v := borrow(size)
		for h := range m.heads {
			for i := range m.rows {
				kernel.MulSmall(m.part(*v, i), &m.left[h].ct, m.line(dz, b, h, i), false)
			}
			kernel.MulSmall(m.lines(dx, b), &m.left[h].rt, kernel.Matrix(*v, m.rows, m.cols*m.in), true)
			if m.drop.Rate > 0 {
				kernel.SubPairs(dx[b*size:(b+1)*size], m.in, dz[b*m.tokens*wide+h*m.in:], wide, m.in, &m.pairs.byKey[h])
			}
		}
		giveBack(v)
	})
}

// weightGrads adds the gradients of R and C from n pictures to dr and dc:
//
//	dR[i,k] = Σ ((I⊗Cᵀ)·dZ)[i]·X[k],  dC[j,l] = Σ_i dZ[i,j]·V[i,l],  V = (R⊗I)·X
//
// and takes out what the dropped pairs would have added: C[j,l]·(dZ[q]·X[k]) and R[i,k]·(dZ[q]·X[k]).
func (m *separableMix) weightGrads(dr, dc, dz, x []float32, n int) {
	rr, cc, size, wide := m.rows*m.rows, m.cols*m.cols, m.tokens*m.in, m.heads*m.in
	if m.dr == nil {
		m.dr, m.dc = make([]float32, m.chunk*m.heads*rr), make([]float32, m.chunk*m.heads*cc)
	}
	kernel.Parallel(n*m.heads, func(task int) {
		b, h := task/m.heads, task%m.heads
		dr, dc := m.dr[task*rr:(task+1)*rr], m.dc[task*cc:(task+1)*cc]
		v := borrow(size)
		for i := range m.rows {
			kernel.MulSmall(m.part(*v, i), &m.left[h].ct, m.line(dz, b, h, i), false)
		}
		kernel.MulSerial(kernel.Matrix(dr, m.rows, m.rows), kernel.Matrix(*v, m.rows, m.cols*m.in), m.lines(x, b).T())
		kernel.MulSmall(kernel.Matrix(*v, m.rows, m.cols*m.in), &m.left[h].r, m.lines(x, b), false)
		clear(dc)
		for i := range m.rows {
			kernel.MulAddSerial(kernel.Matrix(dc, m.cols, m.cols), m.line(dz, b, h, i), m.part(*v, i).T())
		}
		giveBack(v)
		if m.drop.Rate > 0 {
			m.pairs.weightGrads(dr, dc, h, dz[b*m.tokens*wide+h*m.in:], wide, x[b*size:(b+1)*size], m.in)
		}
	})
	scale := 1 / (1 - m.drop.Rate) // dR is of the scaled R; dC has the scale in V
	kernel.Parallel(m.heads, func(h int) {
		for b := range n { // in this order, whatever the number of threads
			task := b*m.heads + h
			kernel.Axpy(scale, m.dr[task*rr:(task+1)*rr], dr[h*rr:(h+1)*rr])
			kernel.Axpy(1, m.dc[task*cc:(task+1)*cc], dc[h*cc:(h+1)*cc])
		}
	})
}
