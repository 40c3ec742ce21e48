package kernel

// wideFloats is about how many numbers a row kernel is given at a time: rows of few channels go several at once, with
// what belongs to the channels repeated.
const wideFloats = 512

// A channelRows walks over rows of d channels, several at a time.
type channelRows struct{ d, many int }

func rowsOf(d int) channelRows { return channelRows{d, max(1, wideFloats/d)} }

// repeat returns x once for each row of a turn, in memory to be given back.
func (c channelRows) repeat(x []float32) *[]float32 {
	all := Borrow(c.d * c.many)
	for i := range c.many {
		copy((*all)[i*c.d:], x)
	}
	return all
}

// zeros returns a sum for each number of a turn, in memory to be given back.
func (c channelRows) zeros() *[]float32 {
	all := Borrow(c.d * c.many)
	clear(*all)
	return all
}

// fold adds the sums of a turn up into sum and gives their memory back.
func (c channelRows) fold(sum []float32, all *[]float32) {
	for i := range c.many {
		best.add(sum, sum, (*all)[i*c.d:][:c.d])
	}
	GiveBack(all)
}

// each calls f for every turn of rows [lo, hi): numbers [i, j), n of them.
func (c channelRows) each(lo, hi int, f func(i, j, n int)) {
	step, end := c.d*c.many, hi*c.d
	for i := lo * c.d; i < end; i += step {
		j := min(end, i+step)
		f(i, j, j-i)
	}
}

