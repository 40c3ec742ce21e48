// Command depth writes the routines of package depthwise for AVX2 and AVX-512, and the table that names them: go
// generate there calls it. The plain Go function of each name defines it.
package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"

	. "github.com/attnconv/attnconv/internal/kernel/gen/machine"
)

const pixel = 64 // bytes of 16 channels

// A set says how large a block of pixels is whose sums are in registers. Besides them there is a tap for each row of
// the block, and a few pixels of x: of AVX2's 16 registers 2 × 6 are sums, of AVX-512's 32, 3 × 8.
type set struct {
	Set
	high, wide int
}

func main() {
	ConstraintExpr("!purego")
	body := []string{"// sets holds the routines by kernel set. A set inherits what it lacks.",
		"var sets = map[string]routines{", `"generic": plain,`}
	for i, m := range Sets {
		s := set{m, []int{2, 3}[i], []int{6, 8}[i]}
		s.copy()
		s.correlate()
		body = append(body, fmt.Sprintf("%q: {", s.Name), Fields(s.Name, []string{"Copy", "Correlate"}), "},")
	}
	Write(append(body, "}")...)
}

// parts is how many registers a pixel has.
func (s set) parts() int { return pixel / s.Bytes }

func (s set) copy() {
	Func(s.Name+"Copy", "func(rows, cols int, dst []float32, di, dj int, src []float32, si, sj int)",
		"is routines.Copy.")
	rows, cols, dst, src := Int("rows"), Int("cols"), Base("dst"), Base("src")
	di, dj, si, sj := Bytes("di"), Bytes("dj"), Bytes("si"), Bytes("sj")
	Label("row")
	to, from, n := GP64(), GP64(), GP64()
	MOVQ(dst, to)
	MOVQ(src, from)
	MOVQ(cols, n)
	Label("pixel")
	for part := range s.parts() {
		v := s.Vector()
		VMOVUPS(Mem{Base: from, Disp: part * s.Bytes}, v)
		VMOVUPS(v, Mem{Base: to, Disp: part * s.Bytes})
	}
	ADDQ(sj, from)
	ADDQ(dj, to)
	DECQ(n)
	JNZ(LabelRef("pixel"))
	ADDQ(si, src)
	ADDQ(di, dst)
	DECQ(rows)
	JNZ(LabelRef("row"))
	VZEROUPPER()
	RET()
}

// A walk is where a correlation is. What changes from strip to strip is on the stack.
type walk struct {
	set
	cols, y, x       Mem       // of the strips that are left
	w, b             Mem       // of this part of the channels
	xi, wi, up       Register  // bytes from row to row: of x, of the filter, and of the filter upwards
	left, rowY, rowX GPVirtual // of the strip
}

// correlate goes through strips of columns, in them through blocks of rows, and in those through the rows of x.
func (s set) correlate() {
	Func(s.Name+"Correlate", "func(rows, cols int, y []float32, yi, yj int, x []float32, xi int, "+
		"w []float32, wi, high, wide int, b []float32, past bool)", "is routines.Correlate.")
	local := AllocLocal(8 * 6)
	at := func(i int) Mem { return local.Offset(8 * i) }
	k := walk{set: s, cols: at(0), y: at(1), x: at(2), w: at(3), b: at(4), up: GP64()}
	part := at(5)
	MOVQ(Base("w"), k.w)
	MOVQ(Base("b"), k.b)
	MOVQ(U32(0), part)
	k.xi, k.wi = Bytes("xi"), Bytes("wi")
	MOVQ(k.wi, k.up)
	NEGQ(k.up)
	Label("part")
	for _, p := range []struct {
		name string
		to   Mem
	}{{"y", k.y}, {"x", k.x}} {
		r := Base(p.name)
		ADDQ(part, r)
		MOVQ(r, p.to)
	}
	MOVQ(Int("cols"), k.cols)
	Label("strip")
	k.strips()
	if s.parts() > 1 {
		r := GP64()
		ADDQ(U32(uint32(s.Bytes)), k.w)
		ADDQ(U32(uint32(s.Bytes)), k.b)
		MOVQ(part, r)
		ADDQ(U32(uint32(s.Bytes)), r)
		MOVQ(r, part)
		CMPQ(r, U32(pixel))
		JL(LabelRef("part"))
	}
	if s.parts() == 1 {
		past := GP8()
		Load(Param("past"), past)
		TESTB(past, past)
		JZ(LabelRef("done"))
		SFENCE()
		Label("done")
	}
	VZEROUPPER()
	RET()
}

// strips does one strip: as wide as blocks may be, or half of what is left where that is less than two strips.
func (k walk) strips() {
	n := GP64()
	MOVQ(k.cols, n)
	CMPQ(n, U32(uint32(2*k.set.wide)))
	JGE(LabelRef(name(k.set.wide, "strip")))
	CMPQ(n, U32(uint32(k.set.wide)))
	JLE(LabelRef("choose"))
	INCQ(n)
	SHRQ(Imm(1), n)
	Label("choose")
	for wide := 1; wide < k.set.wide; wide++ {
		CMPQ(n, U32(uint32(wide)))
		JE(LabelRef(name(wide, "strip")))
	}
	for wide := k.set.wide; wide > 0; wide-- {
		k.strip(wide)
	}
	Label("stripped")
}

