package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"

	. "github.com/attnconv/attnconv/internal/kernel/gen/machine"
)

// Instructions of AMX, which Go's assembler lacks, are written by their bytes: VEX.128.0F38.W0 with one of these
// prefixes.
const (
	prefixNone = iota
	_
	prefixF3
	prefixF2
)

// vex is an instruction of map 0F38 whose registers are all among the first eight; v is the one that VEX names.
func vex(what string, prefix, v, opcode uint8, rest ...uint8) {
	Comment(what)
	emit(append([]uint8{0xc4, 0xe2, ^v&15<<3 | prefix, opcode}, rest...)...)
}

// tileAt is the operand [base + index] next to tile t.
func tileAt(t uint8, base, index GPPhysical) []uint8 {
	return []uint8{t<<3 | 0b100, uint8(index.PhysicalIndex())<<3 | uint8(base.PhysicalIndex())}
}

func configure(base GPPhysical) { vex("LDTILECFG", prefixNone, 0, 0x49, uint8(base.PhysicalIndex())) }
func releaseTiles()             { vex("TILERELEASE", prefixNone, 0, 0x49, 0xc0) }
func zeroTile(t uint8)          { vex(fmt.Sprintf("TILEZERO TMM%d", t), prefixF2, 0, 0x49, 0xc0|t<<3) }

func loadTile(t uint8, base, index GPPhysical) {
	vex(fmt.Sprintf("TILELOADD TMM%d", t), prefixF2, 0, 0x4b, tileAt(t, base, index)...)
}

func saveTile(t uint8, base, index GPPhysical) {
	vex(fmt.Sprintf("TILESTORED TMM%d", t), prefixF3, 0, 0x4b, tileAt(t, base, index)...)
}

// dotTiles is TDPBF16PS: c += a·b, where a has pairs of steps in its columns and b in its rows.
func dotTiles(c, a, b uint8) {
	vex(fmt.Sprintf("TDPBF16PS TMM%d += TMM%d, TMM%d", c, a, b), prefixF3, b, 0x5c, 0xc0|c<<3|a)
}

// The tiles of a microkernel: two of C, one of A and two of B, and those of A and B for what is left of k.
const (
	tileC     = 0
	tileA     = 2
	tileB     = 3
	tileLastA = 5
	tileLastB = 6
	tilePairs = 16 // pairs of steps in a whole tile
)

// amx is the microkernel for rows × 32 columns of C, an A whose rows hold pairs of steps side by side, and a B in
// pairs.
func amx(rows int) {
	Func(fmt.Sprintf("amxTiles%d", rows), signature,
		fmt.Sprintf("is the microkernel for %d rows of 32 columns and k pairs of both factors, A's row after row; it "+
			"needs AMX-BF16.", rows))
	last := R8 // pairs behind the whole tiles
	shapeTiles(rows, last)
	Label("tile")
	a, b, lda, ldb, blocks, right := RAX, RBX, RDX, RSI, R9, R10
	Load(Param("a").Base(), a)
	Load(Param("b").Base(), b)
	Load(Param("k"), blocks)
	Load(Param("ldb"), ldb)
	SHLQ(Imm(2), ldb)
	MOVQ(blocks, lda)
	SHLQ(Imm(2), lda)
	SHRQ(Imm(4), blocks)
	MOVQ(ldb, right) // of a block of B
	SHLQ(Imm(4), right)
	zeroTile(tileC)
	zeroTile(tileC + 1)
	TESTQ(blocks, blocks)
	JZ(LabelRef("last"))
	block := func(ofA, ofB uint8) {
		loadTile(ofA, a, lda)
		inTwo(b, func(i uint8) {
			loadTile(ofB+i, b, ldb)
			dotTiles(tileC+i, ofA, ofB+i)
		})
	}
	Label("loop")
	block(tileA, tileB)
	ADDQ(Imm(4*tilePairs), a)
	ADDQ(right, b)
	DECQ(blocks)
	JNZ(LabelRef("loop"))
	Label("last")
	TESTQ(last, last)
	JZ(LabelRef("done"))
	block(tileLastA, tileLastB)
	Label("done")
	saveTiles(rows)
	nextTile(rows, releaseTiles)
}

