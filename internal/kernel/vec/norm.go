package vec

import (
	"math"

	"github.com/attnconv/attnconv/internal/kernel/pool"
)

// NormEps is added to the variance, inside the root, as BERT and the paper's model do.
const NormEps = 1e-12

// ResidualNorm sets out to the layer norm of z = x + drop(y), and keeps what backward needs of each row:
//
//	out = γ·(z - μ)·rstd + β,  μ = mean z,  rstd = 1/√(mean (z-μ)² + 1e-12)
//
// x, y, out (n, d), mean, rstd (n), γ, β (d). A nil y stands for zeros: a plain layer norm.
func ResidualNorm(out, mean, rstd, x, y, gamma, beta []float32, drop Dropout) {
	d := len(gamma)
	n := rowCount(len(x), d)
	equal(len(x), out)
	equal(n, mean, rstd)
	equal(d, beta)
	if y != nil {
		equal(len(x), y)
	}
	rowBlocks(n, d, blockFloats, func(lo, hi int) {
		mask := pool.Get(d)
		for r := lo; r < hi; r++ {
			i, j := r*d, (r+1)*d
			m := residual(out[i:j], x, y, *mask, r, drop) / float32(d)
			v, off := best.Deviations(out[i:j], m)/float32(d), m
			if far(m, v) {
				m, v = center(out[i:j])
				off = 0
			}
			s := invRoot(v)
			best.Normalize(out[i:j], out[i:j], gamma, beta, off, s)
			mean[r], rstd[r] = m, s
		}
		pool.Put(mask)
	})
}

// ResidualNormGrad is the backward of ResidualNorm. With g = γ·dout and x̂ = (z-μ)·rstd it overwrites
//
//	dx = rstd·(g - mean g - x̂·mean(g·x̂)),  dy = drop(dx),  dγ = Σ dout·x̂,  dβ = Σ dout
//
// drawing the mask a second time. x, y, dx, dy, dout (n, d), mean, rstd (n), γ, dγ, dβ (d). A nil y stands for zeros; a
// nil dy is not computed. dx may be dout.
func ResidualNormGrad(dx, dy, dgamma, dbeta, dout, x, y, mean, rstd, gamma []float32, drop Dropout) {
	d := len(gamma)
	n := rowCount(len(x), d)
	equal(len(x), dx, dout)
	equal(n, mean, rstd)
	equal(d, dgamma, dbeta)
	if y != nil {
		equal(len(x), y)
	}
	if dy != nil {
		equal(len(x), dy)
	}
	both := pool.Get(2 * d)
	sumBlocks(*both, n, d, func(part []float32, lo, hi int) {
		buf := pool.Get(2 * d)
		xhat, mask := (*buf)[:d], (*buf)[d:]
		for r := lo; r < hi; r++ {
			i, j := r*d, (r+1)*d
			residual(xhat, x, y, mask, r, drop)
			m := mean[r]
			if far(m, 1/(rstd[r]*rstd[r])) {
				center(xhat)
				m = 0
			}
			g, gx := best.NormSums(xhat, xhat, dout[i:j], gamma, part[:d], part[d:], m, rstd[r])
			best.NormGrad(dx[i:j], xhat, dout[i:j], gamma, rstd[r], g/float32(d), gx/float32(d))
			switch {
			case dy == nil:
			case y == nil || drop.Rate == 0:
				copy(dy[i:j], dx[i:j])
			default:
				best.Mul(dy[i:j], dx[i:j], mask)
			}
		}
		pool.Put(buf)
	})
	copy(dgamma, (*both)[:d])
	copy(dbeta, (*both)[d:])
	pool.Put(both)
}

// residual sets z to row r of x + drop(y) and returns its sum. It leaves the row's mask in mask if it draws one.
func residual(z, x, y, mask []float32, r int, drop Dropout) float32 {
	i, j := r*len(z), (r+1)*len(z)
	switch {
	case y == nil:
		copy(z, x[i:j])
		return best.Sum(z)
	case drop.Rate == 0:
		return best.AddSum(z, x[i:j], y[i:j])
	default:
		drop.Row(mask, uint32(r))
		return best.MaskAddSum(z, x[i:j], y[i:j], mask)
	}
}

// far reports whether elements of that mean and variance are so far from zero, beside their spread, that float32 is too
// coarse to hold their mean. An error e of the mean moves (z-μ)/σ by e/σ, and sums err by a few millionths of the mean.
func far(mean, variance float32) bool { return variance < mean*mean/256 }

// center takes the mean of z out of z, and returns it and the variance. It computes in float64 and from z's first
// element, so that equal elements become zeros.
func center(z []float32) (mean, variance float32) {
	var m, v float64
	first := float64(z[0])
	for _, x := range z {
		m += float64(x) - first
	}
	m /= float64(len(z))
	for i, x := range z {
		apart := float64(x) - first - m
		v += apart * apart
		z[i] = float32(apart)
	}
	return float32(first + m), float32(v / float64(len(z)))
}

func invRoot(variance float32) float32 { return invRootOf(variance, NormEps) }

func invRootOf(variance float32, eps float64) float32 {
	return float32(1 / math.Sqrt(float64(variance)+eps))
}

func addSumPlain(z, x, y []float32) (s float32) {
	for i, v := range x {
		z[i] = v + y[i]
		s += z[i]
	}
	return s
}

func maskAddSumPlain(z, x, y, mask []float32) (s float32) {
	for i, v := range x {
		z[i] = v + mask[i]*y[i]
		s += z[i]
	}
	return s
}

func deviationsPlain(x []float32, m float32) (s float32) {
	for _, v := range x {
		s += (v - m) * (v - m)
	}
	return s
}

func normalizePlain(out, z, gamma, beta []float32, mean, rstd float32) {
	for i, v := range z {
		out[i] = (v-mean)*rstd*gamma[i] + beta[i]
	}
}

func normSumsPlain(xhat, z, dout, gamma, dgamma, dbeta []float32, mean, rstd float32) (sg, sgx float32) {
	for i, v := range z {
		x := (v - mean) * rstd
		xhat[i] = x
		dgamma[i] += dout[i] * x
		dbeta[i] += dout[i]
		sg += dout[i] * gamma[i]
		sgx += dout[i] * gamma[i] * x
	}
	return sg, sgx
}

func normGradPlain(dx, xhat, dout, gamma []float32, rstd, mg, mgx float32) {
	for i, x := range xhat {
		dx[i] = rstd * (dout[i]*gamma[i] - mg - x*mgx)
	}
}
