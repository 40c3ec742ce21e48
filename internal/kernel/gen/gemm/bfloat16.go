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

// round rounds elements to bfloat16 where they are, ties to even. What is no number stays none.
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

// round rounds v: u + 0x7fff + (u>>16 & 1), without its lower half, is the nearest value whose lower half is zero. NaN would
// overflow, and is made quiet instead.
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

// interleave makes rows of elements rows of pairs, in place: row l is the rounded rows 2·l, in the lower halves, and 2·l + 1.
// What it stores, it has read: rows are stride elements apart before and after.
func interleave() {
	Func("avx512Interleave", "func(n, lanes, stride int, x []float32)",
		"makes 2·n rows of up to 16 elements n rows of pairs in bfloat16, in place; rows are stride apart.")
	n, lanes, stride, x := Int("n"), Int("lanes"), Bytes("stride"), Base("x")
	r := newRounding(avx512)
	bits, live, to, even, odd := GP32(), K(), GP64(), ZMM(), ZMM()
	MOVL(I32(-1), bits)
	BZHIL(lanes.(GPVirtual).As32(), bits, bits)
	KMOVW(bits, live)
	MOVQ(x, to)
	Label("loop")
	VMOVUPS_Z(Mem{Base: x}, live, even)
	VMOVUPS_Z(Mem{Base: x, Index: stride, Scale: 1}, live, odd)
	LEAQ(Mem{Base: x, Index: stride, Scale: 2}, x)
	r.round(even)
	r.round(odd)
	VPSRLD(Imm(16), even, even)
	VPORD(even, odd, odd)
	VMOVDQU32(odd, live, Mem{Base: to})
	ADDQ(stride, to)
	DECQ(n)
	JNZ(LabelRef("loop"))
	VZEROUPPER()
	RET()
}

// dotPairs is VDPBF16PS b, a, sum, which Go's assembler lacks: in each lane, sum += odd(a)·odd(b), then even(a)·even(b).
// Its bytes are EVEX.512.F3.0F38.W0 52 /r.
func dotPairs(b, a, sum VecPhysical) {
	number := func(r VecPhysical) uint8 { return uint8(r.PhysicalIndex()) }
	inverted := func(r VecPhysical, bit, to uint8) uint8 { return (^number(r) >> bit & 1) << to }
	code := [6]uint8{
		0x62,
		inverted(sum, 3, 7) | inverted(b, 4, 6) | inverted(b, 3, 5) | inverted(sum, 4, 4) | 0b10,
		(^number(a)&15)<<3 | 0b110,
		0b10<<5 | inverted(a, 4, 3),
		0x52,
		0xc0 | number(sum)&7<<3 | number(b)&7,
	}
	Comment(fmt.Sprintf("VDPBF16PS Z%d, Z%d, Z%d", number(b), number(a), number(sum)))
	emit(code[:]...)
}

// emit writes an instruction that Go's assembler lacks.
func emit(code ...uint8) {
	for _, c := range code {
		Instruction(&ir.Instruction{Opcode: "BYTE", Operands: []Op{U8(c)}})
	}
}

var zmm = []VecPhysical{Z0, Z1, Z2, Z3, Z4, Z5, Z6, Z7, Z8, Z9, Z10, Z11, Z12, Z13, Z14, Z15, Z16, Z17, Z18, Z19, Z20, Z21, Z22, Z23, Z24, Z25,
	Z26, Z27, Z28, Z29, Z30, Z31}

// pairs is the microkernel for rows × 32 columns of C and factors in pairs.
func pairs(rows int) {
	Func(fmt.Sprintf("avx512Pairs%d", rows), signature,
		fmt.Sprintf("is the microkernel for %d rows of 32 columns and k pairs of both factors; it needs AVX512_BF16.", rows))
	sums, b0, b1, x := zmm[:2*rows], zmm[24], zmm[25], zmm[26:]
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
		VMOVUPS(row, b0)
		VMOVUPS(row.Offset(avx512.Bytes), b1)
		for i := range rows {
			v := x[i%len(x)]
			VPBROADCASTD(Mem{Base: a, Disp: (u*rows + i) * 4}, v)
			dotPairs(b0, v, sums[2*i])
			dotPairs(b1, v, sums[2*i+1])
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
	storeTile(avx512, at, add, func(i int) []Register { return []Register{sums[2*i], sums[2*i+1]} })
}

// peakPairs is the loop of VDPBF16PS without memory: the speed that no product in bfloat16 can pass.
func peakPairs() {
	Func("avx512PairsPeak", "func(n int)",
		fmt.Sprintf("does n rounds of %d pairs of multiply-adds of 16 lanes without touching memory; it needs AVX512_BF16.", peakFMAs))
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
