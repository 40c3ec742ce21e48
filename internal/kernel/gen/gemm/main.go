// Command gemm writes the microkernels and packing routines of package gemm, and the table that names them: go generate
// there calls it. Package gemm says what each one does.
package main

import (
	"fmt"
	"strings"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"

	. "github.com/attnconv/attnconv/internal/kernel/gen/machine"
)

func main() {
	ConstraintExpr("!purego")
	for _, s := range Sets {
		for rows := 1; rows <= s.MR; rows++ {
			packed(s, rows, false)
		}
		copyWide(s)
		peak(s)
	}
	for _, s := range Sets {
		for rows := 1; rows <= s.MR; rows++ {
			for _, vectors := range []int{2, 1} {
				inPlace(s, rows, vectors, false)
				inPlace(s, rows, vectors, true)
			}
			sweep(s, rows)
		}
	}
	for _, s := range Sets {
		for rows := 1; rows <= s.MR; rows++ {
			packed(s, rows, true)
		}
		round(s)
	}
	for rows := 1; rows <= avx512.MR; rows++ {
		pairs(rows, 2)
		pairs(rows, 1)
	}
	for rows := 1; rows <= avx512.MR; rows++ {
		amx(rows)
	}
	amxPeak()
	pairRows()
	pairColumns(4)
	pairColumns(8)
	peakPairs()
	transposeRows(4)
	transposeRows(6)
	transposeRows(8)
	copy6()
	copy12()
	dots("avx2Dots", 2, 8, func() VecVirtual { return YMM() })
	dots("avx512Dots", 4, 16, func() VecVirtual { return ZMM() })
	Write(table())
}

// table names the routines of each set.
func table() string {
	var b strings.Builder
	b.WriteString("// sets holds the routines by kernel set.\nvar sets = map[string]routines{\n\"generic\": plain,\n")
	for _, s := range Sets {
		family := func(layout, name string) {
			fmt.Fprintf(&b, "%s{\n", layout)
			for rows := 1; rows <= s.MR; rows++ {
				fmt.Fprintf(&b, "%d: %s%s%d,\n", rows, s.Name, name, rows)
			}
			b.WriteString("},\n")
		}
		fmt.Fprintf(&b, "%q: {\nTiles: complete(tiles{\nMR: %d, NR: %d,\nWhole: [3][]microkernel{\n", s.Name, s.MR,
			s.Bytes/2)
		family("byRows: ", "Rows")
		family("byCols: ", "Cols")
		family("inStrips: ", "Strips")
		b.WriteString("},\nHalf: [3][]microkernel{\n")
		family("byRows: ", "HalfRows")
		family("byCols: ", "HalfCols")
		b.WriteString("},\nSweeps: []sweep")
		family("", "Sweep")
		b.WriteString("}),\nRounded: bfloat16{Tiles: []microkernel")
		family("", "Rounded")
		fmt.Fprintf(&b, "PackA: roundedA(%[1]sPackA, %[1]sRounding), PackB: roundedB(%[1]sPackB, %[1]sRounding)},\n",
			s.Name)
		if s.Name == avx512.Name {
			b.WriteString("Pairs: bfloat16{Tiles: []microkernel")
			family("", "Pairs")
			b.WriteString("Half: []microkernel")
			family("", "HalfPairs")
			b.WriteString("PackA: avx512PairsA, PackB: avx512PairsB, Peak: peak{avx512PairsPeak, ")
			fmt.Fprintf(&b, "%d}},\n", peakFMAs*s.Bytes/4*4)
		}
		fmt.Fprintf(&b, "PackA: %[1]sPackA, PackB: %[1]sPackB,\nDots: dots{%[2]d, %[1]sDots}, Peak: peak{%[1]sPeak, "+
			"%[3]d},\n},\n",
			s.Name, s.Bytes/16, peakFMAs*s.Bytes/4*2)
	}
	b.WriteString("\"amx\": {Blocks: bfloat16{Tiles: []microkernel{\n")
	for rows := 1; rows <= avx512.MR; rows++ {
		fmt.Fprintf(&b, "%d: amxTiles%d,\n", rows, rows)
	}
	fmt.Fprintf(&b, "},\nPackA: amxPackA, PackB: avx512PairsB, Peak: peak{amxPeak, %d}}},\n}\n", amxPeakFLOP)
	return b.String()
}

