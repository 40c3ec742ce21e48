package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
)

func windows() {
	w := begin("TakeMax", "func(y, at, x []float32, k float32)", "y", "at", "x")
	k := spread("k")
	w.each(2, func(s step) {
		x, y, mask := s.load("x"), s.load("y"), YMM()
		VCMPPS(Imm(30), y, x, mask) // x > y
		unordered := YMM()
		VCMPPS(Imm(3), x, x, unordered)
		VORPS(unordered, mask, mask)
		VBLENDVPS(mask, x, y, y)
		s.store(y, "y")
		at := s.load("at")
		VBLENDVPS(mask, k, at, at)
		s.store(at, "at")
	})
	end()

	w = begin("Where", "func(y, x, at []float32, k float32)", "y", "x", "at")
	k = spread("k")
	w.each(4, func(s step) {
		mask := s.load("at")
		VCMPPS(Imm(0), k, mask, mask)
		VANDPS(s.load("x"), mask, mask)
		s.store(mask, "y")
	})
	end()
}
