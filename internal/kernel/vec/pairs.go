package vec

import "slices"

// Pairs is a list of (query, key) pairs with a weight each, query by query: those of query q are n in
// [Start[q], Start[q+1]), with key Key[n] and weight Weight[n].
type Pairs struct {
	Start  []int32 // one more than there are queries
	Key    []int32
	Weight []float32
	keys   int // what is known to be more than every key; 0: nothing is known
}

// Known checks the list once, so that what uses it need not: no key is as large as keys.
func (p *Pairs) Known(keys int) {
	p.keys = 0
	p.check(keys, 1, 1)
	p.keys = keys
}

// SubPairs sets z[q] -= Σ Weight·x[key] over the pairs of each query q, on the calling goroutine. Rows have d elements;
// those of z start ldz elements apart, those of x ldx. z and x must not overlap.
func SubPairs(z []float32, ldz int, x []float32, ldx, d int, p *Pairs) {
	queries := p.check(len(x), ldx, d)
	if len(p.Weight) != len(p.Key) {
		panic("vec: pairs without weights")
	}
	if queries == 0 || d == 0 {
		return
	}
	best.SubPairs(z[:(queries-1)*ldz+d], ldz, x, ldx, d, p.Start, p.Key, p.Weight)
}

// PairDots adds to out[n] the product dz[q]·x[key] of each pair n = (q, key), on the calling goroutine. Rows have d
// elements; those of dz start ldz elements apart, those of x ldx. Weights do not count.
func PairDots(out, dz []float32, ldz int, x []float32, ldx, d int, p *Pairs) {
	queries := p.check(len(x), ldx, d)
	equal(len(p.Key), out)
	for q := range queries {
		lo, hi := p.Start[q], p.Start[q+1]
		if lo < hi && d > 0 {
			best.PairDots(out[lo:hi], dz[q*ldz:q*ldz+d], x, ldx, p.Key[lo:hi])
		}
	}
}

// Queries returns the pairs of queries [lo, hi).
func (p *Pairs) Queries(lo, hi int) Pairs { return Pairs{p.Start[lo : hi+1], p.Key, p.Weight, p.keys} }

// check panics if a pair points outside its list or outside rows of x, and returns the number of queries: routines in
// assembly trust them.
func (p *Pairs) check(n, ldx, d int) int {
	if p.keys > 0 && (p.keys-1)*ldx+d <= n {
		return len(p.Start) - 1
	}
	if len(p.Start) == 0 || p.Start[0] < 0 || int(p.Start[len(p.Start)-1]) > len(p.Key) || !slices.IsSorted(p.Start) {
		panic("vec: pairs whose starts do not divide their keys")
	}
	keys := p.Key[p.Start[0]:p.Start[len(p.Start)-1]]
	high := uint32(0)
	for _, k := range keys {
		high = max(high, uint32(k)) // a negative key becomes a high one
	}
	if len(keys) > 0 && int(high)*ldx+d > n {
		panic("vec: pairs with a key outside the rows")
	}
	return len(p.Start) - 1
}

// Transpose sets dst to the same pairs, key by key: its queries are p's keys, of which there are keys, and its keys p's
// queries, in order. dst keeps its memory.
func (p *Pairs) Transpose(dst *Pairs, keys int) {
	dst.keys = 0
	dst.Start = slices.Grow(dst.Start[:0], keys+1)[:keys+1]
	dst.Key = slices.Grow(dst.Key[:0], len(p.Key))[:len(p.Key)]
	dst.Weight = slices.Grow(dst.Weight[:0], len(p.Weight))[:len(p.Weight)]
	clear(dst.Start)
	for _, k := range p.Key {
		dst.Start[k+1]++
	}
	for k := range keys {
		dst.Start[k+1] += dst.Start[k]
	}
	for q := range len(p.Start) - 1 {
		for n := p.Start[q]; n < p.Start[q+1]; n++ {
			at := dst.Start[p.Key[n]]
			dst.Start[p.Key[n]]++ // the next place for this key; put right below
			dst.Key[at], dst.Weight[at] = int32(q), p.Weight[n]
		}
	}
	copy(dst.Start[1:], dst.Start)
	dst.Start[0] = 0
}

func subPairsPlain(z []float32, ldz int, x []float32, ldx, d int, start, key []int32, weight []float32) {
	for q := range len(start) - 1 {
		row := z[q*ldz : q*ldz+d]
		for n := start[q]; n < start[q+1]; n++ {
			at := int(key[n]) * ldx
			axpyPlain(-weight[n], x[at:at+d], row)
		}
	}
}

func pairDotsPlain(out, z, x []float32, ldx int, key []int32) {
	for n, k := range key {
		at := int(k) * ldx
		out[n] += dotPlain(z, x[at:at+len(z)])
	}
}
