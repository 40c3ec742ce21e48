package main

import (
	"fmt"
	"strings"
)

// A tile has up to 12 rows of 8 columns: of 32 registers, 12 × 2 hold sums, up to 4 hold a column of A, and 2 a row of
// B.
const (
	mr = 12
	nr = 8
)

const signature = "func(n, k int, a []float32, lda, step int, b []float32, ldb int, c []float32, ldc int, add bool)"

func gemm() (fields string) {
	var b strings.Builder
	family := func(layout, name string) {
		fmt.Fprintf(&b, "%s{\n", layout)
		for rows := 1; rows <= mr; rows++ {
			fmt.Fprintf(&b, "%d: %s%s%d,\n", rows, set, name, rows)
		}
		b.WriteString("},\n")
	}
	for rows := 1; rows <= mr; rows++ {
		for _, half := range []bool{false, true} {
			newTile(rows, half, "Rows", "by rows").write()
			newTile(rows, half, "Cols", "by columns or in strips").write()
		}
		newTile(rows, false, "Rounded", "in strips, rounded to bfloat16").write()
	}
	round()
	transpose4()
	copies(8)
	copies(12)
	dots()
	peak()
	fmt.Fprintf(&b, "Tiles: complete(tiles{\nMR: %d, NR: %d,\nWhole: [3][]microkernel{\n", mr, nr)
	family("byRows: ", "Rows")
	family("byCols: ", "Cols")
	family("inStrips: ", "Cols")
	b.WriteString("},\nHalf: [3][]microkernel{\n")
	family("byRows: ", "HalfRows")
	family("byCols: ", "HalfCols")
	b.WriteString("},\n}),\nRounded: bfloat16{Tiles: []microkernel")
	family("", "Rounded")
	b.WriteString("PackA: roundedA(neonPackA, neonRounding), PackB: roundedB(neonPackB, neonRounding)},\nPackA: " +
		"neonPackA, PackB: neonPackB,\nDots: dots{4, neonDots}, ")
	fmt.Fprintf(&b, "Peak: peak{neonPeak, %d},\n", peakFMAs*4*2)
	return b.String()
}

// A tile is a microkernel at work.
type tile struct {
	rows, width       int // width: registers of a row
	family            string
	k, a, lda, b, ldb general
	rowsA             []general // where each row of A is, for an A by rows
	sums              [][]vector
	rowB, colA        []vector
}

// newTile begins a microkernel.
func newTile(rows int, half bool, family, layout string) *tile {
	t := &tile{rows: rows, width: 2, family: family}
	name := family
	if half {
		t.width, name = 1, "Half"+family
	}
	begin(fmt.Sprintf("%s%s%d", set, name, rows), signature,
		fmt.Sprintf("is the microkernel for %d rows of %d columns and an A %s.", rows, 4*t.width, layout))
	label("tile")
	t.k, t.a, t.lda, t.b, t.ldb = argument("k"), argument("a"), inBytes("lda"), argument("b"), inBytes("ldb")
	for range rows {
		t.sums = append(t.sums, zeros(t.width))
	}
	t.rowB = frees(t.width)
	if family == "Rows" {
		t.colA = frees(min(rows, 6))
		t.rowsA = []general{t.a}
		for i := 1; i < rows; i++ {
			r := reg()
			do("ADD %s, %s, %s", t.lda, t.rowsA[i-1], r)
			t.rowsA = append(t.rowsA, r)
		}
	} else {
		t.colA = frees(rows/4 + rows>>1&1 + rows&1)
	}
	return t
}

