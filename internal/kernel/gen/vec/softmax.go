package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

func softmax() {
	w := begin("ExpSum", "func(p, a []float32, m float32) float32", "p", "a")
	m, acc := spread("m"), zeros(2)
	lowest := load(all(-87.33654))
	w.each(2, func(s step) {
		v := s.load("a")
		VSUBPS(m, v, v)
		e := exp(v, lowest)
		s.store(e, "p")
		s.keep(e)
		VADDPS(e, acc[s.u], acc[s.u])
	})
	finish(fold(acc, plus))

	w = begin("SoftmaxGrad", "func(da, dp, p []float32, s float32)", "da", "dp", "p")
	sum := spread("s")
	w.each(4, func(s step) {
		v := s.load("dp")
		VSUBPS(sum, v, v)
		VMULPS(s.load("p"), v, v)
		s.store(v, "da")
	})
	end()
}

// exp returns exp(v) for v ≤ 0: zero below lowest, NaN for NaN. With n = round(v/ln 2) and r = v - n·ln 2, ln 2 in two
// parts, it is 2ⁿ·(1 + r + r²·p(r)), p by Cephes (expf.c, degree 5): within 8e-8 of the truth, relatively.
func exp(v, lowest VecVirtual) VecVirtual {
	n, r, q := set.Vector(), set.Vector(), set.Vector()
	alive := compare(0x15, v, lowest) // not below; true of NaN
	VMAXPS(v, lowest, v)              // of a NaN and a number, the second: v
	VMULPS(all(1.44269504088896341), v, n)
	if wide() {
		VRNDSCALEPS(Imm(0), n, n)
	} else {
		VROUNDPS(Imm(0), n, n)
	}
	VMOVAPS(v, r)
	VFNMADD231PS(all(0.693359375), n, r)
	VFNMADD231PS(all(-2.12194440e-4), n, r)
	VMOVUPS(all(1.9875691500e-4), q)
	for _, c := range []float64{1.3981999507e-3, 8.3334519073e-3, 4.1665795894e-2, 1.6666665459e-1, 5.0000001201e-1} {
		VFMADD213PS(all(c), r, q)
	}
	square := set.Vector()
	VMULPS(r, r, square)
	VFMADD213PS(r, square, q) // r²·p + r
	VADDPS(all(1), q, q)
	VCVTPS2DQ(n, n)
	VPSLLD(Imm(23), n, n)
	VPADDD(n, q, q) // the exponent's bits
	step{live: alive}.keep(q)
	return q
}
