package main

import (
	"math"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

func reductions() {
	w := begin("Dot", "func(x, y []float32) float32", "x", "y")
	acc := zeros(4)
	w.each(4, func(s step) { VFMADD231PS(s.load("x"), s.load("y"), acc[s.u]) })
	finish(fold(acc, plus))

	w = begin("Sum", "func(x []float32) float32", "x")
	acc = zeros(4)
	w.each(4, func(s step) { VADDPS(s.load("x"), acc[s.u], acc[s.u]) })
	finish(fold(acc, plus))

	w = begin("Deviations", "func(x []float32, m float32) float32", "x")
	acc = zeros(4)
	m := spread("m")
	w.each(4, func(s step) {
		v := s.load("x")
		VSUBPS(m, v, v)
		s.keep(v)
		VFMADD231PS(v, v, acc[s.u])
	})
	finish(fold(acc, plus))

	w = begin("Max", "func(x []float32) float32", "x")
	low := all(math.Inf(-1))
	acc = []VecVirtual{load(low), load(low), load(low), load(low)}
	w.each(4, func(s step) {
		v := s.load("x")
		if s.live != nil { // dead lanes must not count as zeros
			VBLENDVPS(s.live, v, load(low), v)
		}
		VMAXPS(acc[s.u], v, acc[s.u]) // of a NaN and the maximum so far, the latter
	})
	finish(fold(acc, func(a, b, to Op) { VMAXPS(a, b, to) }))
}

// finish ends a function with one float32 result.
func finish(v VecVirtual) {
	VZEROUPPER()
	give(v, 0)
	RET()
}