func name(wide int, what string) string { return fmt.Sprintf("%s%d", what, wide) }

// strip goes down a strip in blocks, which are not higher than the filter. Of four rows it takes two, lest one be left.
func (k walk) strip(wide int) {
	high, two, one, next := name(wide, "rows"), name(wide, "two"), name(wide, "one"), name(wide, "next")
	Label(name(wide, "strip"))
	k.left, k.rowY, k.rowX = GP64(), GP64(), GP64()
	Load(Param("rows"), k.left)
	MOVQ(k.y, k.rowY)
	MOVQ(k.x, k.rowX)
	Label(high)
	filter := GP64()
	Load(Param("high"), filter)
	for _, n := range []Register{k.left, filter} {
		CMPQ(n, Imm(1))
		JE(LabelRef(one))
	}
	if k.set.high > 2 {
		for _, n := range []Register{k.left, filter} {
			CMPQ(n, Imm(2))
			JE(LabelRef(two))
		}
		CMPQ(k.left, Imm(4))
		JE(LabelRef(two))
		k.block(3, wide)
		JNZ(LabelRef(high))
		JMP(LabelRef(next))
		Label(two)
	}
	k.block(2, wide)
	JNZ(LabelRef(high))
	JMP(LabelRef(next))
	Label(one)
	k.block(1, wide)
	JNZ(LabelRef(high))
	Label(next)
	r := Bytes("yj")
	IMUL3Q(U32(uint32(wide)), r, r)
	ADDQ(r, k.y)
	ADDQ(U32(uint32(wide*pixel)), k.x)
	SUBQ(U32(uint32(wide)), k.cols)
	JNZ(LabelRef("strip"))
	if wide > 1 {
		JMP(LabelRef("stripped"))
	}
}

// block sets a block of pixels, and goes on to the rows below it; it ends with the flags of whether there are any. Row
// r of x, from the block on, meets row r-i of the filter for row i of the block, so that what is loaded of x serves
// high pixels: first few rows of the block, then all, then few.
func (k walk) block(high, wide int) {
	sums := make([][]VecVirtual, high)
	bias := GP64()
	MOVQ(k.b, bias)
	for i := range sums {
		for range wide {
			v := k.Vector()
			VMOVUPS(Mem{Base: bias}, v)
			sums[i] = append(sums[i], v)
		}
	}
	x, w := GP64(), GP64()
	MOVQ(k.rowX, x)
	MOVQ(k.w, w)
	for r := 0; r < high-1; r++ {
		k.row(sums, 0, r, x, w)
	}
	n, all := GP64(), Unique("all")
	Load(Param("high"), n)
	if high > 1 {
		SUBQ(Imm(uint64(high-1)), n)
	}
	Label(all)
	k.row(sums, 0, high-1, x, w)
	DECQ(n)
	JNZ(LabelRef(all))
	for r := 1; r < high; r++ {
		k.row(sums, r, high-1, x, w)
	}
	stored := Unique("stored")
	if k.parts() == 1 { // half of a line would be written past the caches twice
		cached, past := Unique("cached"), GP8()
		Load(Param("past"), past)
		TESTB(past, past)
		JZ(LabelRef(cached))
		k.store(sums, func(v, to Op) { VMOVNTPS(v, to) })
		JMP(LabelRef(stored))
		Label(cached)
	}
	k.store(sums, func(v, to Op) { VMOVUPS(v, to) })
	Label(stored)
	SUBQ(Imm(uint64(high)), k.left)
}

// store writes the sums of a block, and goes on to the rows below it.
func (k walk) store(sums [][]VecVirtual, write func(v, to Op)) {
	yi, yj := Bytes("yi"), Bytes("yj")
	for _, row := range sums {
		to, _ := Strided(len(row), k.rowY, yj)
		for j, sum := range row {
			write(sum, to[j])
		}
		ADDQ(yi, k.rowY)
		ADDQ(k.xi, k.rowX)
	}
}

// row adds to rows from to last of a block what they get from a row of x. For row from, w is the filter's row; for
// those below, the rows above w.
func (k walk) row(sums [][]VecVirtual, from, last int, x, w Register) {
	at, tap, n, loop := GP64(), GP64(), GP64(), Unique("taps")
	MOVQ(x, at)
	MOVQ(w, tap)
	Load(Param("wide"), n)
	Label(loop)
	taps := make([]VecVirtual, last+1)
	for i := from; i <= last; i++ {
		taps[i] = k.Vector()
		m := Mem{Base: tap}
		if i > 0 {
			m.Index, m.Scale = k.up, uint8(i)
		}
		VMOVUPS(m, taps[i])
	}
	for j := range sums[0] {
		v := k.Vector()
		VMOVUPS(Mem{Base: at, Disp: j * pixel}, v)
		for i := from; i <= last; i++ {
			VFMADD231PS(v, taps[i], sums[i][j])
		}
	}
	ADDQ(Imm(pixel), tap)
	ADDQ(Imm(pixel), at)
	DECQ(n)
	JNZ(LabelRef(loop))
	ADDQ(k.xi, x)
	ADDQ(k.wi, w)
}
