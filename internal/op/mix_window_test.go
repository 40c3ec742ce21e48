package op

import (
	"fmt"
	"math"
	"testing"
)

// A plainSlot is a key that a query sees, or a place outside of the grid.
type plainSlot struct {
	key    int // a token, or -1
	shift  [2]int
	column int // of the mask
}

// plainAxis returns the positions of the keys of the query at position q: as many as Size, Dilation apart, around the
// middle of the query's block; half-way positions are rounded up.
func plainAxis(w Window, q, n int) (keys []int) {
	start := -w.Offset
	for start+w.Stride <= q {
		start += w.Stride
	}
	middle := float64(start) + float64(w.Stride-1)/2
	for u := range w.Size {
		keys = append(keys, int(math.Ceil(middle+float64(w.Dilation)*(float64(u)-float64(w.Size-1)/2))))
	}
	for by := 0; w.Border == ClampBorder; by += w.Dilation { // the nearest place inside
		for _, by := range []int{by, -by} {
			if keys[0]+by >= 0 && keys[w.Size-1]+by < n {
				for u := range keys {
					keys[u] += by
				}
				return keys
			}
		}
	}
	return keys
}

// plainSlots lists what a query sees.
func plainSlots(h Heads, q int) (all []plainSlot) {
	i, j := q/h.Cols, q%h.Cols
	for _, k := range plainAxis(h.Window, i, h.Rows) {
		for _, l := range plainAxis(h.Window, j, h.Cols) {
			key := -1
			if k >= 0 && k < h.Rows && l >= 0 && l < h.Cols {
				key = k*h.Cols + l
			}
			if key >= 0 || h.Window.Border != AbsentBorder {
				all = append(all, plainSlot{key, [2]int{k - i, l - j}, len(all)})
			}
		}
	}
	return all
}

// plainReach is the largest distance of a key from its query, along an axis of n tokens.
func plainReach(w Window, n int) (reach int) {
	for q := range n {
		for _, k := range plainAxis(w, q, n) {
			reach = max(reach, k-q, q-k)
		}
	}
	return reach
}

// plainWindow mixes by the softmax of the scores of slots, query by query.
func plainWindow(o MixContentOp, s []Shape, in, d [][]float64, dz []float64) ([]float64, [][]float64) {
	n := plainSizes{s[0][0], o.Heads.Count, o.Heads.tokens()}
	next := 0
	take := func(channels int) (x, dx mixed) {
		next++
		return n.values(in[next-1], channels), n.values(d[next-1], channels)
	}
	channels := s[0][2]
	if o.Each {
		channels /= n.heads
	}
	v, dv := take(channels)
	var qs, dqs, ks, dks, row, dRow, col, dCol mixed
	if o.Content {
		width := s[1][2] / n.heads
		qs, dqs = take(width)
		if ks, dks = v, dv; !o.KeyIsValue {
			ks, dks = take(width)
		}
	}
	up, left := plainReach(o.Heads.Window, o.Heads.Rows), plainReach(o.Heads.Window, o.Heads.Cols)
	if o.Position {
		row, dRow = take(2*up + 1)
		col, dCol = take(2*left + 1)
	}
	table := func(x []float64, h int, s plainSlot) *float64 {
		wide := 2*left + 1
		return &x[h*(2*up+1)*wide+(s.shift[0]+up)*wide+s.shift[1]+left]
	}
	mask := o.Drop.now()
	z := make([]float64, len(dz))
	zs, dzs := n.values(z, channels), n.values(dz, channels)
	for b := range n.batch {
		for h := range n.heads {
			for q := range n.tokens {
				slots := plainSlots(o.Heads, q)
				p, dp, keep := make([]float64, len(slots)), make([]float64, len(slots)), make([]float32, len(slots))
				image := 0
				if o.Drop.PerImage {
					image = b
				}
				mask.Row(keep, uint32((image*n.heads+h)*n.tokens+q))
				sum := 0.0
				for i, s := range slots {
					a := 0.0
					if o.Content && s.key >= 0 {
						for c := range qs[b][h][q] {
							a += float64(o.Scale) * qs[b][h][q][c] * ks[b][h][s.key][c]
						}
					}
					if o.Position {
						a += row[b][h][q][s.shift[0]+up] + col[b][h][q][s.shift[1]+left]
					}
					if o.Shift {
						a += *table(in[len(in)-1], h, s)
					}
					p[i] = math.Exp(a)
					sum += p[i]
				}
				mean := 0.0
				for i, s := range slots {
					p[i] /= sum
					if s.key < 0 {
						continue
					}
					for c, g := range dzs[b][h][q] {
						weight := p[i] * float64(keep[s.column])
						zs[b][h][q][c] += weight * v[b][h][s.key][c]
						dv[b][h][s.key][c] += weight * g
						dp[i] += float64(keep[s.column]) * g * v[b][h][s.key][c]
					}
					mean += p[i] * dp[i]
				}
				for i, s := range slots {
					da := p[i] * (dp[i] - mean)
					if o.Content && s.key >= 0 {
						for c := range qs[b][h][q] {
							dqs[b][h][q][c] += float64(o.Scale) * da * ks[b][h][s.key][c]
							dks[b][h][s.key][c] += float64(o.Scale) * da * qs[b][h][q][c]
						}
					}
					if o.Position {
						dRow[b][h][q][s.shift[0]+up] += da
						dCol[b][h][q][s.shift[1]+left] += da
					}
					if o.Shift {
						*table(d[len(d)-1], h, s) += da
					}
				}
			}
		}
	}
	return z, d
}

