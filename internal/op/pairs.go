package op

import (
	"github.com/attnconv/attnconv/internal/kernel/pool"
	"github.com/attnconv/attnconv/internal/kernel/threads"
	"github.com/attnconv/attnconv/internal/kernel/vec"
)

// droppedPairs holds the (query, key) pairs that this run's dropout masks, head by head, each with the weight that
// it would have had.
type droppedPairs struct {
	heads, rows, cols int
	byQuery, byKey    []vec.Pairs
	first             []int     // of each head, in a list of all pairs; the last one is their number
	scaled            []float32 // R / (1-rate)
	c                 []float32
}

func newDroppedPairs(heads, rows, cols int) *droppedPairs {
	return &droppedPairs{heads: heads, rows: rows, cols: cols, byQuery: make([]vec.Pairs, heads),
		byKey: make([]vec.Pairs, heads), first: make([]int, heads+1), scaled: make([]float32, heads*rows*rows)}
}

// Weights below negligible cannot change a float32 sum of weights that add up to one. They can change a weighted sum of
// values: by more than its rounding, if a value is over 2⁸ times as large as the sum.
const negligible = 1.0 / (1 << 32)

// draw takes the weights of a run and its mask, and returns R scaled by 1/(1-rate).
func (p *droppedPairs) draw(r, c []float32, drop vec.Dropout) []float32 {
	p.c = c
	copy(p.scaled, r)
	vec.Scale(1/(1-drop.Rate), p.scaled)
	threads.Parallel(p.heads, func(h int) { p.drawHead(h, drop) })
	for h := range p.heads {
		p.first[h+1] = p.first[h] + len(p.byQuery[h].Key)
	}
	return p.scaled
}

func (p *droppedPairs) drawHead(h int, drop vec.Dropout) {
	list, t := &p.byQuery[h], p.rows*p.cols
	list.Start, list.Key, list.Weight = append(list.Start[:0], 0), list.Key[:0], list.Weight[:0]
	room := pool.Get(t)
	defer pool.Put(room)
	mask := *room
	for q := range t {
		drop.Row(mask, uint32(h*t+q))
		row := p.scaled[(h*p.rows+q/p.cols)*p.rows:][:p.rows]
		col := p.c[(h*p.cols+q%p.cols)*p.cols:][:p.cols]
		for i, wr := range row {
			if wr < negligible {
				continue
			}
			for j, wc := range col {
				if k := i*p.cols + j; mask[k] == 0 && wr*wc >= negligible {
					list.Key, list.Weight = append(list.Key, int32(k)), append(list.Weight, wr*wc)
				}
			}
		}
		list.Start = append(list.Start, int32(len(list.Key)))
	}
	list.Known(t)
	list.Transpose(&p.byKey[h], t)
	p.byKey[h].Known(t)
}

// dots borrows a zero for each pair; of is head h's part of them.
func (p *droppedPairs) dots() *[]float32 {
	room := pool.Get(p.first[p.heads])
	clear(*room)
	return room
}

func (p *droppedPairs) of(dots []float32, h int) []float32 { return dots[p.first[h]:p.first[h+1]] }

// weightGrads takes the dropped pairs' part out of one image's gradients of the scaled R and of C: dots has dZ[q]·X[k]
// of each of head h's pairs.
func (p *droppedPairs) weightGrads(dr, dc []float32, h int, dots []float32) {
	list, rows, cols := &p.byQuery[h], p.rows, p.cols
	r, c := p.scaled[h*rows*rows:], p.c[h*cols*cols:]
	for q := range rows * cols {
		i, j := q/cols, q%cols
		for n := list.Start[q]; n < list.Start[q+1]; n++ {
			k, l := int(list.Key[n])/cols, int(list.Key[n])%cols
			dr[i*rows+k] -= c[j*cols+l] * dots[n]
			dc[j*cols+l] -= r[i*rows+k] * dots[n]
		}
	}
}
