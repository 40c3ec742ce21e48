package main

func vec() (fields string) {
	elementwise()
	reductions()
	checks()
	norm()
	batchNorm()
	windows()
	outer()
	softmax()
	gelu()
	dropout()
	optimizers()
	return fieldsOf(append(routineFields, "SubPairs", "PairDots"))
}

func elementwise() {
	for _, r := range []struct {
		field string
		op    func(to, a, b vector)
	}{{"Add", fadd}, {"Mul", fmul}} {
		w := along(r.field, "func(y, a, b []float32)", "y", "a", "b")
		w.each(4, func(s step) {
			v := s.load("a")
			r.op(v, v, s.load("b"))
			s.store(v, "y")
		})
		end()
	}

	w := along("Axpy", "func(a float32, x, y []float32)", "x", "y")
	a := spread("a")
	w.each(4, func(s step) {
		v := s.load("y")
		fma(v, s.load("x"), a)
		s.store(v, "y")
	})
	end()

	w = along("Scale", "func(a float32, x []float32)", "x")
	a = spread("a")
	w.each(4, func(s step) {
		v := s.load("x")
		fmul(v, v, a)
		s.store(v, "x")
	})
	end()
}

func reductions() {
	w := along("Dot", "func(x, y []float32) float32", "x", "y")
	acc := zeros(4)
	w.each(4, func(s step) { fma(acc[s.u], s.load("x"), s.load("y")) })
	finish(sum(acc))

	w = along("Sum", "func(x []float32) float32", "x")
	acc = zeros(4)
	w.each(4, func(s step) { fadd(acc[s.u], acc[s.u], s.load("x")) })
	finish(sum(acc))

	w = along("Deviations", "func(x []float32, m float32) float32", "x")
	m := spread("m")
	acc = zeros(4)
	w.each(4, func(s step) {
		v := s.load("x")
		fsub(v, v, m)
		s.keep(v)
		fma(acc[s.u], v, v)
	})
	finish(sum(acc))

	w = along("Max", "func(x []float32) float32", "x")
	acc = []vector{repeat(0xff800000), repeat(0xff800000), repeat(0xff800000), repeat(0xff800000)} // -Inf
	w.each(4, func(s step) {
		v := s.load("x")
		switch s.size { // dead lanes must not count as zeros
		case 8:
			do("VDUP %s.D[0], %[1]s.D2", v)
		case 4:
			everywhere(v, lane{v, 0})
		}
		fmaxnm(acc[s.u], acc[s.u], v) // of a NaN and the maximum so far, the latter
	})
	finish(fold(acc, fmaxnm, fmaxnmp))
}

func checks() {
	w := along("SumSquares", "func(x []float32) float64", "x")
	acc := zeros(4)
	w.each(2, func(s step) {
		v, high := s.load("x"), free()
		fcvtl2(high, v)
		fcvtl(v, v)
		for i, d := range []vector{v, high} {
			do("VFMLA %s.D2, %[1]s.D2, %s.D2", d, acc[2*s.u+i])
		}
	})
	for i := range 3 {
		fadd2d(acc[0], acc[0], acc[i+1])
	}
	faddpd(acc[0], acc[0])
	do("FMOVD %s, %s", acc[0].f(), operand("ret"))
	end()

	w = along("Finite", "func(x []float32) bool", "x")
	exponent, bad := repeat(0x7f800000), zeros(2)
	w.each(2, func(s step) {
		v := s.load("x")
		and(v, v, exponent)
		cmeq(v, v, exponent) // an exponent of all ones: NaN or infinite
		or(bad[s.u], bad[s.u], v)
	})
	worst, r := fold(bad, or, umaxp), reg()
	do("FMOVS %s, %s", worst.f(), r)
	do("CMPW $0, %s", r)
	do("CSET EQ, %s", r)
	do("MOVB %s, %s", r, operand("ret"))
	end()
}

func optimizers() {
	w := along("SGD", "func(w, v, g []float32, lr, momentum, decay float32)", "w", "v", "g")
	lr, momentum, decay := spread("lr"), spread("momentum"), spread("decay")
	w.each(2, func(s step) {
		x, g := s.load("w"), s.load("g")
		fma(g, decay, x)
		fma(g, momentum, s.load("v"))
		s.store(g, "v")
		fms(x, lr, g)
		s.store(x, "w")
	})
	end()

	w = along("AdamW", "func(w, m, v, g []float32, keep, b1, n1, b2, n2, rate, root, eps float32)", "w", "m", "v", "g")
	keep, b1, n1, b2, n2 := spread("keep"), spread("b1"), spread("n1"), spread("b2"), spread("n2")
	rate, root, eps := spread("rate"), spread("root"), spread("eps")
	w.each(1, func(s step) {
		g, m, v, below := s.load("g"), s.load("m"), s.load("v"), free()
		fmul(m, m, b1)
		fma(m, n1, g)
		s.store(m, "m")
		fmul(g, g, g)
		fmul(v, v, b2)
		fma(v, n2, g)
		s.store(v, "v")
		fsqrt(v, v)
		copyTo(below, eps)
		fma(below, v, root)
		fmul(m, m, rate)
		fdiv(m, m, below)
		fneg(m, m)
		fma(m, s.load("w"), keep)
		s.store(m, "w")
	})
	end()
}
