package claims

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/attnconv/attnconv/internal/plain"
	"github.com/attnconv/attnconv/theorem"
)

// definition returns the convolution in package plain, which shares no code with package theorem, in float64.
func definition[F theorem.Float](c *theorem.Conv[F]) plain.Conv {
	return plain.Conv{
		Outside: [...]plain.Outside{plain.Zeros, plain.Edge, plain.Wrap}[c.Border], // in the order of theorem.Borders
		Kernel:  c.Kernel, Stride: c.Stride, Dilation: c.Dilation, Before: c.Before, After: c.After,
		In: c.In, Out: c.Out, Groups: c.Groups, Mirrored: c.Flip, Weight: widened(c.Weight), Bias: widened(c.Bias),
	}
}

// exact computes the definition on one image, with compensated sums.
func exact[F theorem.Float](c *theorem.Conv[F], size []int, x []F) []float64 {
	return definition(c).Forward(size, widened(x))
}

// widened converts x to float64; nil stays nil.
func widened[F theorem.Float](x []F) []float64 {
	if x == nil {
		return nil
	}
	y := make([]float64, len(x))
	for i, v := range x {
		y[i] = float64(v)
	}
	return y
}

// randomize draws normal weights and biases, scaled so that results are of order 1.
func randomize[F theorem.Float](c *theorem.Conv[F], rng *rand.Rand) {
	in := c.In / max(1, c.Groups)
	c.Weight = normal[F](rng, c.Out*in*c.Entries(), 1/float64(in*c.Entries()))
	c.Bias = normal[F](rng, c.Out, 1)
}

// normal draws n normal values of mean 0 and the given variance.
func normal[F theorem.Float](rng *rand.Rand, n int, variance float64) []F {
	v := make([]F, n)
	for i := range v {
		v[i] = F(rng.NormFloat64() * math.Sqrt(variance))
	}
	return v
}

// largest lists the n entries of the kernel whose matrices have the largest norms, in ascending order: the best choice
// for n hard heads on images of independent pixels. lost is the fraction of the kernel's norm that the other entries
// have.
func largest[F theorem.Float](c *theorem.Conv[F], n int) (entries []int, lost float64) {
	norms := make([]float64, c.Entries())
	var all, left float64
	for t := range norms {
		for _, w := range c.Matrix(t) {
			norms[t] += float64(w) * float64(w)
		}
		all += norms[t]
		entries = append(entries, t)
	}
	slices.SortStableFunc(entries, func(a, b int) int { return cmp.Compare(norms[b], norms[a]) })
	n = min(n, len(entries))
	for _, t := range entries[n:] {
		left += norms[t]
	}
	entries = slices.Sorted(slices.Values(entries[:n]))
	if all == 0 {
		return entries, 0
	}
	return entries, math.Sqrt(left / all)
}

// leak returns the largest weight of a key that is not the largest of its query.
func leak[F theorem.Float](l *theorem.Layer[F], size []int) (most float64) {
	l.Attend(size, func(_, _ int, _ []int, p []F) { most = max(most, second(p)) })
	return most
}

// second returns the second largest of p, whose elements are not negative.
func second[F theorem.Float](p []F) float64 {
	var top, next F
	for _, w := range p {
		if w > top {
			top, next = w, top
		} else {
			next = max(next, w)
		}
	}
	return float64(next)
}
