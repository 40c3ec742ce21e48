package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
)

// outer has the routines of a matrix, x or y, whose rows are as long as col, and which has as many of them as row has
// elements.
func outer() {
	w := begin("AddOuter", "func(y, row, col []float32)", "col", "row", "y")
	w.eachRow("y", func(at Mem) {
		a := set.Vector()
		VBROADCASTSS(at, a)
		w.each(1, func(s step) {
			v := s.load("col")
			VADDPS(a, v, v)
			VADDPS(s.load("y"), v, v)
			s.store(v, "y")
		})
	})
	end()

	w = begin("SumOuter", "func(row, col, x []float32)", "col", "row", "x")
	w.eachRow("x", func(at Mem) {
		acc := zeros(1)
		w.each(1, func(s step) {
			v := s.load("x")
			VADDPS(v, acc[0], acc[0])
			VADDPS(s.load("col"), v, v)
			s.store(v, "col")
		})
		VMOVSS(fold(acc, plus).AsX(), at)
	})
	end()
}

// eachRow emits body for the rows of a matrix, with the place of a row's element of the slice row.
func (w *walk) eachRow(matrix string, body func(at Mem)) {
	left := GP64()
	Load(Param("row").Len(), left)
	TESTQ(left, left)
	JZ(LabelRef("done"))
	Label("row")
	body(Mem{Base: w.base["row"]})
	ADDQ(Imm(4), w.base["row"])
	LEAQ(Mem{Base: w.base[matrix], Index: w.n, Scale: 4}, w.base[matrix])
	DECQ(left)
	JNZ(LabelRef("row"))
	Label("done")
}
