package op

import (
	"github.com/attnconv/attnconv/internal/kernel/pool"
	"github.com/attnconv/attnconv/internal/kernel/threads"
	"github.com/attnconv/attnconv/internal/kernel/vec"
)

// droppedPairs are the (query, key) pairs that one run's dropout masks, head by head, each with the weight that it
// would have had.
type droppedPairs struct {
	separableSizes
	drop            Dropout
	byQuery, byKey  []vec.Pairs // of each head
	first           []int       // of each head's pairs in a list of all; the last one is how many there are
	scaled, weights []float32   // R / (1-rate), and C
}

func newDroppedPairs(sizes separableSizes, drop Dropout) *droppedPairs {
	return &droppedPairs{separableSizes: sizes, drop: drop, byQuery: make([]vec.Pairs, sizes.heads),
		byKey: make([]vec.Pairs, sizes.heads), first: make([]int, sizes.heads+1),
		scaled: make([]float32, sizes.heads*sizes.rows*sizes.rows)}
}

// Weights below negligible cannot change a float32 sum of weights that add up to one. They can change a weighted sum of
// values: by more than its rounding, if a value is over 2⁸ times as large as the sum.
const negligible = 1.0 / (1 << 32)

// scale is what dropout multiplies the weights by that it keeps.
func (p *droppedPairs) scale() float32 { return 1 / (1 - p.drop.Rate) }

// draw takes the weights of a run, draws its mask, and returns R/(1-rate).
func (p *droppedPairs) draw(r, c []float32) []float32 {
	p.weights = c
	copy(p.scaled, r)
	vec.Scale(p.scale(), p.scaled)
	mask := p.drop.now()
	threads.Parallel(p.heads, func(h int) { p.drawHead(h, mask) })
	for h := range p.heads {
		p.first[h+1] = p.first[h] + len(p.byQuery[h].Key)
	}
	return p.scaled
}

func (p *droppedPairs) drawHead(h int, drop vec.Dropout) {
	list, tokens := &p.byQuery[h], p.tokens()
	list.Start, list.Key, list.Weight = append(list.Start[:0], 0), list.Key[:0], list.Weight[:0]
	mask := pool.Get(tokens)
	defer pool.Put(mask)
	r, c := p.rowWeights(p.scaled, h), p.colWeights(p.weights, h)
	for q := range tokens {
		drop.Row(*mask, uint32(h*tokens+q))
		appendDropped(list, *mask, nth(r, q/p.cols, p.rows), nth(c, q%p.cols, p.cols))
		list.Start = append(list.Start, int32(len(list.Key)))
	}
	list.Known(tokens)
	list.Transpose(&p.byKey[h], tokens)
	p.byKey[h].Known(tokens)
}

// appendDropped adds the pairs of one query, of which row and col have the weights along each axis.
func appendDropped(list *vec.Pairs, mask, row, col []float32) {
	for i, wr := range row {
		if wr < negligible {
			continue
		}
		for j, kept := range nth(mask, i, len(col)) {
			if kept == 0 && wr*col[j] >= negligible {
				list.Key, list.Weight = append(list.Key, int32(i*len(col)+j)), append(list.Weight, wr*col[j])
			}
		}
	}
}

// dots returns a zero for each pair, from the pool; of is head h's part of them.
func (p *droppedPairs) dots() *[]float32 {
	all := pool.Get(p.first[p.heads])
	clear(*all)
	return all
}

func (p *droppedPairs) of(dots []float32, h int) []float32 { return dots[p.first[h]:p.first[h+1]] }

// subtractGrads subtracts the dropped pairs' part from one image's gradients of the scaled R_h and of C_h. dots has
// dZ[q]·X[k] of each of head h's pairs.
func (p *droppedPairs) subtractGrads(dr, dc []float32, h int, dots []float32) {
	list, rows, cols := &p.byQuery[h], p.rows, p.cols
	r, c := p.rowWeights(p.scaled, h), p.colWeights(p.weights, h)
	for q := range p.tokens() {
		i, j := q/cols, q%cols
		for n := list.Start[q]; n < list.Start[q+1]; n++ {
			k, l := int(list.Key[n])/cols, int(list.Key[n])%cols
			dr[i*rows+k] -= c[j*cols+l] * dots[n]
			dc[j*cols+l] -= r[i*rows+k] * dots[n]
		}
	}
}
