package main

import (
	"math"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

func gelu() {
	w := begin("geluAVX2", "func(y, x, b []float32)", "y", "x", "b")
	w.each(1, func(s step) {
		u := s.load("x")
		VADDPS(s.load("b"), u, u)
		v := normalCDF(u)
		VMULPS(u, v, v)
		s.store(v, "y")
	})
	end()

	w = begin("geluGradAVX2", "func(dx, dy, x, b []float32)", "dx", "dy", "x", "b")
	lowest := load(all(-87.33654))
	w.each(1, func(s step) {
		u := s.load("x")
		VADDPS(s.load("b"), u, u)
		v, e := normalCDF(u), YMM()
		VMULPS(u, u, e)
		VMULPS(all(-0.5), e, e)
		e = exp(e, lowest)
		VMULPS(all(1/math.Sqrt(2*math.Pi)), u, u)
		VFMADD231PS(e, u, v) // Φ(u) + u·φ(u)
		VMULPS(s.load("dy"), v, v)
		s.store(v, "dx")
	})
	end()
}

// Φ(u) - ½ = u·P(u²)/Q(u²) for |u| < 5.5, within 8e-9 before rounding: a least-squares fit with weights moved towards
// the largest error. Beyond, Φ is 0 or 1 in float32.
var (
	cdfP = []float64{0.398942234985, 0.0338491686985, 0.00467700973619, 0.000168784788003, 6.35135321604e-6, 2.27491833057e-8}
	cdfQ = []float64{1, 0.251513206669, 0.0286437827715, 0.00188421753667, 7.36317890014e-5, 1.19744144425e-6}
)

// normalCDF returns Φ(u).
func normalCDF(u VecVirtual) VecVirtual {
	square, near, sign := YMM(), YMM(), YMM()
	VMULPS(u, u, square)
	p, q := polynomial(cdfP, square), polynomial(cdfQ, square)
	VMULPS(u, p, p)
	VDIVPS(q, p, p)
	VANDPS(allBits(0x80000000), u, sign)
	VORPS(all(0.5), sign, sign) // ±½
	VCMPPS(Imm(0x11), all(5.5*5.5), square, near)
	VBLENDVPS(near, p, sign, p)
	VADDPS(all(0.5), p, p)
	return p
}

// polynomial returns Σ c[k]·xᵏ by Horner's rule.
func polynomial(c []float64, x VecVirtual) VecVirtual {
	sum := load(all(c[len(c)-1]))
	for k := len(c) - 2; k >= 0; k-- {
		VFMADD213PS(all(c[k]), x, sum)
	}
	return sum
}
