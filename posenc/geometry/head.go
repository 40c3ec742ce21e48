package geometry

import (
	"math"
	"slices"
)

// A Head is a Gaussian attention head: the score of the token at shift δ from the query is
// -½(δ-Center)ᵀ·Precision·(δ-Center). Shifts are (row, column), in tokens; rows count downwards, as in the image.
type Head struct {
	Center    [2]float64
	Precision [2][2]float64 // symmetric
}

// Isotropic returns the head with score -alpha‖δ-center‖², which has the same width in all directions. alpha is in
// 1/tokens²; the standard deviation is 1/√(2·alpha) tokens.
func Isotropic(center [2]float64, alpha float64) Head {
	return Head{Center: center, Precision: [2][2]float64{{2 * alpha, 0}, {0, 2 * alpha}}}
}

// Eigen returns the eigenvalues of the precision, larger first, and the direction (row, column) of the first.
func (h Head) Eigen() (large, small float64, direction [2]float64) {
	a, b, c := h.Precision[0][0], h.Precision[0][1], h.Precision[1][1]
	mean, half := (a+c)/2, math.Hypot((a-c)/2, b)
	angle := math.Atan2(2*b, a-c) / 2
	return mean + half, mean - half, [2]float64{math.Cos(angle), math.Sin(angle)}
}

// Condition returns the condition number of the precision; 1 for an isotropic head.
func (h Head) Condition() float64 {
	large, small, _ := h.Eigen()
	return large / small
}

// Angle returns the direction of the longer axis in degrees from 0 to 180: 0 is down, 90 is right.
func (h Head) Angle() float64 {
	_, _, d := h.Eigen() // of the shorter axis
	return math.Mod(math.Atan2(d[0], -d[1])*180/math.Pi+180, 180)
}

// Uniform reports whether the head attends almost equally to all tokens, or to all tokens along one direction. The
// reference calls such a head degenerate: the larger eigenvalue is below 1e-5, or the condition number is above 1000.
func (h Head) Uniform() bool {
	large, small, _ := h.Eigen()
	return !(large >= 1e-5) || !(large <= 1000*small)
}

// Axes returns the semi-axes, in tokens, of the ellipse that contains mass (0..1) of the Gaussian. They are
// √(-2·ln(1-mass)/λ) for the eigenvalues λ of the precision. For an isotropic head, λ = 2α, and both are the radius
// √(-ln(1-mass)/α).
func (h Head) Axes(mass float64) (long, short float64) {
	large, small, _ := h.Eigen()
	r := math.Sqrt(-2 * math.Log(1-mass))
	return r / math.Sqrt(small), r / math.Sqrt(large)
}

// Softmax replaces x by exp(x_i) / Σ_k exp(x_k).
func Softmax(x []float64) {
	top, sum := slices.Max(x), 0.0 // top is subtracted, so that exp does not overflow; it cancels
	for i, v := range x {
		x[i] = math.Exp(v - top)
		sum += x[i]
	}
	for i := range x {
		x[i] /= sum
	}
}
