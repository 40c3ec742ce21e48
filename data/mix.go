package data

import (
	"math"
	"math/rand/v2"
)

// mixUp makes x the mean λ·x + (1-λ)·other, with λ from Beta(A, A).
func mixUp(x, other []float32, _ Format, values []float64, r *rand.Rand) (share float64) {
	share = 1 - beta(r, values[0])
	own, rest := float32(1-share), float32(share)
	for i, v := range other {
		x[i] = own*x[i] + rest*v
	}
	return share
}

// cutMix copies a rectangle of other to x. Its sides are √(1-λ) of those of the image, rounded down, with λ from
// Beta(A, A). Its center is a random pixel, and what is outside the image is cut off.
func cutMix(x, other []float32, f Format, values []float64, r *rand.Rand) (share float64) {
	side := math.Sqrt(1 - beta(r, values[0]))
	row, rows := cutRange(f.Rows, side, r)
	col, cols := cutRange(f.Cols, side, r)
	for y := row; y < row+rows; y++ {
		at := (y*f.Cols + col) * f.Channels
		copy(x[at:at+cols*f.Channels], other[at:])
	}
	return float64(rows*cols) / float64(f.Rows*f.Cols)
}

// cutRange returns the first pixel and the length of a part of n pixels, around a random one.
func cutRange(n int, part float64, r *rand.Rand) (first, length int) {
	length = int(float64(n) * part)
	from := r.IntN(n) - length/2
	first = max(0, from)
	return first, min(n, from+length) - first
}

// beta draws from Beta(a, a): X/(X + Y) of two draws from Gamma(a).
func beta(r *rand.Rand, a float64) float64 {
	x, y := logGamma(r, a), logGamma(r, a)
	return 1 / (1 + math.Exp(y-x))
}

// logGamma draws the logarithm of a number from Gamma(a), by rejection (Marsaglia, Tsang 2000). For a < 1, Gamma(a) is
// Gamma(a+1)·U^(1/a), with U uniform in 0..1; small ones would underflow, so it adds logarithms.
func logGamma(r *rand.Rand, a float64) (log float64) {
	if a < 1 {
		log, a = math.Log(1-r.Float64())/a, a+1
	}
	d := a - 1./3
	for {
		z := r.NormFloat64()
		v := 1 + z/math.Sqrt(9*d)
		if v <= 0 {
			continue
		}
		v *= v * v
		if math.Log(1-r.Float64()) < z*z/2+d*(1-v+math.Log(v)) {
			return log + math.Log(d*v)
		}
	}
}
