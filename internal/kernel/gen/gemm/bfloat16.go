package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/ir"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"

	. "github.com/attnconv/attnconv/internal/kernel/gen/machine"
)

// flushSubnormals has subnormal factors and sums count as zeros until the function that it returns restores the control
// register.
func flushSubnormals() (restore func()) {
	const flushAndIgnore = 1<<15 | 1<<6
	saved, flushing, bits := AllocLocal(4), AllocLocal(4), GP32()
	STMXCSR(saved)
	MOVL(saved, bits)
	ORL(U32(flushAndIgnore), bits)
	MOVL(bits, flushing)
	LDMXCSR(flushing)
	return func() { LDMXCSR(saved) }
}

// addZero turns sums of -0 into 0, as the product of the zeros that complete the last pair does.
func addZero(sums [][2]VecVirtual) {
	zero := like(sums[0][0])
	VXORPS(zero, zero, zero)
	for _, s := range sums {
		VADDPS(zero, s[0], s[0])
		VADDPS(zero, s[1], s[1])
	}
}

func like(v VecVirtual) VecVirtual {
	if v.Size() == 64 {
		return ZMM()
	}
	return YMM()
}

// round rounds elements to bfloat16 where they are, ties to even. NaN stays NaN.
func round(s Set) {
	Func(s.Name+"Round", "func(n int, x []float32)",
		fmt.Sprintf("rounds %d·n elements to bfloat16, ties to even.", s.Bytes/4))
	n, x := Int("n"), Base("x")
	r := newRounding(s)
	Label("loop")
	v := s.Vector()
	VMOVUPS(Mem{Base: x}, v)
	r.round(v)
	VMOVUPS(v, Mem{Base: x})
	ADDQ(U32(uint32(s.Bytes)), x)
	DECQ(n)
	JNZ(LabelRef("loop"))
	VZEROUPPER()
	RET()
}

// A rounding is the constants of rounding to bfloat16, in registers.
type rounding struct{ one, half, mask, quiet, bits VecVirtual }

func newRounding(s Set) rounding {
	constant := func(bits uint32) VecVirtual {
		r, x, v := GP32(), XMM(), s.Vector()
		MOVL(U32(bits), r)
		MOVD(r, x)
		VPBROADCASTD(x, v)
		return v
	}
	return rounding{constant(1), constant(0x7fff), constant(0xffff0000), constant(0x00400000), s.Vector()}
}

// round rounds v: u + 0x7fff + (u>>16 & 1), without its lower half, is the nearest value whose lower half is zero. NaN
// would overflow, and is made quiet instead.
func (r rounding) round(v VecVirtual) {
	VPSRLD(Imm(16), v, r.bits)
	if v.Size() == 64 {
		nan := K()
		VCMPPS(Imm(3), v, v, nan)
		VPANDD(r.one, r.bits, r.bits)
		VPADDD(r.half, r.bits, r.bits)
		VPADDD(r.bits, v, r.bits)
		VPORD(r.quiet, v, nan, r.bits)
		VPANDD(r.mask, r.bits, v)
		return
	}
	nan, quieted := YMM(), YMM()
	VCMPPS(Imm(3), v, v, nan)
	VPOR(r.quiet, v, quieted)
	VPAND(r.one, r.bits, r.bits)
	VPADDD(r.half, r.bits, r.bits)
	VPADDD(r.bits, v, r.bits)
	VBLENDVPS(nan, quieted, r.bits, r.bits)
	VPAND(r.mask, r.bits, v)
}

var avx512 = Sets[1]

