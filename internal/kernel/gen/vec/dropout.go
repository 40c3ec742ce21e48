package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"

	. "github.com/attnconv/attnconv/internal/kernel/gen/machine"
)

// dropout draws Philox4x32-10 for as many counters at once as there are lanes. A 64-bit lane holds one 32-bit word in
// its lower half, as the multiplication needs it; its upper half holds leftovers that nothing reads. So there are two
// registers a word: counters 0, 2, 4, … and counters 1, 3, 5, …. The mask has the first words of eight counters, then
// their second words, and so on: eight registers of AVX-512 come in halves.
func dropout() {
	routine("DropoutRow", "func(mask []float32, key0, key1, step0, step1, row, below uint32, scale float32)")
	mask, n := GP64(), GP64()
	Load(Param("mask").Base(), mask)
	Load(Param("mask").Len(), n)
	counter := load(Global("lanes", func() {
		for i := range 16 {
			DATA(4*i, U32(uint32(i)))
		}
	}))
	TESTQ(n, n)
	JZ(LabelRef("end"))
	Label("block")
	words := philox(counter)
	VPADDD(allBits(uint32(lanes())), counter, counter)
	parts := kept(words)
	CMPQ(n, Imm(uint64(8*len(parts))))
	JL(LabelRef("tail"))
	for k, v := range parts {
		VMOVUPS(v, Mem{Base: mask, Disp: 32 * k})
	}
	ADDQ(U32(uint32(32*len(parts))), mask)
	SUBQ(Imm(uint64(8*len(parts))), n)
	JNZ(LabelRef("block"))
	JMP(LabelRef("end"))
	Label("tail")
	for _, v := range parts {
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

// kept returns the mask that words make, in the order of memory, eight lanes at a time: v >= below ? scale : 0.
func kept(words []VecVirtual) (parts []Register) {
	below, scale := spread("below"), spread("scale")
	if !wide() {
		for _, v := range words {
			larger := YMM()
			VPMAXUD(below, v, larger)
			VPCMPEQD(larger, v, v)
			VANDPS(scale, v, v)
			parts = append(parts, v)
		}
		return parts
	}
	for _, v := range words {
		k := K()
		VPCMPUD(Imm(5), below, v, k)
		VMOVAPS_Z(scale, k, v)
		parts = append(parts, v.AsY())
	}
	for _, v := range words {
		upper := YMM()
		VEXTRACTF64X4(Imm(1), v, upper)
		parts = append(parts, upper)
	}
	return parts
}

// philox returns the four words of the counters.
func philox(counter VecVirtual) []VecVirtual {
	var c [2][4]VecVirtual
	for half := range c {
		c[half] = [4]VecVirtual{set.Vector(), spread("row"), spread("step0"), spread("step1")}
	}
	VMOVUPS(counter, c[0][0])
	VPSRLQ(Imm(32), counter, c[1][0])
	key0, key1 := spread("key0"), spread("key1")
	for round := range 10 {
		for half := range c {
			x := &c[half]
			p0, p1 := set.Vector(), set.Vector()
			VPMULUDQ(allBits(0xD2511F53), x[0], p0)
			VPMULUDQ(allBits(0xCD9E8D57), x[2], p1)
			VPSRLQ(Imm(32), p1, x[0])
			xor(x[1], x[0])
			xor(key0, x[0])
			VPSRLQ(Imm(32), p0, x[2])
			xor(x[3], x[2])
			xor(key1, x[2])
			x[1], x[3] = p1, p0
		}
		if round < 9 {
			VPADDD(allBits(0x9E3779B9), key0, key0)
			VPADDD(allBits(0xBB67AE85), key1, key1)
		}
	}
	words, odd := make([]VecVirtual, 4), Op(nil)
	if wide() {
		bits, k := GP32(), K()
		MOVL(U32(0xAAAA), bits)
		KMOVW(bits, k)
		odd = k
	}
	for k := range words {
		words[k] = set.Vector()
		VPSLLQ(Imm(32), c[1][k], words[k])
		if wide() {
			VPBLENDMD(words[k], c[0][k], odd, words[k])
		} else {
			VPBLENDD(Imm(0xAA), words[k], c[0][k], words[k])
		}
	}
	return words
}

func xor(a, to VecVirtual) {
	if wide() {
		VPXORD(a, to, to)
	} else {
		VPXOR(a, to, to)
	}
}
