package main

import . "github.com/mmcloughlin/avo/build"

func elementwise() {
	w := begin("Add", "func(y, a, b []float32)", "y", "a", "b")
	w.each(4, func(s step) {
		v := s.load("a")
		VADDPS(s.load("b"), v, v)
		s.store(v, "y")
	})
	end()

	w = begin("Mul", "func(y, a, b []float32)", "y", "a", "b")
	w.each(4, func(s step) {
		v := s.load("a")
		VMULPS(s.load("b"), v, v)
		s.store(v, "y")
	})
	end()

	w = begin("Axpy", "func(a float32, x, y []float32)", "x", "y")
	a := spread("a")
	w.each(4, func(s step) {
		v := s.load("y")
		VFMADD231PS(s.load("x"), a, v)
		s.store(v, "y")
	})
	end()

	w = begin("Scale", "func(a float32, x []float32)", "x")
	a = spread("a")
	w.each(4, func(s step) {
		v := s.load("x")
		VMULPS(a, v, v)
		s.store(v, "x")
	})
	end()
}
