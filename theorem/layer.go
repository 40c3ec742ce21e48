package theorem

import (
	"math"
	"slices"
)

// A Layer is multi-head self-attention whose heads score by position alone:
//
//	y[q] = b + Σ_h Σ_k softmax_k(score_h(k - q))·x[k]·W_h
//
// x (size..., in) -> y (out size..., out). W_h is the paper's W_val·W_out of head h (proof of Lemma 1). Its queries are
// at the outputs of its geometry. Its keys are the pixels, and by border
//
//	Zero       also the zeros of the padding
//	Replicate  nothing else: the softmax is over the image
//	Circular   periodic copies: a key's score is the largest of its copies'
type Layer[F Float] struct {
	Geometry
	In, Out int
	Heads   []Head[F]
	Weights [][]F // W_h (in, out) of each head
	Bias    []F   // (out); nil: none
}

// Forward computes the layer on images of one size. They share their attention, which does not depend on the content.
// It panics if an image does not have the elements of size.
func (l *Layer[F]) Forward(size []int, images ...[]F) [][]F {
	ys := make([][]F, len(images))
	for n := range ys {
		ys[n] = Repeated(l.Bias, Volume(l.OutSize(size)), l.Out)
	}
	z := make([]F, l.In)
	l.Attend(size, func(h, q int, keys []int, p []F) {
		for n, x := range images {
			Mix(z, x, keys, p)
			AddProduct(ys[n][q*l.Out:(q+1)*l.Out], z, l.Weights[h])
		}
	})
	return ys
}

// Mix sets z to Σ_k p[k]·x[k]: keys[k] is a pixel of x, or -1 for a zero of the padding.
func Mix[F Float](z, x []F, keys []int, p []F) {
	clear(z)
	for k, w := range p {
		if w == 0 || keys[k] < 0 {
			continue
		}
		for i, v := range x[keys[k]*len(z) : (keys[k]+1)*len(z)] {
			z[i] += w * v
		}
	}
}

// Attend calls f for every head and query with the softmax over the keys: keys[k] is a pixel of the image, or -1 for a
// zero of the padding. f must not retain its slices.
func (l *Layer[F]) Attend(size []int, f func(h, q int, keys []int, p []F)) {
	origin, keyed := l.keyMap(size)
	keys := l.pixels(size, origin, keyed)
	p := make([]F, len(keys))
	for h, head := range l.Heads {
		score := head.Score
		if l.Border == Circular {
			score = l.bestCopy(head, size)
		}
		t := l.scores(score, size, origin, keyed)
		q := 0
		for out := range Positions(l.OutSize(size)) {
			t.softmax(p, l.Query(out))
			f(h, q, keys, p)
			q++
		}
	}
}

// A scoreTable has what the scores of a head give, for all shifts from queries to keys.
type scoreTable[F Float] struct {
	size   []int // shifts along each axis
	scores []F
	exps   []F   // exp(score - largest score)
	keys   []int // index of each key's shift from the query at 0
	keyed  []int // keys along each axis
	best   []int // the key with the largest score for the query at 0, which may be outside; nil: all are masked
}

// scores calls score once for each shift, not once for each pair of query and key.
func (l *Layer[F]) scores(score func(shift []int) F, size, origin, keyed []int) *scoreTable[F] {
	t := &scoreTable[F]{size: slices.Clone(keyed), keyed: keyed}
	last := l.OutSize(size)
	for a, n := range last {
		last[a] = max(0, n-1)
	}
	last = l.Query(last)
	for a, n := range last {
		t.size[a] += n
	}
	shift := make([]int, len(size))
	top := F(math.Inf(-1))
	for at := range Positions(t.size) {
		for a := range shift {
			shift[a] = at[a] - origin[a] - last[a]
		}
		s := score(shift)
		if t.scores = append(t.scores, s); s > top {
			top, t.best = s, slices.Clone(at)
		}
	}
	for a := range t.best {
		t.best[a] -= last[a]
	}
	for _, s := range t.scores {
		t.exps = append(t.exps, F(math.Exp(float64(s-top))))
	}
	for at := range Positions(keyed) {
		for a := range shift {
			shift[a] = at[a] + last[a]
		}
		t.keys = append(t.keys, Index(t.size, shift))
	}
	return t
}

// softmax sets p to the attention of a query: the softmax of its scores, with the sum in the order of the keys.
func (t *scoreTable[F]) softmax(p []F, query []int) {
	from, reached := Index(t.size, query), t.best != nil
	for a, b := range t.best {
		reached = reached && b+query[a] >= 0 && b+query[a] < t.keyed[a]
	}
	if !reached { // the largest of its scores is another one
		for i, k := range t.keys {
			p[i] = t.scores[k-from]
		}
		Softmax(p)
		return
	}
	var sum F
	for i, k := range t.keys {
		p[i] = t.exps[k-from]
		sum += p[i]
	}
	for i := range p {
		p[i] /= sum
	}
}

// keyMap returns the size of the padded image of the keys, and the origin of the image in it.
func (l *Layer[F]) keyMap(size []int) (origin, keyed []int) {
	origin, keyed = make([]int, len(size)), append([]int(nil), size...)
	if l.Border == Zero {
		for a := range size {
			origin[a] = At(l.Before, a, 0)
			keyed[a] += origin[a] + At(l.After, a, 0)
		}
	}
	return origin, keyed
}

// pixels lists for every key its pixel of the image, or -1.
func (l *Layer[F]) pixels(size, origin, keyed []int) []int {
	var keys []int
	p := make([]int, len(size))
	for at := range Positions(keyed) {
		for a := range p {
			p[a] = at[a] - origin[a]
		}
		k, inside := Zero.Resolve(size, p)
		if !inside {
			k = -1
		}
		keys = append(keys, k)
	}
	return keys
}

// bestCopy returns the score on a torus: the largest score of all periodic copies of a key that the kernel can reach.
// It counts copies from the one whose shift is between 0 and n-1.
func (l *Layer[F]) bestCopy(head Head[F], size []int) func(shift []int) F {
	copies := make([]int, len(size)) // to each side
	for _, s := range l.Shifts() {
		for a, n := range size {
			copies[a] = max(copies[a], 1+(max(s[a], -s[a])+n-1)/n)
		}
	}
	periods := make([]int, len(size))
	for a, m := range copies {
		periods[a] = 2*m + 1
	}
	copied := make([]int, len(size)) // shift to a copy
	return func(shift []int) F {
		first := true
		var best F
		for period := range Positions(periods) {
			for a, n := range size {
				copied[a] = (shift[a]%n+n)%n + (period[a]-copies[a])*n
			}
			if s := head.Score(copied); first || s > best {
				best, first = s, false
			}
		}
		return best
	}
}
