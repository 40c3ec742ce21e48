package vec

import "math"

// GELU sets y = g(x + b) with the bias b in each row of len(b) elements, and g(u) = u·Φ(u) = u·½(1 + erf(u/√2)), the
// exact form. y may be x.
func GELU(y, x, b []float32) {
	equal(len(x), y)
	d := len(b)
	rowBlocks(rowCount(len(x), d), d, blockFloats, func(lo, hi int) { GELUSerial(y[lo*d:hi*d], x[lo*d:hi*d], b) })
}

// GELUGrad sets dx = dy·g'(x + b), in parallel: the backward of GELU. dx may be dy.
func GELUGrad(dx, dy, x, b []float32) {
	equal(len(x), dx, dy)
	d := len(b)
	rowBlocks(rowCount(len(x), d), d, blockFloats, func(lo, hi int) {
		for i := lo * d; i < hi*d; i += d {
			best.GELUGrad(dx[i:i+d], dy[i:i+d], x[i:i+d], b)
		}
	})
}

// GELUSerial is GELU on the calling goroutine.
func GELUSerial(y, x, b []float32) {
	equal(len(x), y)
	d := len(b)
	for i := range rowCount(len(x), d) {
		best.GELU(y[i*d:][:d], x[i*d:][:d], b)
	}
}

// GELUBoth is GELUSerial and, with dy in dx, GELUGrad, for what Φ would be computed in both of. y, dx, x (n, d), b (d)
func GELUBoth(y, dx, x, b []float32) {
	equal(len(x), y, dx)
	d := len(b)
	for i := range rowCount(len(x), d) {
		row := dx[i*d:][:d]
		best.GELUBoth(y[i*d:][:d], row, row, x[i*d:][:d], b)
	}
}

func geluBothPlain(y, dx, dy, x, b []float32) {
	geluPlain(y, x, b)
	geluGradPlain(dx, dy, x, b)
}

func geluPlain(y, x, b []float32) {
	for i, v := range x {
		u := v + b[i]
		y[i] = u * normalCDF(u)
	}
}

func geluGradPlain(dx, dy, x, b []float32) {
	for i, v := range x {
		u := v + b[i]
		density := math.Exp(-0.5*float64(u)*float64(u)) / math.Sqrt(2*math.Pi)
		dx[i] = dy[i] * (normalCDF(u) + u*float32(density))
	}
}

// normalCDF returns Φ(u), the share of a standard normal variable below u.
func normalCDF(u float32) float32 { return float32(0.5 + 0.5*math.Erf(float64(u)*math.Sqrt2/2)) }