const signature = "func(n, k int, a []float32, lda, step int, b []float32, ldb int, c []float32, ldc int, add bool)"

// packed is the microkernel for an A in strips. It keeps rows × 2 registers of sums; each step of k loads a row of B
// and multiplies it by one element of A a row. lda is rows, and not read. That for rounded factors takes the steps of a
// pair in the other order, and flushes subnormal values to zero, as VDPBF16PS does.
func packed(s Set, rows int, rounded bool) {
	name, of := "Strips", ""
	if rounded {
		name, of = "Rounded", ", rounded to bfloat16"
	}
	Func(fmt.Sprintf("%s%s%d", s.Name, name, rows), signature,
		fmt.Sprintf("is the microkernel for %d rows of %d columns and an A in strips%s.", rows, s.Bytes/2, of))
	Label("tile")
	k, a, b, ldb, c, ldc := Int("k"), Base("a"), Base("b"), Bytes("ldb"), Base("c"), Bytes("ldc")
	add := Load(Param("add"), GP8())
	at := tileOf(s, rows, c, ldc)
	ldb3 := GP64()
	LEAQ(Mem{Base: ldb, Index: ldb, Scale: 2}, ldb3)
	sums := make([][2]VecVirtual, rows)
	for i := range sums {
		for j := range sums[i] {
			sums[i][j] = s.Vector()
			VXORPS(sums[i][j], sums[i][j], sums[i][j])
		}
	}
	b0, b1, x, y := s.Vector(), s.Vector(), s.Vector(), s.Vector()
	rowsB := []Mem{
		{Base: b}, {Base: b, Index: ldb, Scale: 1}, {Base: b, Index: ldb, Scale: 2}, {Base: b, Index: ldb3, Scale: 1},
	}
	step := func(u int) {
		VMOVUPS(rowsB[u], b0)
		VMOVUPS(rowsB[u].Offset(s.Bytes), b1)
		for i := range sums {
			v := []VecVirtual{x, y}[i%2]
			VBROADCASTSS(Mem{Base: a, Disp: (u*rows + i) * 4}, v)
			VFMADD231PS(b0, v, sums[i][0])
			VFMADD231PS(b1, v, sums[i][1])
		}
	}
	order, restore := []int{0, 1, 2, 3}, func() {}
	if rounded {
		order, restore = []int{1, 0, 3, 2}, flushSubnormals()
	}
	four := GP64()
	MOVQ(k, four)
	SHRQ(Imm(2), four)
	JZ(LabelRef("tail"))
	Label("loop4")
	PREFETCHT0(Mem{Base: a, Disp: 512})
	for _, u := range order {
		step(u)
	}
	ADDQ(U32(uint32(16*rows)), a)
	LEAQ(Mem{Base: b, Index: ldb, Scale: 4}, b)
	DECQ(four)
	JNZ(LabelRef("loop4"))
	Label("tail")
	if rounded {
		TESTQ(U32(2), k)
		JZ(LabelRef("last"))
		step(1)
		step(0)
		ADDQ(Imm(uint64(8*rows)), a)
		LEAQ(Mem{Base: b, Index: ldb, Scale: 2}, b)
		Label("last")
		TESTQ(U32(1), k)
		JZ(LabelRef("done"))
		addZero(sums)
		step(0)
	} else {
		ANDQ(Imm(3), k)
		JZ(LabelRef("done"))
		Label("loop1")
		step(0)
		ADDQ(Imm(uint64(4*rows)), a)
		ADDQ(ldb, b)
		DECQ(k)
		JNZ(LabelRef("loop1"))
	}
	Label("done")
	restore()
	storeTile(s, at, add, func(i int) []Register { return registers(sums[i][:]) })
	nextTile(rows)
}

