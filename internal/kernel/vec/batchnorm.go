package vec

import (
	"github.com/attnconv/attnconv/internal/kernel/pool"
	"github.com/attnconv/attnconv/internal/kernel/threads"
)

// wideFloats is about how many elements a routine gets at a time. Rows of few channels go several at once, as one
// chunk, and what belongs to the channels is repeated.
const wideFloats = 512

// A channelRows walks over rows of d channels, in chunks of so many rows.
type channelRows struct{ d, chunk int }

func rowsOf(d int) channelRows { return channelRows{d, max(1, wideFloats/d)} }

// repeat returns x once for each row of a chunk. The caller Puts the buffer back.
func (c channelRows) repeat(x []float32) *[]float32 {
	all := pool.Get(c.d * c.chunk)
	for i := range c.chunk {
		copy((*all)[i*c.d:], x)
	}
	return all
}

// zeros returns a sum of zero for each element of a chunk. The caller Puts the buffer back.
func (c channelRows) zeros() *[]float32 {
	all := pool.Get(c.d * c.chunk)
	clear(*all)
	return all
}

// fold adds the sums of a chunk to sum and Puts their buffer back.
func (c channelRows) fold(sum []float32, all *[]float32) {
	for i := range c.chunk {
		best.Add(sum, sum, (*all)[i*c.d:][:c.d])
	}
	pool.Put(all)
}

// each calls f for every chunk of rows [lo, hi): elements [i, j), n of them.
func (c channelRows) each(lo, hi int, f func(i, j, n int)) {
	step, end := c.d*c.chunk, hi*c.d
	for i := lo * c.d; i < end; i += step {
		j := min(end, i+step)
		f(i, j, j-i)
	}
}

// Moments sets mean and variance (biased) of each channel over all rows of x.  x (n, d), mean, rest, variance (d)
//
// Each block of rows has a mean of its own, about which its squared deviations are summed while it is in cache; blocks
// are joined in order, as Chan, Golub and LeVeque (1979) do. Of a channel that is far from zero compared with its
// spread, float32 cannot hold the mean: it is mean + rest there. Elsewhere rest is 0.
func Moments(mean, rest, variance, x []float32) {
	d := len(mean)
	equal(d, rest, variance)
	n := rowCount(len(x), d)
	rows, size := rowsOf(d), rowsIn(d, sumFloats)
	blocks := threads.Count(n, size)
	parts := pool.Get(blocks * 2 * d)
	defer pool.Put(parts)
	threads.Parallel(blocks, func(b int) {
		lo, hi := b*size, min(n, (b+1)*size)
		m, squares := (*parts)[2*b*d:][:d], (*parts)[(2*b+1)*d:][:d]
		sum := rows.zeros()
		rows.each(lo, hi, func(i, j, n int) { best.Add((*sum)[:n], (*sum)[:n], x[i:j]) })
		clear(m)
		rows.fold(m, sum)
		best.Scale(1/float32(hi-lo), m)
		rows.squares(squares, x, m, lo, hi)
	})
	distant := false
	for c := range d {
		var m, squares, seen float64
		for b := range blocks {
			k := float64(min(n, (b+1)*size) - b*size)
			apart := float64((*parts)[2*b*d+c]) - m
			squares += float64((*parts)[(2*b+1)*d+c]) + apart*apart*seen*k/(seen+k)
			seen += k
			m += apart * k / seen
		}
		mean[c], rest[c], variance[c] = float32(m), 0, float32(squares/seen)
		distant = distant || far(mean[c], variance[c])
	}
	if distant {
		nearMoments(mean, rest, variance, x)
	}
}

// squares sets sum to that of (x - m)² over rows [lo, hi), for each channel.
func (c channelRows) squares(sum, x, m []float32, lo, hi int) {
	means, all := c.repeat(m), c.zeros()
	c.each(lo, hi, func(i, j, n int) { best.AddDeviations((*all)[:n], x[i:j], (*means)[:n]) })
	clear(sum)
	c.fold(sum, all)
	pool.Put(means)
}