// Moments sets mean and variance (biased) of each channel over all rows of x.  x (n, d), mean, rest, variance (d)
//
// Each block of rows has a mean of its own, about which its squares are taken while it is in cache; blocks are joined
// in order, as Chan, Golub and LeVeque (1979) do. Of a channel that is far from zero beside its spread, float32 cannot hold
// the mean: it is mean + rest there. Elsewhere rest is 0.
func Moments(mean, rest, variance, x []float32) {
	d := len(mean)
	equal(d, rest, variance)
	n := rowCount(len(x), d)
	rows, size := rowsOf(d), rowsIn(d, sumFloats)
	blocks := count(n, size)
	parts := Borrow(blocks * 2 * d)
	defer GiveBack(parts)
	Parallel(blocks, func(b int) {
		lo, hi := b*size, min(n, (b+1)*size)
		m, squares := (*parts)[2*b*d:][:d], (*parts)[(2*b+1)*d:][:d]
		sum := rows.zeros()
		rows.each(lo, hi, func(i, j, n int) { best.add((*sum)[:n], (*sum)[:n], x[i:j]) })
		clear(m)
		rows.fold(m, sum)
		best.scale(1/float32(hi-lo), m)
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
	about, all := c.repeat(m), c.zeros()
	c.each(lo, hi, func(i, j, n int) { best.addSquares((*all)[:n], x[i:j], (*about)[:n]) })
	clear(sum)
	c.fold(sum, all)
	GiveBack(about)
}

// nearMoments mends the moments of channels that are far from zero, which it takes about their means so far: differences
// from there are exact. The first turn finds the float32 next to the mean, the second what is left.
func nearMoments(mean, rest, variance, x []float32) {
	d := len(mean)
	n, rows := len(x)/d, rowsOf(d)
	size := rowsIn(d, sumFloats)
	blocks := count(n, size)
	parts := Borrow(blocks * 3 * d)
	defer GiveBack(parts)
	distant := make([]bool, d)
	for c := range d {
		distant[c] = far(mean[c], variance[c])
	}
	ones := rows.zeros()
	defer GiveBack(ones)
	for i := range *ones {
		(*ones)[i] = 1
	}
	for range 2 {
		Parallel(blocks, func(b int) {
			lo, hi := b*size, min(n, (b+1)*size)
			part := (*parts)[3*b*d:][:3*d]
			about, count, sum := rows.repeat(mean), rows.zeros(), rows.zeros()
			rows.each(lo, hi, func(i, j, n int) {
				best.centredSums((*count)[:n], (*sum)[:n], (*ones)[:n], x[i:j], (*about)[:n])
			})
			clear(part)
			rows.fold(part[2*d:], count)
			rows.fold(part[:d], sum)
			GiveBack(about)
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
	scale := Borrow(d)
	defer GiveBack(scale)
	best.mul(*scale, gamma, rstd)
	m, s, b := rows.repeat(mean), rows.repeat(*scale), rows.shifts(beta, rest, *scale)
	rowBlocks(n, d, blockFloats, func(lo, hi int) {
		rows.each(lo, hi, func(i, j, n int) {
			best.centred(y[i:j], x[i:j], (*m)[:n], (*s)[:n], (*b)[:n])
			if add != nil {
				best.add(y[i:j], y[i:j], add[i:j])
			}
			if relu {
				best.relu(y[i:j], y[i:j])
			}
		})
	})
	for _, b := range []*[]float32{m, s, b} {
		GiveBack(b)
	}
}

// shifts is repeat of beta - rest·scale: what is left to add to (x - mean)·scale.
func (c channelRows) shifts(beta, rest, scale []float32) *[]float32 {
	b := Borrow(c.d)
	defer GiveBack(b)
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
// over the n rows. y may be nil where nothing was added: it is made again; dadd may be nil too. dx may be dy.
func BatchNormGrad(dx, dadd, dgamma, dbeta, dy, y, x, mean, rest, rstd, gamma, beta []float32, relu bool) {
	d := len(mean)
	equal(d, rest, rstd, gamma, beta, dgamma, dbeta)
	equal(len(x), dx, dy)
	n, rows := rowCount(len(x), d), rowsOf(d)
	perChannel := Borrow(4 * d)
	defer GiveBack(perChannel)
	scale, slope, level := (*perChannel)[:d], (*perChannel)[d:2*d], (*perChannel)[2*d:3*d]
	best.mul(scale, gamma, rstd)
	m, s, b := rows.repeat(mean), rows.repeat(scale), rows.shifts(beta, rest, scale)
	defer GiveBack(m)
	defer GiveBack(s)
	defer GiveBack(b)
	g, again := dy, relu && y == nil
	if relu && y != nil {
		if g = dadd; g == nil {
			g = dx
		}
	}
	both := Borrow(2 * d)
	defer GiveBack(both)
	sumBlocks(*both, n, d, func(part []float32, lo, hi int) {
		sg, sx := rows.zeros(), rows.zeros()
		rows.each(lo, hi, func(i, j, n int) {
			switch {
			case again:
				best.maskedSums((*sg)[:n], (*sx)[:n], dy[i:j], x[i:j], (*m)[:n], (*s)[:n], (*b)[:n])
				return
			case relu:
				best.where(g[i:j], dy[i:j], y[i:j])
			}
			best.centredSums((*sg)[:n], (*sx)[:n], g[i:j], x[i:j], (*m)[:n])
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
	defer GiveBack(p)
	defer GiveBack(q)
	rowBlocks(n, d, blockFloats, func(lo, hi int) {
		rows.each(lo, hi, func(i, j, n int) {
			if dadd != nil && !relu {
				copy(dadd[i:j], dy[i:j])
			}
			if again {
				best.maskedGrad(dx[i:j], dy[i:j], x[i:j], (*m)[:n], (*s)[:n], (*b)[:n], (*p)[:n], (*q)[:n])
			} else {
				best.centredGrad(dx[i:j], g[i:j], x[i:j], (*m)[:n], (*s)[:n], (*p)[:n], (*q)[:n])
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

func reluGeneric(y, x []float32) {
	for i, v := range x {
		if v < 0 {
			v = 0
		}
		y[i] = v
	}
}

// whereGeneric sets g = dy where y > 0, else 0.
func whereGeneric(g, dy, y []float32) {
	for i, v := range y {
		if v > 0 {
			g[i] = dy[i]
		} else {
			g[i] = 0
		}
	}
}

func addSquaresGeneric(sum, x, m []float32) {
	for i, v := range x {
		sum[i] += (v - m[i]) * (v - m[i])
	}
}

func centredGeneric(y, x, m, scale, beta []float32) {
	for i, v := range x {
		y[i] = (v-m[i])*scale[i] + beta[i]
	}
}

// centredSumsGeneric adds g to sg and g·(x - m) to sx.
func centredSumsGeneric(sg, sx, g, x, m []float32) {
	for i, v := range g {
		sg[i] += v
		sx[i] += v * (x[i] - m[i])
	}
}

// centredGradGeneric sets dx = scale·g + slope·(x - m) + level.
func centredGradGeneric(dx, g, x, m, scale, slope, level []float32) {
	for i, v := range g {
		dx[i] = v*scale[i] + ((x[i]-m[i])*slope[i] + level[i])
	}
}

// maskedSumsGeneric is centredSums for g = dy where (x - m)·scale + beta > 0, else 0.
func maskedSumsGeneric(sg, sx, dy, x, m, scale, beta []float32) {
	for i, v := range dy {
		if c := x[i] - m[i]; c*scale[i]+beta[i] > 0 {
			sg[i] += v
			sx[i] += v * c
		}
	}
}

// maskedGradGeneric is centredGrad for such a g.
func maskedGradGeneric(dx, dy, x, m, scale, beta, slope, level []float32) {
	for i, v := range dy {
		c := x[i] - m[i]
		if !(c*scale[i]+beta[i] > 0) {
			v = 0
		}
		dx[i] = v*scale[i] + (c*slope[i] + level[i])
	}
}
