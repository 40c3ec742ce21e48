package viz

import "math"

// A Head is a Gaussian attention head: the token at shift δ from the query has a weight proportional to
// exp(-½(δ-Center)ᵀ·Precision·(δ-Center)). Shifts are (row, column), in tokens; rows count downwards, as in the image.
type Head struct {
	Center    [2]float64
	Precision [2][2]float64 // symmetric
}

// Isotropic returns the head with score -alpha‖δ-center‖², which is as wide in all directions: alpha is in 1/tokens², its
// standard deviation is 1/√(2·alpha) tokens.
func Isotropic(center [2]float64, alpha float64) Head {
	return Head{Center: center, Precision: [2][2]float64{{2 * alpha, 0}, {0, 2 * alpha}}}
}

// eigen returns the eigenvalues of the precision, larger first, and the direction (row, column) of the first.
func (h Head) eigen() (large, small float64, direction [2]float64) {
	a, b, c := h.Precision[0][0], h.Precision[0][1], h.Precision[1][1]
	mean, half := (a+c)/2, math.Hypot((a-c)/2, b)
	angle := math.Atan2(2*b, a-c) / 2
	return mean + half, mean - half, [2]float64{math.Cos(angle), math.Sin(angle)}
}

// Condition returns the condition number of the precision; 1 for an isotropic head.
func (h Head) Condition() float64 {
	large, small, _ := h.eigen()
	return large / small
}

// Angle returns the direction of the longer axis in degrees from 0 to 180: 0 is downwards, 90 to the right.
func (h Head) Angle() float64 {
	_, _, d := h.eigen() // of the shorter axis
	return math.Mod(math.Atan2(d[0], -d[1])*180/math.Pi+180, 180)
}

// Uniform reports whether the head attends almost equally to all tokens, or to all along one direction. The reference calls
// such a head degenerate: the larger eigenvalue is below 1e-5, or the condition number above 1000.
func (h Head) Uniform() bool {
	large, small, _ := h.eigen()
	return !(large >= 1e-5) || !(large <= 1000*small)
}

// Axes returns the semi-axes, in tokens, of the ellipse that contains mass (0..1) of the Gaussian: √(-2·ln(1-mass)/λ) for
// the eigenvalues λ of the precision. For an isotropic head, λ = 2α, both are the radius √(-ln(1-mass)/α).
func (h Head) Axes(mass float64) (long, short float64) {
	large, small, _ := h.eigen()
	r := math.Sqrt(-2 * math.Log(1-mass))
	return r / math.Sqrt(small), r / math.Sqrt(large)
}

// Contour returns the ellipse that contains mass of the Gaussian, as a closed line of n segments.
func (h Head) Contour(mass float64, n int) [][2]float64 {
	return h.ellipse(math.Sqrt(-2*math.Log(1-mass)), n)
}

// ellipse returns the ellipse (δ-Center)ᵀ·Precision·(δ-Center) = radius², as a closed line of n segments.
func (h Head) ellipse(radius float64, n int) [][2]float64 {
	large, small, d := h.eigen() // d: direction of the short axis
	long, short := radius/math.Sqrt(small), radius/math.Sqrt(large)
	points := make([][2]float64, n+1)
	for i := range points {
		sin, cos := math.Sincos(2 * math.Pi * float64(i%n) / float64(n))
		u, v := short*cos, long*sin
		points[i] = [2]float64{h.Center[0] + u*d[0] - v*d[1], h.Center[1] + u*d[1] + v*d[0]}
	}
	return points
}

// form returns (δ-Center)ᵀ·Precision·(δ-Center) for the shift δ = (row, col).
func (h Head) form(row, col float64) float64 {
	d0, d1, q := row-h.Center[0], col-h.Center[1], h.Precision
	return d0*d0*q[0][0] + 2*d0*d1*q[0][1] + d1*d1*q[1][1]
}