// shapeTiles configures the tiles for k pairs, and leaves in last how many are behind the whole ones.
func shapeTiles(rows int, last GPPhysical) {
	config, scratch := AllocLocal(64), RAX
	shape := func(tile int, rows, bytes Op) { // bytes of a row
		MOVB(rows, config.Offset(48+tile))
		MOVW(bytes, config.Offset(16+2*tile))
	}
	VPXORD(Z0, Z0, Z0)
	VMOVUPS(Z0, config)
	MOVB(Imm(1), config) // the palette
	for _, t := range []int{tileC, tileC + 1, tileA} {
		shape(t, Imm(uint64(rows)), U16(64))
	}
	shape(tileB, Imm(tilePairs), U16(64))
	shape(tileB+1, Imm(tilePairs), U16(64))
	Load(Param("k"), last)
	ANDQ(Imm(tilePairs-1), last)
	JZ(LabelRef("whole")) // tiles of no rows are not configured
	MOVQ(last, scratch)
	SHLQ(Imm(2), scratch)
	shape(tileLastA, Imm(uint64(rows)), scratch.As16())
	shape(tileLastB, last.As8(), U16(64))
	shape(tileLastB+1, last.As8(), U16(64))
	Label("whole")
	LEAQ(config, scratch)
	configure(scratch)
}

// inTwo does f for both tiles of C or B, whose columns begin at p.
func inTwo(p GPPhysical, f func(i uint8)) {
	f(0)
	ADDQ(Imm(64), p)
	f(1)
	SUBQ(Imm(64), p)
}

// saveTiles stores the tiles of C, or if add adds what C held, last.
func saveTiles(rows int) {
	c, ldc, row, add := RCX, RDI, RAX, R11
	Load(Param("c").Base(), c)
	Load(Param("ldc"), ldc)
	SHLQ(Imm(2), ldc)
	save := func() { inTwo(c, func(i uint8) { saveTile(tileC+i, c, ldc) }) }
	eachRow := func(f func(left, right VecPhysical)) {
		MOVQ(c, row)
		for i := range rows {
			if i > 0 {
				ADDQ(ldc, row)
			}
			f(zmm[2*i], zmm[2*i+1])
		}
	}
	Load(Param("add"), add)
	TESTB(add.As8(), add.As8())
	JNZ(LabelRef("add"))
	save()
	JMP(LabelRef("stored"))
	Label("add")
	eachRow(func(left, right VecPhysical) {
		VMOVUPS(Mem{Base: row}, left)
		VMOVUPS(Mem{Base: row, Disp: 64}, right)
	})
	save()
	eachRow(func(left, right VecPhysical) {
		VADDPS(Mem{Base: row}, left, left)
		VADDPS(Mem{Base: row, Disp: 64}, right, right)
		VMOVUPS(left, Mem{Base: row})
		VMOVUPS(right, Mem{Base: row, Disp: 64})
	})
	Label("stored")
}

// amxPeakFLOP is that of a round of amxPeak: six products of 16 × 32 and 32 × 16.
const amxPeakFLOP = 6 * 2 * 16 * 32 * 16

// amxPeak is the loop of TDPBF16PS without memory.
func amxPeak() {
	Func("amxPeak", "func(n int)",
		"does n rounds of six products of whole tiles without touching memory; it needs AMX-BF16.")
	config := AllocLocal(64)
	VPXORD(Z0, Z0, Z0)
	VMOVUPS(Z0, config)
	MOVB(Imm(1), config)
	for t := range 8 {
		MOVB(Imm(tilePairs), config.Offset(48+t))
		MOVW(U16(64), config.Offset(16+2*t))
	}
	LEAQ(config, RAX)
	configure(RAX)
	for t := range uint8(8) {
		zeroTile(t)
	}
	n := R8
	Load(Param("n"), n)
	Label("loop")
	for t := range uint8(6) {
		dotTiles(t, 6, 7)
	}
	DECQ(n)
	JNZ(LabelRef("loop"))
	releaseTiles()
	VZEROUPPER()
	RET()
}