// Which keys a query sees, along one axis.
func TestWindowKeys(t *testing.T) {
	for _, tt := range []struct {
		w    Window
		n    int
		want string // of each query
	}{
		{Window{Size: 3, Stride: 1, Dilation: 1}, 4, "[[-1 0 1] [0 1 2] [1 2 3] [2 3 4]]"},
		{Window{Size: 4, Stride: 1, Dilation: 1}, 3, "[[-1 0 1 2] [0 1 2 3] [1 2 3 4]]"},
		{Window{Size: 3, Stride: 1, Dilation: 2}, 3, "[[-2 0 2] [-1 1 3] [0 2 4]]"},
		{Window{Size: 3, Stride: 1, Dilation: 1, Border: ClampBorder}, 5, "[[0 1 2] [0 1 2] [1 2 3] [2 3 4] [2 3 4]]"},
		{Window{Size: 2, Stride: 1, Dilation: 2, Border: ClampBorder}, 5, "[[1 3] [0 2] [1 3] [2 4] [1 3]]"},
		{Window{Size: 2, Stride: 2, Dilation: 1}, 4, "[[0 1] [0 1] [2 3] [2 3]]"},
		{Window{Size: 2, Stride: 2, Dilation: 1, Offset: 1}, 4, "[[-1 0] [1 2] [1 2] [3 4]]"},
		{Window{Size: 4, Stride: 2, Dilation: 1}, 4, "[[-1 0 1 2] [-1 0 1 2] [1 2 3 4] [1 2 3 4]]"},
	} {
		var got, plain [][]int
		for q := range tt.n {
			first := tt.w.first(q, tt.n)
			var keys []int
			for u := range tt.w.Size {
				keys = append(keys, first+u*tt.w.Dilation)
			}
			got, plain = append(got, keys), append(plain, plainAxis(tt.w, q, tt.n))
		}
		if fmt.Sprint(got) != tt.want || fmt.Sprint(plain) != tt.want {
			t.Errorf("%v on %d tokens: queries see %v, and by the test's rule %v, want %s", tt.w, tt.n, got, plain,
				tt.want)
		}
		if got, want := tt.w.Reach(tt.n), plainReach(tt.w, tt.n); got != want {
			t.Errorf("%v on %d tokens: reach %d, want %d", tt.w, tt.n, got, want)
		}
	}
}

func TestWindowsRefused(t *testing.T) {
	for _, w := range []Window{
		{Size: -1, Stride: 1, Dilation: 1},
		{Size: 3, Dilation: 1},
		{Size: 3, Stride: 1},
		{Size: 2, Stride: 3, Dilation: 1},
		{Size: 3, Stride: 2, Dilation: 1, Offset: 2},
		{Size: 3, Stride: 1, Dilation: 1, Offset: -1},
		{Size: 5, Stride: 1, Dilation: 1, Border: ClampBorder},
		{Size: 2, Stride: 1, Dilation: 3, Border: ClampBorder},
		{Size: 2, Stride: 1, Dilation: 16, Border: AbsentBorder}, // no query sees a key
	} {
		if w.Fits(4) {
			t.Errorf("%+v is possible on 4 tokens", w)
		}
	}
	if w := (Window{Size: 4, Stride: 1, Dilation: 1, Border: ClampBorder}); !w.Fits(4) {
		t.Errorf("%+v is not possible on 4 tokens", w)
	}
}
