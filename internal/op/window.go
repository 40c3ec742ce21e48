package op

import (
	"fmt"

	"github.com/attnconv/attnconv/internal/kernel/vec"
)

// A Border says what a window has outside of the grid.
type Border int

const (
	// ZeroBorder keys exist outside of the grid and have zero channels, as in a convolution with zero padding.
	ZeroBorder Border = iota
	// AbsentBorder keys do not exist outside of the grid: the softmax is over fewer keys.
	AbsentBorder
	// ClampBorder moves a window inside the grid, as in neighborhood attention: every query has all its keys.
	ClampBorder
)

// A Window says which keys a query sees: Size × Size of them, Dilation tokens apart. Blocks of Stride × Stride queries
// share a window, in whose middle they are; the first block begins Offset tokens before the grid. The zero Window has
// all keys of the grid.
//
//	local attention (Ramachandran et al. 2019)    Stride 1, AbsentBorder
//	a convolution with zero padding               Stride 1, ZeroBorder
//	neighborhood attention (Hassani et al. 2023)  Stride 1, ClampBorder
//	halo attention (Vaswani et al. 2021)          Stride b, Size b + 2·halo, AbsentBorder or ZeroBorder
//	windows of Swin (Liu et al. 2021)             Stride = Size, AbsentBorder; Offset Size/2 in every second block
type Window struct {
	Size, Stride, Dilation, Offset int
	Border                         Border
}

// All reports whether a query sees all keys.
func (w Window) All() bool { return w.Size == 0 }

func (w Window) String() string {
	return fmt.Sprintf("{%d,/%d,×%d,-%d,%s}", w.Size, w.Stride, w.Dilation, w.Offset,
		[...]string{"zero", "absent", "clamp"}[w.Border])
}

// extent is the number of tokens from a window's first key to its last along an axis.
func (w Window) extent() int { return w.Dilation*(w.Size-1) + 1 }

// Fits reports whether the window is possible on n tokens along an axis. A clamped window must fit into the grid
// wherever it is moved, and every query must see a key.
func (w Window) Fits(n int) bool {
	ok := w.Size > 0 && w.Stride > 0 && w.Stride <= w.Size && w.Dilation > 0 && w.Offset >= 0 &&
		w.Offset < w.Stride && (w.Border != ClampBorder || w.Size*w.Dilation <= n)
	for q := 0; ok && q < n; q++ {
		ok = w.inside(q, n) > 0
	}
	return ok
}

// inside is the number of keys inside the grid, along an axis of n tokens, in the window of the query at position q.
func (w Window) inside(q, n int) (keys int) {
	first := w.first(q, n)
	for u := range w.Size {
		if k := first + u*w.Dilation; 0 <= k && k < n {
			keys++
		}
	}
	return keys
}

// first is the position of the first key, along an axis of n tokens, in the window of the query at position q. A window
// that is clamped moves by whole dilations, so that a query keeps meeting the keys of its own residue.
func (w Window) first(q, n int) int {
	block := (q+w.Offset)/w.Stride*w.Stride - w.Offset
	first := block - floorHalf(w.extent()-w.Stride)
	if w.Border != ClampBorder {
		return first
	}
	for first < 0 {
		first += w.Dilation
	}
	for first+w.extent() > n {
		first -= w.Dilation
	}
	return first
}

// floorHalf is ⌊n/2⌋, of a negative n as well.
func floorHalf(n int) int { return n >> 1 }

// Reach returns the largest distance along an axis of n tokens between a query and a key of its window.
func (w Window) Reach(n int) (reach int) {
	if w.All() {
		return n - 1
	}
	for q := range n {
		first := w.first(q, n)
		reach = max(reach, q-first, first+w.extent()-1-q)
	}
	return reach
}

// slots are the keys that the queries of a grid see, query by query: those of query q are n in [Start[q], Start[q+1]).
type slots struct {
	vec.Pairs         // Key[n] is a token; of a key outside of the grid, the query itself
	row, col  []int32 // key minus query along each axis, plus the reach: a place in a table of shifts
	outside   []int32 // the slots whose key is outside of the grid
	// the same pairs key by key: Start, and Key (a query); from[n] is the slot of pair n. Slots outside are left out.
	byKey vec.Pairs
	from  []int32

	colShifts int // 2·reach + 1 along the columns
}

// slotsOf lists the slots of a window on a grid.
func slotsOf(w Window, rows, cols int) *slots {
	up, left := w.Reach(rows), w.Reach(cols)
	s := &slots{colShifts: 2*left + 1}
	s.Start = append(s.Start, 0)
	for q := range rows * cols {
		i, j := q/cols, q%cols
		top, first := w.first(i, rows), w.first(j, cols)
		for u := range w.Size {
			for v := range w.Size {
				k, l := top+u*w.Dilation, first+v*w.Dilation
				inside := 0 <= k && k < rows && 0 <= l && l < cols
				key := q
				switch {
				case inside:
					key = k*cols + l
				case w.Border == AbsentBorder:
					continue
				default:
					s.outside = append(s.outside, int32(len(s.Key)))
				}
				s.Key = append(s.Key, int32(key))
				s.row, s.col = append(s.row, int32(k-i+up)), append(s.col, int32(l-j+left))
			}
		}
		s.Start = append(s.Start, int32(len(s.Key)))
	}
	s.Known(rows * cols)
	s.transpose(rows * cols)
	return s
}

// transpose lists the slots inside of the grid key by key.
func (s *slots) transpose(tokens int) {
	outside := make([]bool, len(s.Key))
	for _, n := range s.outside {
		outside[n] = true
	}
	lists := make([][]int32, tokens) // of each key, its slots
	for n, k := range s.Key {
		if !outside[n] {
			lists[k] = append(lists[k], int32(n))
		}
	}
	query := make([]int32, len(s.Key))
	for q := range tokens {
		for n := s.Start[q]; n < s.Start[q+1]; n++ {
			query[n] = int32(q)
		}
	}
	s.byKey.Start = append(s.byKey.Start, 0)
	for _, list := range lists {
		for _, n := range list {
			s.byKey.Key, s.from = append(s.byKey.Key, query[n]), append(s.from, n)
		}
		s.byKey.Start = append(s.byKey.Start, int32(len(s.from)))
	}
	s.byKey.Known(tokens)
}

// weighted is the slots with weights.
func (s *slots) weighted(w []float32) *vec.Pairs {
	p := s.Pairs
	p.Weight = w
	return &p
}

// weightedByKey is the slots inside of the grid, key by key, with those of weights w, which it copies to scratch.
func (s *slots) weightedByKey(w, scratch []float32) *vec.Pairs {
	p := s.byKey
	p.Weight = scratch[:len(s.from)]
	for i, n := range s.from {
		p.Weight[i] = w[n]
	}
	return &p
}

// zeroOutside sets the elements of slots outside of the grid to zero.
func (s *slots) zeroOutside(x []float32) {
	for _, n := range s.outside {
		x[n] = 0
	}
}

// keys is the number of keys that a query sees, those outside of the grid included; on average, if they are absent.
func (h Heads) keys() int {
	switch {
	case h.Window.All():
		return h.tokens()
	case h.Window.Border != AbsentBorder:
		return h.Window.Size * h.Window.Size
	}
	inside := func(n int) (sum int) {
		for q := range n {
			sum += h.Window.inside(q, n)
		}
		return sum
	}
	return max(1, inside(h.Rows)*inside(h.Cols)/h.tokens())
}
