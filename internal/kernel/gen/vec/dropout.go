package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"

	. "github.com/attnconv/attnconv/internal/kernel/gen/machine"
)

// dropout draws Philox4x32-10 for eight counters at once. A 64-bit lane holds one 32-bit word in its lower half, as
// the multiplication wants it; its upper half holds leftovers that nothing reads. So there are two registers a word:
// counters 0, 2, 4, 6 and counters 1, 3, 5, 7.
func dropout() {
	routine("DropoutRow", "func(mask []float32, key0, key1, step0, step1, row, below uint32, scale float32)")
	mask, n := GP64(), GP64()
	Load(Param("mask").Base(), mask)
	Load(Param("mask").Len(), n)
	counter := load(Global("lanes", func() {
		for i := range 8 {
			DATA(4*i, U32(uint32(i)))
		}
	}))
	TESTQ(n, n)
	JZ(LabelRef("end"))
	Label("block")
	words := philox(counter)
	VPADDD(allBits(8), counter, counter)
	below, scale := spread("below"), spread("scale")
	for _, v := range words { // v >= below ? scale : 0
		larger := YMM()
		VPMAXUD(below, v, larger)
		VPCMPEQD(larger, v, v)
		VANDPS(scale, v, v)
	}
	CMPQ(n, Imm(32))
	JL(LabelRef("tail"))
	for k, v := range words {
		VMOVUPS(v, Mem{Base: mask, Disp: 32 * k})
	}
	ADDQ(U32(128), mask)
	SUBQ(Imm(32), n)
	JNZ(LabelRef("block"))
	JMP(LabelRef("end"))
	Label("tail")
	for _, v := range words {
		part := Unique("part")
		CMPQ(n, Imm(8))
		JL(LabelRef(part))
		VMOVUPS(v, Mem{Base: mask})
		ADDQ(Imm(32), mask)
		SUBQ(Imm(8), n)
		JZ(LabelRef("end"))
		next := Unique("next")
		JMP(LabelRef(next))
		Label(part)
		VMASKMOVPS(v, LiveLanes(n), Mem{Base: mask})
		JMP(LabelRef("end"))
		Label(next)
	}
	Label("end")
	end()
}

// philox returns the four words of the eight counters.
func philox(counter VecVirtual) []VecVirtual {
	var c [2][4]VecVirtual
	for half := range c {
		c[half] = [4]VecVirtual{YMM(), spread("row"), spread("step0"), spread("step1")}
	}
	VMOVDQU(counter, c[0][0])
	VPSRLQ(Imm(32), counter, c[1][0])
	key0, key1 := spread("key0"), spread("key1")
	for round := range 10 {
		for half := range c {
			x := &c[half]
			p0, p1 := YMM(), YMM()
			VPMULUDQ(allBits(0xD2511F53), x[0], p0)
			VPMULUDQ(allBits(0xCD9E8D57), x[2], p1)
			VPSRLQ(Imm(32), p1, x[0])
			VPXOR(x[1], x[0], x[0])
			VPXOR(key0, x[0], x[0])
			VPSRLQ(Imm(32), p0, x[2])
			VPXOR(x[3], x[2], x[2])
			VPXOR(key1, x[2], x[2])
			x[1], x[3] = p1, p0
		}
		if round < 9 {
			VPADDD(allBits(0x9E3779B9), key0, key0)
			VPADDD(allBits(0xBB67AE85), key1, key1)
		}
	}
	words := make([]VecVirtual, 4)
	for k := range words {
		words[k] = YMM()
		VPSLLQ(Imm(32), c[1][k], words[k])
		VPBLENDD(Imm(0xAA), words[k], c[0][k], words[k])
	}
	return words
}
