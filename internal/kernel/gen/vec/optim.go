package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
)

func optimizers() {
	w := begin("SGD", "func(w, v, g []float32, lr, momentum, decay float32)", "w", "v", "g")
	lr, momentum, decay := spread("lr"), spread("momentum"), spread("decay")
	w.each(2, func(s step) {
		x, g := s.load("w"), s.load("g")
		VFMADD231PS(decay, x, g)
		VFMADD231PS(momentum, s.load("v"), g)
		s.store(g, "v")
		VFNMADD231PS(lr, g, x)
		s.store(x, "w")
	})
	end()

	w = begin("AdamW", "func(w, m, v, g []float32, keep, b1, n1, b2, n2, rate, root, eps float32)", "w", "m", "v", "g")
	keep, b1, n1, b2, n2 := spread("keep"), spread("b1"), spread("n1"), spread("b2"), spread("n2")
	rate, root, eps := spread("rate"), spread("root"), spread("eps")
	w.each(1, func(s step) {
		g, m, v := s.load("g"), s.load("m"), s.load("v")
		VMULPS(b1, m, m)
		VFMADD231PS(n1, g, m)
		s.store(m, "m")
		VMULPS(g, g, g)
		VMULPS(b2, v, v)
		VFMADD231PS(n2, g, v)
		s.store(v, "v")
		VSQRTPS(v, v)
		VFMADD213PS(eps, root, v)
		VMULPS(rate, m, m)
		VDIVPS(v, m, m)
		x := s.load("w")
		VFMSUB213PS(m, keep, x)
		s.store(x, "w")
	})
	end()
}

func checks() {
	w := begin("SumSquares", "func(x []float32) float64", "x")
	acc := zeros(4)
	w.each(2, func(s step) {
		v, high := s.load("x"), YMM()
		VEXTRACTF128(Imm(1), v, high.AsX())
		VCVTPS2PD(high.AsX(), high)
		VCVTPS2PD(v.AsX(), v)
		VFMADD231PD(v, v, acc[2*s.u])
		VFMADD231PD(high, high, acc[2*s.u+1])
	})
	VADDPD(acc[2], acc[0], acc[0])
	VADDPD(acc[3], acc[1], acc[1])
	VADDPD(acc[1], acc[0], acc[0])
	low, high := acc[0].AsX(), XMM()
	VEXTRACTF128(Imm(1), acc[0], high)
	VADDPD(high, low, low)
	VUNPCKHPD(low, low, high)
	VADDPD(high, low, low)
	finish(acc[0])

	w = begin("Finite", "func(x []float32) bool", "x")
	exponent, bad := load(allBits(0x7F800000)), zeros(2)
	w.each(4, func(s step) {
		v := s.load("x")
		VPAND(exponent, v, v)
		VPCMPEQD(exponent, v, v) // an exponent of all ones: NaN or infinite
		VPOR(v, bad[s.u%2], bad[s.u%2])
	})
	VPOR(bad[1], bad[0], bad[0])
	ok := GP8()
	VPTEST(bad[0], bad[0])
	SETEQ(ok)
	VZEROUPPER()
	Store(ok, ReturnIndex(0))
	RET()
}