// step multiplies a column of A, at a, by the row of B at b. An A by rows has its own places, which go forth.
func (t *tile) step(a, b general) {
	if t.width == 2 {
		do("FLDPQ (%s), (%s, %s)", b, t.rowB[0].f(), t.rowB[1].f())
	} else {
		do("FMOVQ (%s), %s", b, t.rowB[0].f())
	}
	multiply := func(i int, x lane) {
		for j, v := range t.rowB {
			fmaByEl(t.sums[i][j], v, x)
		}
	}
	if t.rowsA != nil {
		for i, p := range t.rowsA {
			v := t.colA[i%len(t.colA)]
			do("FMOVS.P 4(%s), %s", p, v.f())
			multiply(i, lane{v, 0})
		}
		return
	}
	i, load := 0, map[int]string{4: "FMOVQ", 2: "FMOVD", 1: "FMOVS"}
	for _, v := range t.colA {
		n := 4
		for i+n > t.rows {
			n /= 2
		}
		do("%s %d(%s), %s", load[n], 4*i, a, v.f())
		for _, x := range lanes(v)[:n] {
			multiply(i, x)
			i++
		}
	}
}

// forth goes to the next column of A and row of B.
func (t *tile) forth() {
	if t.rowsA == nil {
		do("ADD %s, %s, %[2]s", t.lda, t.a)
	}
	do("ADD %s, %s, %[2]s", t.ldb, t.b)
}

func (t *tile) write() {
	if t.family == "Rounded" {
		t.pairs()
	} else {
		t.steps()
	}
	t.store()
}

// steps goes through k, four steps a turn.
func (t *tile) steps() {
	four := reg()
	do("LSR $2, %s, %s", t.k, four)
	do("CBZ %s, tail", four)
	label("loop4")
	for range 4 {
		t.step(t.a, t.b)
		t.forth()
	}
	do("SUBS $1, %s, %[1]s", four)
	do("BNE loop4")
	label("tail")
	do("ANDS $3, %s, %[1]s", t.k)
	do("BEQ done")
	label("loop1")
	t.step(t.a, t.b)
	t.forth()
	do("SUBS $1, %s, %[1]s", t.k)
	do("BNE loop1")
	label("done")
}

// pairs goes through k in the order of BF16, and flushes subnormal values to zero as BF16 requires, by FPCR.FZ. That
// tells subnormal sums before it rounds them: one within 2⁻²⁴ of the smallest normal number, below it, becomes zero
// here and that number elsewhere. An odd last step has a zero next to it.
func (t *tile) pairs() {
	before, flush, a, b := reg(), reg(), reg(), reg()
	do("MRS FPCR, %s", before)
	do("ORR $(1<<24), %s, %s", before, flush)
	do("MSR %s, FPCR", flush)
	two := reg()
	do("LSR $1, %s, %s", t.k, two)
	do("CBZ %s, tail", two)
	label("loop2")
	do("ADD %s, %s, %s", t.lda, t.a, a)
	do("ADD %s, %s, %s", t.ldb, t.b, b)
	t.step(a, b)
	t.step(t.a, t.b)
	do("ADD %s, %s, %s", t.lda, a, t.a)
	do("ADD %s, %s, %s", t.ldb, b, t.b)
	do("SUBS $1, %s, %[1]s", two)
	do("BNE loop2")
	label("tail")
	do("TBZ $0, %s, done", t.k)
	clear0(t.rowB[0])
	for _, row := range t.sums {
		for _, v := range row {
			fadd(v, v, t.rowB[0])
		}
	}
	t.step(t.a, t.b)
	label("done")
	do("MSR %s, FPCR", before)
}

// store writes the sums to C, or adds them to it.
func (t *tile) store() {
	c, ldc, add := argument("c"), inBytes("ldc"), argument("add")
	row := func(then func(at general, sums []vector)) {
		for i, sums := range t.sums {
			then(c, sums)
			if i+1 < t.rows {
				do("ADD %s, %s, %[2]s", ldc, c)
			}
		}
	}
	store := func(at general, v []vector) {
		for j, v := range v {
			do("FMOVQ %s, %d(%s)", v.f(), 16*j, at)
		}
	}
	do("CBZ %s, store", add)
	row(func(at general, sums []vector) {
		for j, v := range sums {
			do("FMOVQ %d(%s), %s", 16*j, at, t.rowB[j].f())
			fadd(v, v, t.rowB[j])
		}
		store(at, sums)
	})
	do("B next")
	label("store")
	row(store)
	label("next")
	t.next(c, ldc)
}

