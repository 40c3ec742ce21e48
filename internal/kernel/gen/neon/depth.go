package main

import "fmt"

const (
	pixelBytes = 64 // of 16 channels, four registers
	blockHigh  = 3  // rows of a block of pixels whose sums are in registers; see gen/depth
	blockWide  = 8
)

// depth writes the routines of package depthwise.
func depth() string {
	copyPixels()
	correlate()
	return fieldsOf([]string{"Copy", "Correlate"})
}

func copyPixels() {
	begin(set+"Copy", "func(rows, cols int, dst []float32, di, dj int, src []float32, si, sj int)", "is routines.Copy.")
	rows, cols, dst, src := argument("rows"), argument("cols"), argument("dst"), argument("src")
	di, dj, si, sj := inBytes("di"), inBytes("dj"), inBytes("si"), inBytes("sj")
	to, from, n, v := reg(), reg(), reg(), frees(4)
	label("row")
	do("MOVD %s, %s", dst, to)
	do("MOVD %s, %s", src, from)
	do("MOVD %s, %s", cols, n)
	label("pixel")
	for i := range v {
		do("FMOVQ %d(%s), %s", 16*i, from, v[i].f())
	}
	for i := range v {
		do("FMOVQ %s, %d(%s)", v[i].f(), 16*i, to)
	}
	do("ADD %s, %s", sj, from)
	do("ADD %s, %s", dj, to)
	do("SUBS $1, %s, %[1]s", n)
	do("BNE pixel")
	do("ADD %s, %s", si, src)
	do("ADD %s, %s", di, dst)
	do("SUBS $1, %s, %[1]s", rows)
	do("BNE row")
	end()
}

// A correlation is the registers of Correlate: addresses of the strips that are left, of one strip, and of one row.
type correlation struct {
	rows, cols, high, wide, b  general
	y, yi, yj, x, xi, w, wi    general
	strip, left, rowY, rowX    general
	filter, at, tap, count, by general
}

// correlate is as for AVX2 and AVX-512 (gen/depth), with four channels at a time.
func correlate() {
	begin(set+"Correlate", "func(rows, cols int, y []float32, yi, yj int, x []float32, xi int, w []float32, "+
		"wi, high, wide int, b []float32, past bool)", "is routines.Correlate.")
	k := correlation{
		rows: argument("rows"), high: argument("high"), wide: argument("wide"), b: argument("b"),
		yi: inBytes("yi"), yj: inBytes("yj"), xi: inBytes("xi"), w: argument("w"), wi: inBytes("wi"),
		cols: reg(), y: reg(), x: reg(), strip: reg(), left: reg(), rowY: reg(), rowX: reg(),
		filter: reg(), at: reg(), tap: reg(), count: reg(), by: reg(),
	}
	part := reg()
	do("MOVD $0, %s", part)
	label("part")
	do("MOVD %s, %s", operand("y"), k.y)
	do("MOVD %s, %s", operand("x"), k.x)
	do("ADD %s, %s", part, k.y)
	do("ADD %s, %s", part, k.x)
	do("MOVD %s, %s", operand("cols"), k.cols)
	label("strip")
	do("MOVD %s, %s", k.cols, k.strip)
	do("CMP $%d, %s", 2*blockWide, k.strip)
	do("BGE strip%d", blockWide)
	do("CMP $%d, %s", blockWide, k.strip)
	do("BLE choose")
	do("ADD $1, %s", k.strip)
	do("LSR $1, %s, %[1]s", k.strip)
	label("choose")
	for wide := 1; wide < blockWide; wide++ {
		do("CMP $%d, %s", wide, k.strip)
		do("BEQ strip%d", wide)
	}
	for wide := blockWide; wide > 0; wide-- {
		k.oneStrip(wide)
	}
	label("stripped")
	do("ADD $16, %s", k.w)
	do("ADD $16, %s", k.b)
	do("ADD $16, %s", part)
	do("CMP $%d, %s", pixelBytes, part)
	do("BNE part")
	end()
}

