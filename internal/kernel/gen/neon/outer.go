package main

// outer has the routines of a matrix, x or y, whose rows are as long as col, and which has as many of them as row has
// elements.
func outer() {
	w := along("AddOuter", "func(y, row, col []float32)", "col", "y")
	w.eachRow(func(row general) {
		a := free()
		do("FMOVS (%s), %s", row, a.f())
		everywhere(a, lane{a, 0})
		w.each(1, func(s step) {
			v := s.load("col")
			fadd(v, v, a)
			fadd(v, v, s.load("y"))
			s.store(v, "y")
		})
	})
	end()

	w = along("SumOuter", "func(row, col, x []float32)", "col", "x")
	w.eachRow(func(row general) {
		acc := zeros(1)
		w.each(1, func(s step) {
			v := s.load("x")
			fadd(acc[0], acc[0], v)
			fadd(v, v, s.load("col"))
			s.store(v, "col")
		})
		do("FMOVS %s, (%s)", sum(acc).f(), row)
	})
	end()
}

// eachRow emits body for the rows of a matrix, with the place of a row's element of the slice row.
func (w *walk) eachRow(body func(row general)) {
	row, left, col := argument("row"), length("row"), reg()
	do("MOVD %s, %s", w.base["col"], col)
	do("CBZ %s, done", left)
	label("row")
	do("MOVD %s, %s", col, w.base["col"])
	body(row)
	do("ADD $4, %s", row)
	do("SUBS $1, %s, %[1]s", left)
	do("BNE row")
	label("done")
}