// next goes back to the label "tile", where all arguments are loaded, until there is no other tile below. c is at the
// last row.
func (t *tile) next(c, ldc general) {
	n, a, step := t.k, t.a, t.lda
	do("MOVD %s, %s", operand("n"), n)
	do("SUBS $1, %s, %[1]s", n)
	do("BEQ end")
	do("MOVD %s, %s", n, operand("n"))
	do("MOVD %s, %s", operand("a"), a)
	do("MOVD %s, %s", operand("step"), step)
	do("ADD %s<<2, %s, %[2]s", step, a)
	do("MOVD %s, %s", a, operand("a"))
	do("ADD %s, %s, %[2]s", ldc, c)
	do("MOVD %s, %s", c, operand("c"))
	do("B tile")
	label("end")
	do("RET")
}

// dots keeps the sums of 4 × 4 products of rows in registers: each load of a row serves four products.
func dots() {
	begin(set+"Dots", "func(n, parts int, a, b []float32, ld, step int, c []float32, ldc int, add bool)",
		"is dots.Of for 4 rows of a.")
	n, parts, a, b := argument("n"), argument("parts"), argument("a"), argument("b")
	ld, step := inBytes("ld"), inBytes("step")
	var sums [4][]vector
	for i := range sums {
		sums[i] = zeros(4)
	}
	of, v := frees(4), frees(4)
	var rows [2][4]general
	for i := range rows {
		for j := range rows[i] {
			rows[i][j] = reg()
		}
	}
	left := reg()
	label("part")
	for i, first := range []general{a, b} {
		do("MOVD %s, %s", first, rows[i][0])
		for j := 1; j < 4; j++ {
			do("ADD %s, %s, %s", ld, rows[i][j-1], rows[i][j])
		}
	}
	multiply := func(load string, size int) { // the lanes behind what is loaded become zeros
		for i := range 4 {
			do("%s.P %d(%s), %s", load, size, rows[0][i], of[i].f())
			do("%s.P %d(%s), %s", load, size, rows[1][i], v[i].f())
		}
		for i := range 4 {
			for j := range 4 {
				fma(sums[i][j], of[i], v[j])
			}
		}
	}
	do("LSR $2, %s, %s", n, left)
	do("CBZ %s, two", left)
	label("loop")
	multiply("FMOVQ", 16)
	do("SUBS $1, %s, %[1]s", left)
	do("BNE loop")
	label("two")
	do("TBZ $1, %s, one", n)
	multiply("FMOVD", 8)
	label("one")
	do("TBZ $0, %s, next", n)
	multiply("FMOVS", 4)
	label("next")
	do("ADD %s, %s, %[2]s", step, a)
	do("ADD %s, %s, %[2]s", step, b)
	do("SUBS $1, %s, %[1]s", parts)
	do("BNE part")
	storeDots(sums, v[0])
}

// storeDots stores the sums of lanes in c, or adds them to it.
func storeDots(sums [4][]vector, v vector) {
	c, ldc, add := argument("c"), inBytes("ldc"), argument("add")
	for i, row := range sums {
		faddp(row[0], row[0], row[1])
		faddp(row[2], row[2], row[3])
		faddp(row[0], row[0], row[2])
		store := fmt.Sprint("store", i)
		do("CBZ %s, %s", add, store)
		do("FMOVQ (%s), %s", c, v.f())
		fadd(row[0], row[0], v)
		label(store)
		do("FMOVQ %s, (%s)", row[0].f(), c)
		do("ADD %s, %s, %[2]s", ldc, c)
	}
	do("RET")
}

const peakFMAs = 48 // of a round

// peak multiplies and adds in registers only: the speed that no product can pass.
func peak() {
	begin(set+"Peak", "func(n int)",
		fmt.Sprintf("does n rounds of %d multiply-adds of 4 lanes without touching memory.", peakFMAs))
	n, sums, x := argument("n"), zeros(24), zeros(2)
	label("loop")
	for range peakFMAs / len(sums) {
		for _, sum := range sums {
			fmaByEl(sum, x[0], lane{x[1], 0})
		}
	}
	do("SUBS $1, %s, %[1]s", n)
	do("BNE loop")
	do("RET")
}
