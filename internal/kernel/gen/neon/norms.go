package main

func norm() {
	w := along("AddSum", "func(z, x, y []float32) float32", "z", "x", "y")
	acc := zeros(4)
	w.each(4, func(s step) {
		v := s.load("x")
		fadd(v, v, s.load("y"))
		s.store(v, "z")
		fadd(acc[s.u], acc[s.u], v)
	})
	finish(sum(acc))

	w = along("MaskAddSum", "func(z, x, y, mask []float32) float32", "z", "x", "y", "mask")
	acc = zeros(2)
	w.each(2, func(s step) {
		v := s.load("x")
		fma(v, s.load("y"), s.load("mask"))
		s.store(v, "z")
		fadd(acc[s.u], acc[s.u], v)
	})
	finish(sum(acc))
	normalize()
}

func normalize() {
	w := along("Normalize", "func(out, z, gamma, beta []float32, mean, rstd float32)", "out", "z", "gamma", "beta")
	mean, rstd := spread("mean"), spread("rstd")
	w.each(2, func(s step) {
		v, out := s.load("z"), s.load("beta")
		fsub(v, v, mean)
		fmul(v, v, rstd)
		fma(out, v, s.load("gamma"))
		s.store(out, "out")
	})
	end()

	w = along("NormSums", "func(xhat, z, dout, gamma, dgamma, dbeta []float32, mean, rstd float32) (sg, sgx float32)",
		"xhat", "z", "dout", "gamma", "dgamma", "dbeta")
	mean, rstd = spread("mean"), spread("rstd")
	g, gx := zeros(2), zeros(2)
	w.each(2, func(s step) {
		x := s.load("z")
		fsub(x, x, mean)
		fmul(x, x, rstd)
		s.store(x, "xhat")
		d, dgamma, dbeta := s.load("dout"), s.load("dgamma"), s.load("dbeta")
		fma(dgamma, d, x)
		s.store(dgamma, "dgamma")
		fadd(dbeta, dbeta, d)
		s.store(dbeta, "dbeta")
		fmul(d, d, s.load("gamma")) // zero in dead lanes
		fadd(g[s.u], g[s.u], d)
		fma(gx[s.u], d, x)
	})
	give(sum(g), "sg")
	give(sum(gx), "sgx")
	end()

	w = along("NormGrad", "func(dx, xhat, dout, gamma []float32, rstd, mg, mgx float32)", "dx", "xhat", "dout", "gamma")
	rstd, mg, mgx := spread("rstd"), spread("mg"), spread("mgx")
	w.each(2, func(s step) {
		v := s.load("dout")
		fmul(v, v, s.load("gamma"))
		fsub(v, v, mg)
		fms(v, mgx, s.load("xhat"))
		fmul(v, v, rstd)
		s.store(v, "dx")
	})
	end()
}

func batchNorm() {
	w := along("ReLU", "func(y, x []float32)", "y", "x")
	zero := zeros(1)[0]
	w.each(4, func(s step) {
		v := s.load("x")
		fmax(v, v, zero)
		s.store(v, "y")
	})
	end()

	w = along("ReLUGrad", "func(g, dy, y []float32)", "g", "dy", "y")
	w.each(4, func(s step) {
		v := s.load("y")
		s.store(masked(v, s.load("dy")), "g")
	})
	end()

	w = along("AddDeviations", "func(sum, x, m []float32)", "sum", "x", "m")
	w.each(4, func(s step) {
		v, sum := s.load("x"), s.load("sum")
		fsub(v, v, s.load("m"))
		fma(sum, v, v)
		s.store(sum, "sum")
	})
	end()

	w = along("Centered", "func(y, x, m, scale, beta []float32)", "y", "x", "m", "scale", "beta")
	w.each(2, func(s step) {
		y, _ := s.centered()
		s.store(y, "y")
	})
	end()

	w = along("CenteredSums", "func(sg, sx, g, x, m []float32)", "sg", "sx", "g", "x", "m")
	w.each(2, func(s step) { s.addSums(s.load("g"), s.distance()) })
	end()

	w = along("MaskedSums", "func(sg, sx, dy, x, m, scale, beta []float32)", "sg", "sx", "dy", "x", "m", "scale",
		"beta")
	w.each(2, func(s step) {
		y, x := s.centered()
		s.addSums(masked(y, s.load("dy")), x)
	})
	end()

	w = along("CenteredGrad", "func(dx, g, x, m, scale, slope, level []float32)", "dx", "g", "x", "m", "scale", "slope",
		"level")
	w.each(2, func(s step) { s.slope(s.load("g"), s.distance()) })
	end()

	w = along("MaskedGrad", "func(dx, dy, x, m, scale, beta, slope, level []float32)",
		"dx", "dy", "x", "m", "scale", "beta", "slope", "level")
	w.each(2, func(s step) {
		y, x := s.centered()
		s.slope(masked(y, s.load("dy")), x)
	})
	end()
}

// masked returns dy where y is positive, else zero, in y.
func masked(y, dy vector) vector {
	fcmgt0(y, y)
	and(y, y, dy)
	return y
}

// distance returns x - m.
func (s step) distance() vector {
	v := s.load("x")
	fsub(v, v, s.load("m"))
	return v
}

// centered returns (x - m)·scale + beta, and x - m.
func (s step) centered() (y, x vector) {
	x, y = s.distance(), s.load("beta")
	fma(y, x, s.load("scale"))
	return y, x
}

// addSums adds g to sg and g·x to sx.
func (s step) addSums(g, x vector) {
	sg, sx := s.load("sg"), s.load("sx")
	fadd(sg, sg, g)
	s.store(sg, "sg")
	fma(sx, g, x)
	s.store(sx, "sx")
}

// slope stores g·scale + x·slope + level in dx.
func (s step) slope(g, x vector) {
	v := s.load("level")
	fma(v, x, s.load("slope"))
	fma(v, g, s.load("scale"))
	s.store(v, "dx")
}
