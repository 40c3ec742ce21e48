package kernel

import "math"

// GELU sets y[i,j] = g(x[i,j] + b[j]) with g(u) = u·½(1 + erf(u/√2)). y may be x.
func GELU(y, x, b []float32) {
	d := len(b)
	Blocks(len(x)/d, perBlock(d), func(lo, hi int) {
		for i := lo * d; i < hi*d; i += d {
			best.gelu(y[i:i+d], x[i:i+d], b)
		}
	})
}

// GELUGrad sets dx = dy·g'(x + b), g'(u) = ½(1 + erf(u/√2)) + u·exp(-u²/2)/√(2π). dx may be dy.
func GELUGrad(dx, dy, x, b []float32) {
	d := len(b)
	Blocks(len(x)/d, perBlock(d), func(lo, hi int) {
		for i := lo * d; i < hi*d; i += d {
			best.geluGrad(dx[i:i+d], dy[i:i+d], x[i:i+d], b)
		}
	})
}

func geluGeneric(y, x, b []float32) {
	for i, v := range x {
		u := float64(v + b[i])
		y[i] = float32(u / 2 * (1 + math.Erf(u/math.Sqrt2)))
	}
}

func geluGradGeneric(dx, dy, x, b []float32) {
	for i, v := range x {
		u := float64(v + b[i])
		slope := (1+math.Erf(u/math.Sqrt2))/2 + u*math.Exp(-u*u/2)/math.Sqrt(2*math.Pi)
		dx[i] = dy[i] * float32(slope)
	}
}
