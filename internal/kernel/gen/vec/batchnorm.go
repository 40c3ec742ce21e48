package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

func batchNorm() {
	w := begin("ReLU", "func(y, x []float32)", "y", "x")
	zero := zeros(1)[0]
	w.each(4, func(s step) {
		v := s.load("x")
		VMAXPS(v, zero, v) // of a NaN and zero, the NaN
		s.store(v, "y")
	})
	end()

	w = begin("ReLUGrad", "func(g, dy, y []float32)", "g", "dy", "y")
	zero = zeros(1)[0]
	w.each(4, func(s step) {
		v := s.load("y")
		VCMPPS(Imm(14), zero, v, v) // v > 0
		VANDPS(s.load("dy"), v, v)
		s.store(v, "g")
	})
	end()

	w = begin("AddDeviations", "func(sum, x, m []float32)", "sum", "x", "m")
	w.each(4, func(s step) {
		v, sum := s.load("x"), s.load("sum")
		VSUBPS(s.load("m"), v, v)
		VFMADD231PS(v, v, sum)
		s.store(sum, "sum")
	})
	end()

	w = begin("Centered", "func(y, x, m, scale, beta []float32)", "y", "x", "m", "scale", "beta")
	w.each(2, func(s step) { s.store(s.centered(nil), "y") })
	end()

	w = begin("CenteredSums", "func(sg, sx, g, x, m []float32)", "sg", "sx", "g", "x", "m")
	w.each(2, func(s step) {
		g, x := s.load("g"), s.load("x")
		VSUBPS(s.load("m"), x, x)
		s.addSums(g, x)
	})
	end()

	w = begin("MaskedSums", "func(sg, sx, dy, x, m, scale, beta []float32)",
		"sg", "sx", "dy", "x", "m", "scale", "beta")
	zero = zeros(1)[0]
	w.each(2, func(s step) {
		x := YMM()
		mask := s.centered(x)
		VCMPPS(Imm(14), zero, mask, mask)
		VANDPS(s.load("dy"), mask, mask)
		s.addSums(mask, x)
	})
	end()

	w = begin("CenteredGrad", "func(dx, g, x, m, scale, slope, level []float32)",
		"dx", "g", "x", "m", "scale", "slope", "level")
	w.each(2, func(s step) {
		x := s.load("x")
		VSUBPS(s.load("m"), x, x)
		s.slope(s.load("g"), x)
	})
	end()

	w = begin("MaskedGrad", "func(dx, dy, x, m, scale, beta, slope, level []float32)",
		"dx", "dy", "x", "m", "scale", "beta", "slope", "level")
	zero = zeros(1)[0]
	w.each(2, func(s step) {
		x := YMM()
		mask := s.centered(x)
		VCMPPS(Imm(14), zero, mask, mask)
		VANDPS(s.load("dy"), mask, mask)
		s.slope(mask, x)
	})
	end()
}

// centered returns (x - m)·scale + beta. It leaves x - m in keep, if that is not nil.
func (s step) centered(keep VecVirtual) VecVirtual {
	v := s.load("x")
	VSUBPS(s.load("m"), v, v)
	if keep != nil {
		VMOVAPS(v, keep)
	}
	VFMADD213PS(s.load("beta"), s.load("scale"), v)
	return v
}

// addSums adds g to sg and g·x to sx.
func (s step) addSums(g, x VecVirtual) {
	v := s.load("sg")
	VADDPS(g, v, v)
	s.store(v, "sg")
	v = s.load("sx")
	VFMADD231PS(g, x, v)
	s.store(v, "sx")
}

// slope stores g·scale + x·slope + level in dx.
func (s step) slope(g, x VecVirtual) {
	VFMADD213PS(s.load("level"), s.load("slope"), x)
	VFMADD231PS(g, s.load("scale"), x)
	s.store(x, "dx")
}