// pairRows makes rows of elements rows of pairs: row l is the rounded rows 2·l, in the lower halves, and 2·l + 1.
// VCVTNEPS2BF16 makes zeros of subnormal values, which VDPBF16PS takes for zeros. (VCVTNE2PS2BF16 is not faster here,
// and wrong in Bochs 3.0.)
func pairRows() {
	Func("avx512PairRows", "func(n, load, store int, dst []float32, ldd int, src []float32, lds int)",
		"makes load elements of 2·n rows, lds apart, store pairs of n rows, ldd apart: both at most 16. It needs "+
			"AVX512_BF16.")
	n, load, store := Int("n"), Int("load"), Int("store")
	dst, ldd, src, lds := Base("dst"), Bytes("ldd"), Base("src"), Bytes("lds")
	loaded, stored := LiveLanes16(load.(GPVirtual)), LiveLanes16(store.(GPVirtual))
	even, odd, order := zmm[0], zmm[1], zmm[2]
	VMOVDQU64(halvesInTurn(), order)
	Label("loop")
	VMOVUPS_Z(Mem{Base: src}, loaded, even)
	VMOVUPS_Z(Mem{Base: src, Index: lds, Scale: 1}, loaded, odd)
	LEAQ(Mem{Base: src, Index: lds, Scale: 2}, src)
	convert(even, even)
	convert(odd, odd)
	VINSERTI64X4(Imm(1), odd.(Vec).AsY(), even, even)
	VPERMW(even, order, even)
	VMOVDQU32(even, stored, Mem{Base: dst})
	ADDQ(ldd, dst)
	DECQ(n)
	JNZ(LabelRef("loop"))
	VZEROUPPER()
	RET()
}

// halvesInTurn has VPERMW take words of the lower and of the upper half in turn.
func halvesInTurn() Mem {
	return Global("halvesInTurn", func() {
		for i := range 16 {
			DATA(4*i, U32(uint32(i)|uint32(16+i)<<16))
		}
	})
}

// pairColumns transposes the pairs of 4 or 8 rows: of two rows each a register has the pairs, and a quarter of it
// becomes a column of four.
func pairColumns(rows int) {
	Func(fmt.Sprintf("avx512PairColumns%d", rows), "func(n int, dst []float32, ldd int, src []float32, lds int)",
		fmt.Sprintf("sets dst[j·ldd + i] to elements 2·j and 2·j + 1 of row i of src, for %d rows, lds apart, and "+
			"8·n pairs j. It needs AVX512_BF16.",
			rows))
	n, dst, src := Int("n"), Base("dst"), Base("src")
	ldd, lds := Bytes("ldd"), Bytes("lds")
	at, bases := Strided(rows, src, lds)
	pairs, twos, columns, row, below := zmm[:4], zmm[4:8], zmm[8:12], zmm[12], zmm[13]
	Label("loop")
	for i, v := range pairs {
		VMOVUPS(at[i], row)
		if rows == 8 {
			VMOVUPS(at[i+4], below)
			convert(below, below)
		}
		convert(row, v)
		if rows == 8 {
			VINSERTI64X4(Imm(1), below.(Vec).AsY(), v, v)
		}
	}
	for i := 0; i < 4; i += 2 {
		VPUNPCKLDQ(pairs[i+1], pairs[i], twos[i])
		VPUNPCKHDQ(pairs[i+1], pairs[i], twos[i+1])
	}
	for i := range 2 {
		VPUNPCKLQDQ(twos[i+2], twos[i], columns[2*i])
		VPUNPCKHQDQ(twos[i+2], twos[i], columns[2*i+1])
	}
	// columns[c] has rows 0 to 3 of columns c and c + 4, then rows 4 to 7
	for _, c := range columns {
		if rows == 8 {
			VSHUFI64X2(Imm(0b11_01_10_00), c, c, c)
			VMOVDQU(c.(Vec).AsY(), Mem{Base: dst})
		} else {
			VMOVDQU(c.(Vec).AsX(), Mem{Base: dst})
		}
		ADDQ(ldd, dst)
	}
	for _, c := range columns {
		if rows == 8 {
			VEXTRACTI64X4(Imm(1), c, Mem{Base: dst})
		} else {
			VEXTRACTI128(Imm(1), c.(Vec).AsY(), Mem{Base: dst})
		}
		ADDQ(ldd, dst)
	}
	for _, p := range bases {
		ADDQ(Imm(64), p)
	}
	DECQ(n)
	JNZ(LabelRef("loop"))
	VZEROUPPER()
	RET()
}

// dotPairs is VDPBF16PS b, a, sum: in each lane, sum += odd(a)·odd(b), then even(a)·even(b).
func dotPairs(b, a, sum VecPhysical) { evex("VDPBF16PS", prefixF3, 0x52, b, a, sum) }

// convert is VCVTNEPS2BF16 from, to: ties to even. It fills the lower half.
func convert(from, to VecPhysical) { evex("VCVTNEPS2BF16", prefixF3, 0x72, from, Z0, to) }