// tileOf returns the rows of a tile of C, and prefetches them.
func tileOf(s Set, rows int, c, ldc Register) []Mem {
	at, _ := Strided(rows, c, ldc)
	for _, m := range at {
		PREFETCHT0(m)
		PREFETCHT0(m.Offset(2*s.Bytes - 4))
	}
	return at
}

// storeTile stores the registers of each row, or if add adds them to what is there.
func storeTile(s Set, at []Mem, add Register, row func(i int) []Register) {
	TESTB(add, add)
	JZ(LabelRef("store"))
	for i, m := range at {
		for j, v := range row(i) {
			VADDPS(m.Offset(j*s.Bytes), v, v)
		}
	}
	Label("store")
	for i, m := range at {
		for j, v := range row(i) {
			VMOVUPS(v, m.Offset(j*s.Bytes))
		}
	}
}

// nextTile ends a microkernel. It goes back to the label "tile", where all arguments are loaded, until there is no
// other below.
func nextTile(rows int, end ...func()) {
	n := Int("n")
	DECQ(n)
	JZ(LabelRef("end"))
	Store(n, Param("n"))
	forth := func(what string, bytes Register) {
		p := Base(what)
		ADDQ(bytes, p)
		Store(p, Param(what).Base())
	}
	forth("a", Bytes("step"))
	ldc := Int("ldc")
	IMUL3Q(U32(uint32(4*rows)), ldc, ldc)
	forth("c", ldc)
	JMP(LabelRef("tile"))
	Label("end")
	for _, f := range end {
		f()
	}
	VZEROUPPER()
	RET()
}

func registers[V Register](vectors []V) (all []Register) {
	for _, v := range vectors {
		all = append(all, v)
	}
	return all
}

// transposeRows transposes rows (4, 6 or 8) rows of 8·n elements; columns of dst are ldd apart. With 6
// each store but a block's last writes two elements too many, which the next one overwrites.
func transposeRows(rows int) {
	Func(fmt.Sprintf("avx2Transpose%d", rows), "func(n int, dst []float32, ldd int, src []float32, lds int)",
		fmt.Sprintf("sets dst[j·ldd + i] = src[i·lds + j] for %d rows i and 8·n columns j.", rows))
	n, dst, src := Int("n"), Base("dst"), Base("src")
	ldd, lds := Bytes("ldd"), Bytes("lds")
	p := GP64()
	Label("loop")
	v := make([]VecVirtual, 8)
	MOVQ(src, p)
	for i := range v {
		if i >= rows {
			v[i] = v[rows-1]
			continue
		}
		v[i] = YMM()
		VMOVUPS(Mem{Base: p}, v[i])
		ADDQ(lds, p)
	}
	for i, o := range transpose(v) {
		to := Mem{Base: dst}
		switch {
		case rows == 4:
			VMOVUPS(o.AsX(), to)
		case rows == 6 && i == 7:
			VMOVUPS(o.AsX(), to)
			VEXTRACTF128(Imm(1), o, o.AsX())
			VMOVSD(o.AsX(), to.Offset(16))
		default:
			VMOVUPS(o, to)
		}
		ADDQ(ldd, dst)
	}
	ADDQ(Imm(32), src)
	DECQ(n)
	JNZ(LabelRef("loop"))
	VZEROUPPER()
	RET()
}

