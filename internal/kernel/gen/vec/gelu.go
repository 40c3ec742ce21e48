package main

import (
	"math"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/reg"
)

func gelu() {
	w := begin("GELU", "func(y, x, b []float32)", "y", "x", "b")
	lowest := load(all(-87.33654))
	w.each(1, func(s step) {
		u := s.load("x")
		VADDPS(s.load("b"), u, u)
		v, _ := normalCDF(u, lowest)
		VMULPS(u, v, v)
		s.store(v, "y")
	})
	end()

	for _, both := range []bool{false, true} {
		if both {
			w = begin("GELUBoth", "func(y, dx, dy, x, b []float32)", "y", "dx", "dy", "x", "b")
		} else {
			w = begin("GELUGrad", "func(dx, dy, x, b []float32)", "dx", "dy", "x", "b")
		}
		lowest = load(all(-87.33654))
		w.each(1, func(s step) {
			u := s.load("x")
			VADDPS(s.load("b"), u, u)
			v, e := normalCDF(u, lowest)
			if both {
				y := set.Vector()
				VMULPS(u, v, y)
				s.store(y, "y")
			}
			VMULPS(all(1/math.Sqrt(2*math.Pi)), u, u)
			VFMADD231PS(e, u, v) // Φ(u) + u·φ(u)
			VMULPS(s.load("dy"), v, v)
			s.store(v, "dx")
		})
		end()
	}
}

// Φ(-a) = exp(-a²/2)·Σ_j tail[j]·kʲ⁺¹ with k = 1/(1 + tailSlope·a), a ≥ 0, within 2.2e-8 before rounding, and 4e-6
// relatively where that is less. The form is that of Abramowitz and Stegun 7.1.26; the coefficients are a least-squares
// fit of seven terms on [0, 14], its weights moved towards the largest error, and the best of some slopes.
const tailSlope = 0.34

var tail = []float64{0.135941987683, 0.130670001709, 0.152603157739, -0.022169266611, 0.254207036612, -0.194680027082,
	0.0434270882235}

// Φ(u) = ½ + u·Σ_j middle[j]·u²ʲ for |u| < 1, within 7.4e-9 before rounding: where the tail is large its rounding
// counts.
var middle = []float64{0.398942198996, -0.0664887301345, 0.00996416725228, -0.00116535129548, 9.24686051108e-5}

// normalCDF returns Φ(u) and exp(-u²/2). Small values of Φ keep their relative accuracy.
func normalCDF(u, lowest VecVirtual) (cdf, bell VecVirtual) {
	k, p, upper, square := set.Vector(), set.Vector(), set.Vector(), set.Vector()
	VMULPS(u, u, square)
	VMULPS(all(-0.5), square, p)
	bell = exp(p, lowest)
	VANDPS(allBits(0x7FFFFFFF), u, k)
	one := load(all(1))
	VFMADD132PS(all(tailSlope), one, k)
	VDIVPS(k, one, k)
	p = polynomial(tail, k)
	VMULPS(k, p, p)
	VMULPS(bell, p, p)
	VSUBPS(p, one, upper)
	p = where(u, p, upper) // by the sign
	near := compare(0x11, square, one)
	center := polynomial(middle, square)
	VFMADD213PS(all(0.5), u, center)
	return where(near, center, p), bell
}

// polynomial returns Σ c[k]·xᵏ by Horner's rule.
func polynomial(c []float64, x VecVirtual) VecVirtual {
	sum := load(all(c[len(c)-1]))
	for k := len(c) - 2; k >= 0; k-- {
		VFMADD213PS(all(c[k]), x, sum)
	}
	return sum
}
