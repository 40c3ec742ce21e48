package main

import . "github.com/mmcloughlin/avo/build"

func norm() {
	w := begin("AddSum", "func(z, x, y []float32) float32", "z", "x", "y")
	acc := zeros(4)
	w.each(4, func(s step) {
		v := s.load("x")
		VADDPS(s.load("y"), v, v)
		s.store(v, "z")
		VADDPS(v, acc[s.u], acc[s.u])
	})
	finish(fold(acc, plus))

	w = begin("MaskAddSum", "func(z, x, y, mask []float32) float32", "z", "x", "y", "mask")
	acc = zeros(2)
	w.each(2, func(s step) {
		v := s.load("x")
		VFMADD231PS(s.load("y"), s.load("mask"), v)
		s.store(v, "z")
		VADDPS(v, acc[s.u], acc[s.u])
	})
	finish(fold(acc, plus))

	w = begin("Normalize", "func(out, z, gamma, beta []float32, mean, rstd float32)", "out", "z", "gamma", "beta")
	mean, rstd := spread("mean"), spread("rstd")
	w.each(2, func(s step) {
		v := s.load("z")
		VSUBPS(mean, v, v)
		VMULPS(rstd, v, v)
		VFMADD213PS(s.load("beta"), s.load("gamma"), v)
		s.store(v, "out")
	})
	end()

	w = begin("NormSums",
		"func(xhat, z, dout, gamma, dgamma, dbeta []float32, mean, rstd float32) (sg, sgx float32)",
		"xhat", "z", "dout", "gamma", "dgamma", "dbeta")
	mean, rstd = spread("mean"), spread("rstd")
	g, gx := zeros(2), zeros(2)
	w.each(2, func(s step) {
		x := s.load("z")
		VSUBPS(mean, x, x)
		VMULPS(rstd, x, x)
		s.store(x, "xhat")
		d, v := s.load("dout"), s.load("dgamma")
		VFMADD231PS(d, x, v)
		s.store(v, "dgamma")
		v = s.load("dbeta")
		VADDPS(d, v, v)
		s.store(v, "dbeta")
		VMULPS(s.load("gamma"), d, d) // zero in dead lanes
		VADDPS(d, g[s.u], g[s.u])
		VFMADD231PS(d, x, gx[s.u])
	})
	fold(g, plus)
	fold(gx, plus)
	VZEROUPPER()
	give(g[0], 0)
	give(gx[0], 1)
	RET()

	w = begin("NormGrad", "func(dx, xhat, dout, gamma []float32, rstd, mg, mgx float32)",
		"dx", "xhat", "dout", "gamma")
	rstd, mg, mgx := spread("rstd"), spread("mg"), spread("mgx")
	w.each(2, func(s step) {
		v := s.load("dout")
		VFMSUB213PS(mg, s.load("gamma"), v)
		VFNMADD231PS(mgx, s.load("xhat"), v)
		VMULPS(rstd, v, v)
		s.store(v, "dx")
	})
	end()
}