// nearMoments corrects the moments of channels that are far from zero: it takes them about the means so far, from which
// differences are exact. The first pass finds the float32 next to the mean, the second what is left.
func nearMoments(mean, rest, variance, x []float32) {
	d := len(mean)
	n, rows := len(x)/d, rowsOf(d)
	size := rowsIn(d, sumFloats)
	blocks := threads.Count(n, size)
	parts := pool.Get(blocks * 3 * d)
	defer pool.Put(parts)
	distant := make([]bool, d)
	for c := range d {
		distant[c] = far(mean[c], variance[c])
	}
	ones := rows.zeros()
	defer pool.Put(ones)
	for i := range *ones {
		(*ones)[i] = 1
	}
	for range 2 {
		threads.Parallel(blocks, func(b int) {
			lo, hi := b*size, min(n, (b+1)*size)
			part := (*parts)[3*b*d:][:3*d]
			means, count, sum := rows.repeat(mean), rows.zeros(), rows.zeros()
			rows.each(lo, hi, func(i, j, n int) {
				best.CenteredSums((*count)[:n], (*sum)[:n], (*ones)[:n], x[i:j], (*means)[:n])
			})
			clear(part)
			rows.fold(part[2*d:], count)
			rows.fold(part[:d], sum)
			pool.Put(means)
			rows.squares(part[d:2*d], x, mean, lo, hi)
		})
		for c := range d {
			if !distant[c] {
				continue
			}
			var sum, squares float64
			for b := range blocks {
				sum += float64((*parts)[3*b*d+c])
				squares += float64((*parts)[(3*b+1)*d+c])
			}
			apart := sum / float64(n)
			variance[c] = float32(max(0, squares/float64(n)-apart*apart))
			m := float64(mean[c]) + apart
			mean[c] = float32(m)
			rest[c] = float32(m - float64(mean[c]))
		}
	}
}

// BatchNorm sets y = γ·(x - mean)·rstd + β for each channel, + add, and no less than zero if relu. add may be nil.
//
// The mean is mean + rest, as Moments leaves it.  x, add, y (n, d), mean, rest, rstd, γ, β (d)
func BatchNorm(y, x, add, mean, rest, rstd, gamma, beta []float32, relu bool) {
	d := len(mean)
	equal(d, rest, rstd, gamma, beta)
	equal(len(x), y)
	n, rows := rowCount(len(x), d), rowsOf(d)
	scale := pool.Get(d)
	defer pool.Put(scale)
	best.Mul(*scale, gamma, rstd)
	m, s, b := rows.repeat(mean), rows.repeat(*scale), rows.shifts(beta, rest, *scale)
	rowBlocks(n, d, blockFloats, func(lo, hi int) {
		rows.each(lo, hi, func(i, j, n int) {
			best.Centered(y[i:j], x[i:j], (*m)[:n], (*s)[:n], (*b)[:n])
			if add != nil {
				best.Add(y[i:j], y[i:j], add[i:j])
			}
			if relu {
				best.ReLU(y[i:j], y[i:j])
			}
		})
	})
	for _, b := range []*[]float32{m, s, b} {
		pool.Put(b)
	}
}

// shifts is repeat of beta - rest·scale: what is left to add to (x - mean)·scale.
func (c channelRows) shifts(beta, rest, scale []float32) *[]float32 {
	b := pool.Get(c.d)
	defer pool.Put(b)
	for i, v := range beta {
		(*b)[i] = v - rest[i]*scale[i]
	}
	return c.repeat(*b)
}

