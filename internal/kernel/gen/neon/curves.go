package main

import "math"

// An exponential is what exp computes with.
type exponential struct {
	lowest, one, zero   vector
	perLn2, high, low   lane
	coefficients        []lane
	n, r, even, odd, up vector
}

// newExponential loads it.
func newExponential() *exponential {
	c := constants(1.44269504088896341, -0.693359375, 2.12194440e-4,
		1.9875691500e-4, 1.3981999507e-3, 8.3334519073e-3, 4.1665795894e-2, 1.6666665459e-1, 5.0000001201e-1)
	return &exponential{lowest: repeat(math.Float32bits(-87.33654)), one: repeat(math.Float32bits(1)),
		zero:   zeros(1)[0],
		perLn2: c[0], high: c[1], low: c[2], coefficients: c[3:],
		n: free(), r: free(), even: free(), odd: free(), up: free()}
}

// exp makes v exp(v), v ≤ 0: zero below lowest, NaN for NaN. With n = round(v/ln 2) and r = v - n·ln 2, ln 2 in two
// parts, it is 2ⁿ·(1 + r + r²·p(r)), p by Cephes (expf.c, degree 5): within 8e-8 of the truth, relatively.
func (e *exponential) exp(v vector) {
	dead := e.up
	fcmgt(dead, e.lowest, v) // false of NaN
	fmax(e.r, v, e.lowest)
	fmulBy(e.n, e.r, e.perLn2)
	frintn(e.n, e.n)
	fmaByEl(e.r, e.n, e.high)
	fmaByEl(e.r, e.n, e.low)
	p := polynomial(e.coefficients, e.r, e.even, e.odd)
	fmul(p, p, e.r)
	copyTo(v, e.r)
	fma(v, p, e.r) // r²·p + r
	fadd(v, v, e.one)
	fcvtns(e.n, e.n)
	do("VSHL $23, %s, %[1]s", e.n.s4())
	add(v, v, e.n) // the exponent's bits
	pick(dead, e.zero, v)
	copyTo(v, dead)
}

// polynomial returns one of even and odd, with the coefficients from the highest on, by Horner's rule.
func polynomial(c []lane, x, even, odd vector) vector {
	everywhere(even, c[0])
	for _, k := range c[1:] {
		everywhere(odd, k)
		fma(odd, even, x)
		even, odd = odd, even
	}
	return even
}

func softmax() {
	w := along("ExpSum", "func(p, a []float32, m float32) float32", "p", "a")
	m, e, acc := spread("m"), newExponential(), zeros(2)
	w.each(2, func(s step) {
		v := s.load("a")
		fsub(v, v, m)
		e.exp(v)
		s.store(v, "p")
		s.keep(v)
		fadd(acc[s.u], acc[s.u], v)
	})
	finish(sum(acc))

	w = along("SoftmaxGrad", "func(da, dp, p []float32, s float32)", "da", "dp", "p")
	of := spread("s")
	w.each(4, func(s step) {
		v := s.load("dp")
		fsub(v, v, of)
		fmul(v, v, s.load("p"))
		s.store(v, "da")
	})
	end()
}

// A normal is what Φ is computed with. The polynomials are those for AVX2, where their fits and errors are said
// (gen/vec/gelu.go): Φ(-a) = exp(-a²/2)·Σ_j tail[j]·kʲ⁺¹ with k = 1/(1 + 0.34·a), and for |u| < 1
// Φ(u) = ½ + u·Σ_j middle[j]·u²ʲ. The highest power is first.
type normal struct {
	*exponential
	minusHalf, half, slope, density lane
	tail, middle                    []lane
}

func newNormal() *normal {
	n := &normal{exponential: newExponential()}
	c := constants(-0.5, 0.5, 0.34, 1/math.Sqrt(2*math.Pi),
		0.0434270882235, -0.194680027082, 0.254207036612, -0.022169266611, 0.152603157739, 0.130670001709,
		0.135941987683,
		9.24686051108e-5, -0.00116535129548, 0.00996416725228, -0.0664887301345, 0.398942198996)
	n.minusHalf, n.half, n.slope, n.density, n.tail, n.middle = c[0], c[1], c[2], c[3], c[4:11], c[11:]
	return n
}

// cdf returns Φ(u) and exp(-u²/2). Small values of Φ keep their relative accuracy.
func (n *normal) cdf(u vector) (phi, bell vector) {
	square, k, upper, below := free(), free(), free(), free()
	bell = free()
	fmul(square, u, u)
	fmulBy(bell, square, n.minusHalf)
	n.exp(bell)
	fabs(k, u)
	copyTo(upper, n.one)
	fmaByEl(upper, k, n.slope)
	fdiv(k, n.one, upper)
	p := polynomial(n.tail, k, n.even, n.odd)
	fmul(p, p, k)
	fmul(p, p, bell)
	fsub(upper, n.one, p)
	fcmlt0(below, u)
	pick(below, p, upper)
	p = polynomial(n.middle, square, n.even, n.odd)
	everywhere(k, n.half)
	fma(k, u, p)
	fcmgt(square, n.one, square)
	pick(square, k, below)
	return square, bell
}

func gelu() {
	w := along("GELU", "func(y, x, b []float32)", "y", "x", "b")
	n := newNormal()
	w.each(1, func(s step) {
		u := s.load("x")
		fadd(u, u, s.load("b"))
		v, _ := n.cdf(u)
		fmul(v, v, u)
		s.store(v, "y")
	})
	end()

	for _, both := range []bool{false, true} {
		if both {
			w = along("GELUBoth", "func(y, dx, dy, x, b []float32)", "y", "dx", "dy", "x", "b")
		} else {
			w = along("GELUGrad", "func(dx, dy, x, b []float32)", "dx", "dy", "x", "b")
		}
		n = newNormal()
		w.each(1, func(s step) {
			u := s.load("x")
			fadd(u, u, s.load("b"))
			v, e := n.cdf(u)
			if both {
				y := free()
				fmul(y, v, u)
				s.store(y, "y")
			}
			fmulBy(u, u, n.density)
			fma(v, e, u) // Φ(u) + u·φ(u)
			fmul(v, v, s.load("dy"))
			s.store(v, "dx")
		})
		end()
	}
}