// oneStrip goes down a strip in blocks, which are not higher than the filter. Of four rows it takes two, lest one be
// left.
func (k correlation) oneStrip(wide int) {
	name := func(what string) string { return fmt.Sprintf("%s%d", what, wide) }
	label(name("strip"))
	do("MOVD %s, %s", k.rows, k.left)
	do("MOVD %s, %s", k.y, k.rowY)
	do("MOVD %s, %s", k.x, k.rowX)
	label(name("rows"))
	for high := 1; high < blockHigh; high++ {
		for _, n := range []general{k.left, k.high} {
			do("CMP $%d, %s", high, n)
			do("BEQ %s", name(fmt.Sprintf("high%d_", high)))
		}
	}
	do("CMP $4, %s", k.left)
	do("BEQ %s", name("high2_"))
	for high := blockHigh; high > 0; high-- {
		if high < blockHigh {
			label(name(fmt.Sprintf("high%d_", high)))
		}
		k.block(high, wide)
		do("CBNZ %s, %s", k.left, name("rows"))
		if high > 1 {
			do("JMP %s", name("next"))
		}
	}
	label(name("next"))
	do("MOVD $%d, %s", wide, k.count)
	do("MADD %s, %s, %s, %[2]s", k.count, k.y, k.yj)
	do("ADD $%d, %s", wide*pixelBytes, k.x)
	do("SUBS $%d, %s, %[2]s", wide, k.cols)
	do("BNE strip")
	if wide > 1 {
		do("JMP stripped")
	}
}

// block sets a block of pixels, and goes on to the rows below it. Row r of x, from the block on, meets row r-i of the
// filter for row i of the block.
func (k correlation) block(high, wide int) {
	vectors = 0
	sums := make([][]vector, high)
	for i := range sums {
		sums[i] = frees(wide)
	}
	do("FMOVQ (%s), %s", k.b, sums[0][0].f())
	for i := range sums {
		for j := range sums[i] {
			if i+j > 0 {
				copyTo(sums[i][j], sums[0][0])
			}
		}
	}
	do("MOVD %s, %s", k.rowX, k.by)
	do("MOVD %s, %s", k.w, k.filter)
	for r := 0; r < high-1; r++ {
		k.row(sums, 0, r)
	}
	all, n := unique("all"), reg()
	do("SUB $%d, %s, %s", high-1, k.high, n)
	label(all)
	k.row(sums, 0, high-1)
	do("SUBS $1, %s, %[1]s", n)
	do("BNE %s", all)
	generals = append(generals, n)
	for r := 1; r < high; r++ {
		k.row(sums, r, high-1)
	}
	for _, row := range sums {
		do("MOVD %s, %s", k.rowY, k.at)
		for _, sum := range row {
			do("FMOVQ %s, (%s)", sum.f(), k.at)
			do("ADD %s, %s", k.yj, k.at)
		}
		do("ADD %s, %s", k.yi, k.rowY)
		do("ADD %s, %s", k.xi, k.rowX)
	}
	do("SUB $%d, %s", high, k.left)
}

// row adds to rows from to last of a block what they get from a row of x. For row from the filter's row is at k.filter;
// for those below, the rows above it.
func (k correlation) row(sums [][]vector, from, last int) {
	held, loop := vectors, unique("taps")
	above := make([]general, last+1)
	above[0] = k.tap
	do("MOVD %s, %s", k.by, k.at)
	do("MOVD %s, %s", k.filter, k.tap)
	for i := 1; i <= last; i++ {
		above[i] = reg()
		do("SUB %s, %s, %s", k.wi, above[i-1], above[i])
	}
	do("MOVD %s, %s", k.wide, k.count)
	label(loop)
	taps := make([]vector, last+1)
	for i := from; i <= last; i++ {
		taps[i] = free()
		do("FMOVQ (%s), %s", above[i], taps[i].f())
		do("ADD $%d, %s", pixelBytes, above[i])
	}
	spare := frees(4)
	for j := range sums[0] {
		v := spare[j%len(spare)]
		do("FMOVQ %d(%s), %s", j*pixelBytes, k.at, v.f())
		for i := from; i <= last; i++ {
			fma(sums[i][j], v, taps[i])
		}
	}
	do("ADD $%d, %s", pixelBytes, k.at)
	do("SUBS $1, %s, %[1]s", k.count)
	do("BNE %s", loop)
	do("ADD %s, %s", k.xi, k.by)
	do("ADD %s, %s", k.wi, k.filter)
	vectors = held
	generals = append(generals, above[1:]...)
}