// evex is an instruction of AVX512_BF16, which Go's assembler lacks, on whole registers: EVEX.512.0F38.W0 with one of
// the prefixes. One that reads no second register has 0 for it.
func evex(what string, prefix, opcode uint8, from, second, to VecPhysical) {
	number := func(r VecPhysical) uint8 { return uint8(r.PhysicalIndex()) }
	inverted := func(r VecPhysical, bit, to uint8) uint8 { return (^number(r) >> bit & 1) << to }
	code := [6]uint8{
		0x62,
		inverted(to, 3, 7) | inverted(from, 4, 6) | inverted(from, 3, 5) | inverted(to, 4, 4) | 0b10,
		(^number(second)&15)<<3 | 0b100 | prefix,
		0b10<<5 | inverted(second, 4, 3),
		opcode,
		0xc0 | number(to)&7<<3 | number(from)&7,
	}
	Comment(fmt.Sprintf("%s Z%d, Z%d, Z%d", what, number(from), number(second), number(to)))
	emit(code[:]...)
}

// emit writes an instruction that Go's assembler lacks.
func emit(code ...uint8) {
	for _, c := range code {
		Instruction(&ir.Instruction{Opcode: "BYTE", Operands: []Op{U8(c)}})
	}
}

var zmm = []VecPhysical{Z0, Z1, Z2, Z3, Z4, Z5, Z6, Z7, Z8, Z9, Z10, Z11, Z12, Z13, Z14, Z15, Z16, Z17, Z18, Z19, Z20,
	Z21, Z22, Z23, Z24, Z25,
	Z26, Z27, Z28, Z29, Z30, Z31}

// pairs is the microkernel for rows × 32 or, with one vector, 16 columns of C and factors in pairs.
func pairs(rows, vectors int) {
	Func(fmt.Sprintf("avx512%sPairs%d", []string{"Half", ""}[vectors-1], rows), signature,
		fmt.Sprintf("is the microkernel for %d rows of %d columns and k pairs of both factors; it needs AVX512_BF16.",
			rows, 16*vectors))
	sums, rowB, x := zmm[:vectors*rows], zmm[24:][:vectors], zmm[26:]
	Label("tile")
	k, a, b, ldb, c, ldc := Int("k"), Base("a"), Base("b"), Bytes("ldb"), Base("c"), Bytes("ldc")
	add := Load(Param("add"), GP8())
	at := tileOf(avx512, rows, c, ldc)
	for _, s := range sums {
		VPXORD(s, s, s)
	}
	step := func(u int) {
		row := Mem{Base: b}
		if u == 1 {
			row = Mem{Base: b, Index: ldb, Scale: 1}
		}
		for j, v := range rowB {
			VMOVUPS(row.Offset(j*avx512.Bytes), v)
		}
		for i := range rows {
			v := x[i%len(x)]
			VPBROADCASTD(Mem{Base: a, Disp: (u*rows + i) * 4}, v)
			for j, b := range rowB {
				dotPairs(b, v, sums[vectors*i+j])
			}
		}
	}
	two := GP64()
	MOVQ(k, two)
	SHRQ(Imm(1), two)
	JZ(LabelRef("tail"))
	Label("loop2")
	PREFETCHT0(Mem{Base: a, Disp: 512})
	step(0)
	step(1)
	ADDQ(Imm(uint64(8*rows)), a)
	LEAQ(Mem{Base: b, Index: ldb, Scale: 2}, b)
	DECQ(two)
	JNZ(LabelRef("loop2"))
	Label("tail")
	TESTQ(U32(1), k)
	JZ(LabelRef("done"))
	step(0)
	Label("done")
	storeTile(avx512, at, add, func(i int) []Register { return registers(sums[vectors*i:][:vectors]) })
	nextTile(rows)
}

// peakPairs is the loop of VDPBF16PS without memory: the speed that no product in bfloat16 can pass.
func peakPairs() {
	Func("avx512PairsPeak", "func(n int)",
		fmt.Sprintf("does n rounds of %d pairs of multiply-adds of 16 lanes without touching memory; it needs "+
			"AVX512_BF16.", peakFMAs))
	n := Int("n")
	z := zmm[:14]
	for _, v := range z {
		VPXORD(v, v, v)
	}
	Label("loop")
	for range peakFMAs / 12 {
		for _, sum := range z[:12] {
			dotPairs(z[12], z[13], sum)
		}
	}
	DECQ(n)
	JNZ(LabelRef("loop"))
	VZEROUPPER()
	RET()
}
