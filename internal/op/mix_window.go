package op

import (
	"github.com/attnconv/attnconv/internal/kernel/pool"
	"github.com/attnconv/attnconv/internal/kernel/threads"
	"github.com/attnconv/attnconv/internal/kernel/vec"
)

// windowKernel is the kernel of MixContent where queries see the keys of a window. Its work grows with the number of
// pairs of a query and a key in its window:
//
//	for each image b and head h
//		for each query q
//			A[n] = score of slot n, for the slots n of q
//			P    = drop(softmax(A)), over the slots of q
//			z[q] = Σ_n P[n]·v[key(n)], over the slots inside of the grid
//
// The mask of a weight is the element of its slot in the row of its query.
func windowKernel(sizes contentSizes) Kernel {
	list := slotsOf(sizes.Heads.Window, sizes.Heads.Rows, sizes.Heads.Cols)
	var byImage []float32
	return Kernel{
		Skips:       []int{0},
		NotSaved:    []int{Output},
		BackScratch: []Scratch{{sizes.batch * sizes.shift.wide, &byImage}},
		Forward: func(z []float32, a [][]float32) {
			run := &windowRun{&contentRun{sizes, a, nil, nil}, list}
			heads := sizes.Heads.Count
			threads.Parallel(sizes.batch*heads, func(task int) { run.forward(z, task/heads, task%heads) })
		},
		Backward: func(d [][]float32, dz, _ []float32, a [][]float32) {
			run := &windowRun{&contentRun{sizes, a, d, byImage}, list}
			threads.Parallel(sizes.batch, func(b int) { run.backward(dz, b) })
			run.sumShifts()
		},
	}
}

// A windowRun is one forward or backward with windows.
type windowRun struct {
	*contentRun
	list *slots
}

// of returns what head h has of image b from its first channel on.
func (m *windowRun) of(o operand, x []float32, b, h int) []float32 { return m.image(o, x, b)[o.at(h):] }

// add adds Σ_n w[n]·x[key(n)] to y[q] for each query q of pairs, whose weights are -w. y and x hold operands of head h
// of image b.
func (m *windowRun) add(y []float32, to operand, x []float32, from operand, b, h int, pairs *vec.Pairs) {
	vec.SubPairs(m.of(to, y, b, h), to.wide, m.of(from, x, b, h), from.wide, from.channels, pairs)
}

// dots adds to out[n] the product of y[q] and x[key(n)], for each slot n of each query q.
func (m *windowRun) dots(out, y []float32, left operand, x []float32, right operand, b, h int) {
	vec.PairDots(out, m.of(left, y, b, h), left.wide, m.of(right, x, b, h), right.wide, right.channels, &m.list.Pairs)
}

// scores sets a to the scores of all slots.
func (m *windowRun) scores(a []float32, b, h int) {
	clear(a)
	if m.Content {
		m.dots(a, m.x(m.query), m.query, m.x(m.key), m.key, b, h)
		vec.ScaleSerial(m.Scale, a)
		m.list.zeroOutside(a)
	}
	if m.Position {
		m.eachQuery(func(q, lo, hi int) {
			row, col := m.token(m.row, m.x(m.row), b, h, q), m.token(m.col, m.x(m.col), b, h, q)
			for n := lo; n < hi; n++ {
				a[n] += row[m.list.row[n]] + col[m.list.col[n]]
			}
		})
	}
	if m.Shift {
		table := nth(m.x(m.shift), h, m.shift.channels)
		for n := range a {
			a[n] += table[m.list.shift(n)]
		}
	}
}

// shift is the place of slot n in a table of all shifts.
func (s *slots) shift(n int) int { return int(s.row[n])*s.colShifts + int(s.col[n]) }

// eachQuery calls f with each query and its slots [lo, hi).
func (m *windowRun) eachQuery(f func(q, lo, hi int)) {
	for q := range m.tokens {
		f(q, int(m.list.Start[q]), int(m.list.Start[q+1]))
	}
}

// forward sets what head h makes of image b.
func (m *windowRun) forward(z []float32, b, h int) {
	weights := pool.Get(len(m.list.Key))
	defer pool.Put(weights)
	p, drop := *weights, m.Drop.now()
	m.scores(p, b, h)
	m.eachQuery(func(q, lo, hi int) {
		vec.SoftmaxDrop(p[lo:hi], hi-lo, drop, m.maskRow(b, h, q))
		clear(m.token(m.result, z, b, h, q))
	})
	m.list.zeroOutside(p)
	vec.ScaleSerial(-1, p)
	m.add(z, m.result, m.x(m.value), m.value, b, h, m.list.weighted(p))
}

// backward sets all gradients of image b; see contentTile.backward.
func (m *windowRun) backward(dz []float32, b int) {
	for _, o := range m.operands() {
		if d := m.grad(o); d != nil {
			clear(m.image(o, d, b))
		}
	}
	if m.Shift {
		clear(nth(m.byImage, b, m.shift.wide))
	}
	slots := len(m.list.Key)
	scratch := pool.Get(3 * slots)
	defer pool.Put(scratch)
	p, d, byKey := (*scratch)[:slots], (*scratch)[slots:2*slots], (*scratch)[2*slots:]
	drop := m.Drop.now()
	for h := range m.Heads.Count {
		m.scores(p, b, h)
		clear(d)
		m.dots(d, dz, m.result, m.x(m.value), m.value, b, h)
		m.list.zeroOutside(d)
		m.eachQuery(func(q, lo, hi int) {
			vec.SoftmaxDropGrad(d[lo:hi], p[lo:hi], hi-lo, drop, m.maskRow(b, h, q))
		})
		if dv := m.grad(m.value); dv != nil {
			vec.ScaleSerial(-1, p)
			m.add(dv, m.value, dz, m.result, b, h, m.list.weightedByKey(p, byKey))
		}
		m.positionGrads(d, b, h)
		if m.Content {
			m.list.zeroOutside(d)
			vec.ScaleSerial(-m.Scale, d)
			m.add(m.grad(m.query), m.query, m.x(m.key), m.key, b, h, m.list.weighted(d))
			if dk := m.grad(m.key); dk != nil {
				m.add(dk, m.key, m.x(m.query), m.query, b, h, m.list.weightedByKey(d, byKey))
			}
		}
	}
}

// operands lists the operands whose gradients the heads of an image add to.
func (m *contentRun) operands() []operand {
	all := []operand{m.value}
	if m.Content {
		all = append(all, m.query, m.key)
	}
	if m.Position {
		all = append(all, m.row, m.col)
	}
	return all
}

// positionGrads adds the gradients d of all slots' scores to those of shifts.
func (m *windowRun) positionGrads(d []float32, b, h int) {
	if m.Position {
		m.eachQuery(func(q, lo, hi int) {
			row, col := m.token(m.row, m.grad(m.row), b, h, q), m.token(m.col, m.grad(m.col), b, h, q)
			for n := lo; n < hi; n++ {
				row[m.list.row[n]] += d[n]
				col[m.list.col[n]] += d[n]
			}
		})
	}
	if m.Shift {
		sum := m.shiftGrad(b, h)
		for n := range d {
			sum[m.list.shift(n)] += d[n]
		}
	}
}