func transpose(v []VecVirtual) []VecVirtual {
	var t, s, o [8]VecVirtual
	for i := 0; i < 8; i += 2 {
		t[i], t[i+1] = YMM(), YMM()
		VUNPCKLPS(v[i+1], v[i], t[i])
		VUNPCKHPS(v[i+1], v[i], t[i+1])
	}
	for g := 0; g < 8; g += 4 {
		for q := range 4 {
			s[g+q] = YMM()
		}
		VSHUFPS(Imm(0x44), t[g+2], t[g], s[g])
		VSHUFPS(Imm(0xEE), t[g+2], t[g], s[g+1])
		VSHUFPS(Imm(0x44), t[g+3], t[g+1], s[g+2])
		VSHUFPS(Imm(0xEE), t[g+3], t[g+1], s[g+3])
	}
	for q := range 4 {
		o[q], o[q+4] = YMM(), YMM()
		VPERM2F128(Imm(0x20), s[q+4], s[q], o[q])
		VPERM2F128(Imm(0x31), s[q+4], s[q], o[q+4])
	}
	return o[:]
}

const copySignature = "func(n int, dst, src []float32, lds int)"

func copies(width int) string {
	return fmt.Sprintf("copies n rows of %d elements, lds apart, to dst, where they follow one another.", width)
}

// copyWide copies rows of one panel of B.
func copyWide(s Set) {
	Func(fmt.Sprintf("%sCopy%d", s.Name, s.Bytes/2), copySignature, copies(s.Bytes/2))
	n, dst, src, lds := Int("n"), Base("dst"), Base("src"), Bytes("lds")
	a, b := s.Vector(), s.Vector()
	Label("loop")
	VMOVUPS(Mem{Base: src}, a)
	VMOVUPS(Mem{Base: src, Disp: s.Bytes}, b)
	VMOVUPS(a, Mem{Base: dst})
	VMOVUPS(b, Mem{Base: dst, Disp: s.Bytes})
	ADDQ(lds, src)
	ADDQ(U32(uint32(2*s.Bytes)), dst)
	DECQ(n)
	JNZ(LabelRef("loop"))
	VZEROUPPER()
	RET()
}

func copy6() {
	Func("avx2Copy6", copySignature, copies(6))
	n, dst, src, lds := Int("n"), Base("dst"), Base("src"), Bytes("lds")
	a, b := XMM(), XMM()
	Label("loop")
	VMOVUPS(Mem{Base: src}, a)
	VMOVSD(Mem{Base: src, Disp: 16}, b)
	VMOVUPS(a, Mem{Base: dst})
	VMOVSD(b, Mem{Base: dst, Disp: 16})
	ADDQ(lds, src)
	ADDQ(Imm(24), dst)
	DECQ(n)
	JNZ(LabelRef("loop"))
	RET()
}

func copy12() {
	Func("avx2Copy12", copySignature, copies(12))
	n, dst, src, lds := Int("n"), Base("dst"), Base("src"), Bytes("lds")
	a, b := YMM(), XMM()
	Label("loop")
	VMOVUPS(Mem{Base: src}, a)
	VMOVUPS(Mem{Base: src, Disp: 32}, b)
	VMOVUPS(a, Mem{Base: dst})
	VMOVUPS(b, Mem{Base: dst, Disp: 32})
	ADDQ(lds, src)
	ADDQ(Imm(48), dst)
	DECQ(n)
	JNZ(LabelRef("loop"))
	VZEROUPPER()
	RET()
}

const peakFMAs = 4 * 12 // of a round

// peak multiplies and adds in registers only: the speed that no product can pass.
func peak(s Set) {
	Func(s.Name+"Peak", "func(n int)",
		fmt.Sprintf("does n rounds of %d multiply-adds of %d lanes without touching memory.", peakFMAs, s.Bytes/4))
	n := Int("n")
	var sums [12]VecVirtual
	for i := range sums {
		sums[i] = s.Vector()
		VXORPS(sums[i], sums[i], sums[i])
	}
	x, y := s.Vector(), s.Vector()
	VXORPS(x, x, x)
	VXORPS(y, y, y)
	Label("loop")
	for range peakFMAs / len(sums) {
		for _, sum := range sums {
			VFMADD231PS(x, y, sum)
		}
	}
	DECQ(n)
	JNZ(LabelRef("loop"))
	VZEROUPPER()
	RET()
}