// BatchNormGrad is the backward of BatchNorm with the mean and variance of x itself. With g = dy where y > 0, or all
// of dy without relu, and x̂ = (x - mean - rest)·rstd it
// overwrites
//
//	dβ = Σ g,  dγ = Σ g·x̂,  dx = γ·rstd·(g - dβ/n - x̂·dγ/n),  dadd = g
//
// over the n rows. y may be nil where nothing was added: it is recomputed; dadd may be nil too. dx may be dy.
func BatchNormGrad(dx, dadd, dgamma, dbeta, dy, y, x, mean, rest, rstd, gamma, beta []float32, relu bool) {
	d := len(mean)
	equal(d, rest, rstd, gamma, beta, dgamma, dbeta)
	equal(len(x), dx, dy)
	n, rows := rowCount(len(x), d), rowsOf(d)
	perChannel := pool.Get(4 * d)
	defer pool.Put(perChannel)
	scale, slope, level := (*perChannel)[:d], (*perChannel)[d:2*d], (*perChannel)[2*d:3*d]
	best.Mul(scale, gamma, rstd)
	m, s, b := rows.repeat(mean), rows.repeat(scale), rows.shifts(beta, rest, scale)
	defer pool.Put(m)
	defer pool.Put(s)
	defer pool.Put(b)
	g, recompute := dy, relu && y == nil
	if relu && y != nil {
		if g = dadd; g == nil {
			g = dx
		}
	}
	both := pool.Get(2 * d)
	defer pool.Put(both)
	sumBlocks(*both, n, d, func(part []float32, lo, hi int) {
		sg, sx := rows.zeros(), rows.zeros()
		rows.each(lo, hi, func(i, j, n int) {
			switch {
			case recompute:
				best.MaskedSums((*sg)[:n], (*sx)[:n], dy[i:j], x[i:j], (*m)[:n], (*s)[:n], (*b)[:n])
				return
			case relu:
				best.ReLUGrad(g[i:j], dy[i:j], y[i:j])
			}
			best.CenteredSums((*sg)[:n], (*sx)[:n], g[i:j], x[i:j], (*m)[:n])
		})
		rows.fold(part[:d], sg)
		rows.fold(part[d:], sx)
	})
	copy(dbeta, (*both)[:d])
	for c, r := range rest {
		dgamma[c] = ((*both)[d+c] - r*dbeta[c]) * rstd[c]
		slope[c] = -scale[c] * rstd[c] * dgamma[c] / float32(n)
		level[c] = -scale[c]*dbeta[c]/float32(n) - r*slope[c]
	}
	p, q := rows.repeat(slope), rows.repeat(level)
	defer pool.Put(p)
	defer pool.Put(q)
	rowBlocks(n, d, blockFloats, func(lo, hi int) {
		rows.each(lo, hi, func(i, j, n int) {
			if dadd != nil && !relu {
				copy(dadd[i:j], dy[i:j])
			}
			if recompute {
				best.MaskedGrad(dx[i:j], dy[i:j], x[i:j], (*m)[:n], (*s)[:n], (*b)[:n], (*p)[:n], (*q)[:n])
			} else {
				best.CenteredGrad(dx[i:j], g[i:j], x[i:j], (*m)[:n], (*s)[:n], (*p)[:n], (*q)[:n])
			}
		})
	})
}

// Rstd sets r = 1/√(variance + eps).
func Rstd(r, variance []float32, eps float64) {
	equal(len(r), variance)
	for i, v := range variance {
		r[i] = invRootOf(v, eps)
	}
}

func reluPlain(y, x []float32) {
	for i, v := range x {
		if v < 0 {
			v = 0
		}
		y[i] = v
	}
}

func reluGradPlain(g, dy, y []float32) {
	for i, v := range y {
		if v > 0 {
			g[i] = dy[i]
		} else {
			g[i] = 0
		}
	}
}

func addDeviationsPlain(sum, x, m []float32) {
	for i, v := range x {
		sum[i] += (v - m[i]) * (v - m[i])
	}
}

func centeredPlain(y, x, m, scale, beta []float32) {
	for i, v := range x {
		y[i] = (v-m[i])*scale[i] + beta[i]
	}
}

func centeredSumsPlain(sg, sx, g, x, m []float32) {
	for i, v := range g {
		sg[i] += v
		sx[i] += v * (x[i] - m[i])
	}
}

func centeredGradPlain(dx, g, x, m, scale, slope, level []float32) {
	for i, v := range g {
		dx[i] = v*scale[i] + ((x[i]-m[i])*slope[i] + level[i])
	}
}

func maskedSumsPlain(sg, sx, dy, x, m, scale, beta []float32) {
	for i, v := range dy {
		if c := x[i] - m[i]; c*scale[i]+beta[i] > 0 {
			sg[i] += v
			sx[i] += v * c
		}
	}
}

func maskedGradPlain(dx, dy, x, m, scale, beta, slope, level []float32) {
	for i, v := range dy {
		c := x[i] - m[i]
		if !(c*scale[i]+beta[i] > 0) {
			v = 0
		}
		dx[i] = v*scale[i] + (c*slope[i] + level[i])
	}
}
