package kernel

import "math"

const normEpsilon = 1e-12 // inside the root, as in BERT

// ResidualNorm sets, row by row of len(gamma) numbers, z = x + mask∘y and out = γ·(z - μ)·rstd + β with μ the mean of
// z, rstd = 1/√(σ² + 1e-12) and σ² its biased variance. mean and rstd get one number a row. A nil y is zero.
func ResidualNorm(out, mean, rstd, x, y, gamma, beta []float32, drop Dropout) {
	d := len(gamma)
	Blocks(len(mean), perBlock(d), func(lo, hi int) {
		mask := lend(d)
		defer takeBack(mask)
		for r := lo; r < hi; r++ {
			i := r * d
			m := rowMask(*mask, drop, r)
			mean[r], rstd[r] = best.norm(out[i:i+d], x[i:i+d], rowOf(y, i, d), m, gamma, beta)
		}
	})
}

// ResidualNormGrad sets dx = dL/dz, dy = mask∘dx, dgamma and dbeta from dout. Nil dy is left out.
func ResidualNormGrad(dx, dy, dgamma, dbeta, dout, x, y, mean, rstd, gamma []float32, drop Dropout) {
	d := len(gamma)
	size := max(16, perBlock(d))
	blocks := (len(mean) + size - 1) / size
	parts := lend(2 * blocks * d)
	defer takeBack(parts)
	clear(*parts)
	Blocks(len(mean), size, func(lo, hi int) {
		dg, db := (*parts)[lo/size*d:][:d], (*parts)[(blocks+lo/size)*d:][:d]
		mask := lend(d)
		defer takeBack(mask)
		for r := lo; r < hi; r++ {
			i := r * d
			m := rowMask(*mask, drop, r)
			best.normGrad(dx[i:i+d], dg, db, dout[i:i+d], x[i:i+d], rowOf(y, i, d), m, gamma, mean[r], rstd[r])
			if dy != nil {
				copy(dy[i:i+d], dx[i:i+d])
				if m != nil {
					mulGeneric(dy[i:i+d], m)
				}
			}
		}
	})
	sumParts(dgamma, (*parts)[:blocks*d])
	sumParts(dbeta, (*parts)[blocks*d:])
}

// rowMask returns the mask of a row, or nil where nothing is dropped.
func rowMask(buf []float32, drop Dropout, row int) []float32 {
	if drop.Rate == 0 {
		return nil
	}
	drop.Row(buf, uint32(row))
	return buf
}

func rowOf(y []float32, i, d int) []float32 {
	if y == nil {
		return nil
	}
	return y[i : i+d]
}

func mulGeneric(y, x []float32) {
	for i, v := range x {
		y[i] *= v
	}
}

// sumGeneric sets z = x + mask∘y; a nil y is zero, a nil mask one.
func sumGeneric(z, x, y, mask []float32) {
	switch {
	case y == nil:
		copy(z, x)
	case mask == nil:
		for i, v := range y {
			z[i] = x[i] + v
		}
	default:
		for i, v := range y {
			z[i] = x[i] + mask[i]*v
		}
	}
}

func normGeneric(out, x, y, mask, gamma, beta []float32) (mean, rstd float32) {
	sumGeneric(out, x, y, mask)
	var sum, squares float64
	for _, z := range out {
		sum += float64(z)
	}
	mu := sum / float64(len(out))
	for _, z := range out {
		squares += (float64(z) - mu) * (float64(z) - mu)
	}
	mean, rstd = float32(mu), float32(1/math.Sqrt(squares/float64(len(out))+normEpsilon))
	for i, z := range out {
		out[i] = (z-mean)*rstd*gamma[i] + beta[i]
	}
	return mean, rstd
}

// normGradGeneric sets dx = rstd·(u - mean(u) - n·mean(u·n)) with u = γ·dout and n = (z - μ)·rstd, and adds dout·n to
// dgamma and dout to dbeta.
func normGradGeneric(dx, dgamma, dbeta, dout, x, y, mask, gamma []float32, mean, rstd float32) {
	sumGeneric(dx, x, y, mask)
	var su, sun float64
	for i, z := range dx {
		n, u := (z-mean)*rstd, gamma[i]*dout[i]
		dgamma[i] += dout[i] * n
		dbeta[i] += dout[i]
		su += float64(u)
		sun += float64(u) * float64(n)
	}
	mu, mun := float32(su/float64(len(dx))), float32(sun/float64(len(dx)))
	for i, z := range dx {
		n, u := (z-mean)*rstd, gamma[i]*dout[i]
		dx[i] = rstd * (u - mu - n*mun)
	}
}
