package viz

import (
	"math"

	"github.com/attnconv/attnconv/posenc/geometry"
)

// contour returns the ellipse that contains mass of the Gaussian, as a closed line of n segments.
func contour(h geometry.Head, mass float64, n int) [][2]float64 {
	return ellipse(h, math.Sqrt(-2*math.Log(1-mass)), n)
}

// ellipse returns the ellipse (δ-Center)ᵀ·Precision·(δ-Center) = radius², as a closed line of n segments.
func ellipse(h geometry.Head, radius float64, n int) [][2]float64 {
	large, small, d := h.Eigen() // d: direction of the short axis
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
func form(h geometry.Head, row, col float64) float64 {
	d0, d1, q := row-h.Center[0], col-h.Center[1], h.Precision
	return d0*d0*q[0][0] + 2*d0*d1*q[0][1] + d1*d1*q[1][1]
}
