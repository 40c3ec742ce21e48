package kernel

// Pairs lists (query, key) pairs with a weight each, query by query: those of query q are Start[q] to Start[q+1].
type Pairs struct {
	Start, Key []int32
	Weight     []float32
}

// SubPairs sets z[q] -= Σ weight·x[key] over the pairs of each query q, on the calling goroutine. Rows have d numbers;
// those of z are ldz apart and those of x ldx.
func SubPairs(z []float32, ldz int, x []float32, ldx, d int, p *Pairs) {
	for q := range len(p.Start) - 1 {
		row := z[q*ldz:][:d]
		for n := p.Start[q]; n < p.Start[q+1]; n++ {
			best.axpy(-p.Weight[n], x[int(p.Key[n])*ldx:][:d], row)
		}
	}
}

// PairDots adds z[q]·x[key] to out for every pair, in their order, on the calling goroutine.
func PairDots(out []float32, z []float32, ldz int, x []float32, ldx, d int, p *Pairs) {
	for q := range len(p.Start) - 1 {
		row := z[q*ldz:][:d]
		for n := p.Start[q]; n < p.Start[q+1]; n++ {
			out[n] += best.dot(row, x[int(p.Key[n])*ldx:][:d])
		}
	}
}

// Transpose makes t the same pairs with queries and keys exchanged; p has keys from 0 to keys-1.
func (p *Pairs) Transpose(t *Pairs, keys int) {
	n := len(p.Key)
	if cap(t.Key) < n {
		t.Key, t.Weight = make([]int32, n), make([]float32, n)
	}
	if cap(t.Start) < keys+1 {
		t.Start = make([]int32, keys+1)
	}
	t.Key, t.Weight, t.Start = t.Key[:n], t.Weight[:n], t.Start[:keys+1]
	clear(t.Start)
	for _, k := range p.Key {
		t.Start[k+1]++
	}
	for k := range keys {
		t.Start[k+1] += t.Start[k]
	}
	next := append([]int32(nil), t.Start...)
	for q := range len(p.Start) - 1 {
		for n := p.Start[q]; n < p.Start[q+1]; n++ {
			k := p.Key[n]
			t.Key[next[k]], t.Weight[next[k]] = int32(q), p.Weight[n]
			next[k]++
		}
	}
}
