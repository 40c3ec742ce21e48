package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"

	. "github.com/attnconv/attnconv/internal/kernel/gen/machine"
)

// dots keeps the sums of rows × 4 products of rows in registers: each load of a row serves four products, or as many as
// there are rows.
func dots(name string, rows, lanes int, vector func() VecVirtual) {
	Func(name, "func(n, parts int, a, b []float32, ld, step int, c []float32, ldc int, add bool)",
		fmt.Sprintf("is dots.Of for %d rows of a.", rows))
	get := func(param string) GPVirtual {
		r := GP64()
		Load(Param(param), r)
		return r
	}
	base := func(param string) GPVirtual {
		r := GP64()
		Load(Param(param).Base(), r)
		return r
	}
	n, parts, a, b, ld, step := get("n"), get("parts"), base("a"), base("b"), get("ld"), get("step")
	SHLQ(Imm(2), ld)
	SHLQ(Imm(2), step)
	ld3 := GP64()
	LEAQ(Mem{Base: ld, Index: ld, Scale: 2}, ld3)
	row := func(p Register, i int) Mem {
		return []Mem{{Base: p}, {Base: p, Index: ld, Scale: 1}, {Base: p, Index: ld, Scale: 2},
			{Base: p, Index: ld3, Scale: 1}}[i]
	}
	var acc [][]VecVirtual
	for range rows {
		var sums []VecVirtual
		for range 4 {
			v := vector()
			VXORPS(v, v, v)
			sums = append(sums, v)
		}
		acc = append(acc, sums)
	}
	pa, pb, left := GP64(), GP64(), GP64()
	multiply := func(load func(m Mem) VecVirtual) {
		var of []VecVirtual
		for i := range rows {
			of = append(of, load(row(pa, i)))
		}
		for j := range 4 {
			v := load(row(pb, j))
			for i := range of {
				VFMADD231PS(v, of[i], acc[i][j])
			}
		}
	}
	Label("part")
	MOVQ(a, pa)
	MOVQ(b, pb)
	MOVQ(n, left)
	SUBQ(U32(uint32(lanes)), left)
	JL(LabelRef("rest"))
	Label("loop")
	multiply(func(m Mem) VecVirtual {
		v := vector()
		VMOVUPS(m, v)
		return v
	})
	ADDQ(U32(uint32(4*lanes)), pa)
	ADDQ(U32(uint32(4*lanes)), pb)
	SUBQ(U32(uint32(lanes)), left)
	JGE(LabelRef("loop"))
	Label("rest")
	ADDQ(U32(uint32(lanes)), left)
	JZ(LabelRef("next"))
	multiply(masked(left, lanes))
	Label("next")
	ADDQ(step, a)
	ADDQ(step, b)
	DECQ(parts)
	JNZ(LabelRef("part"))

	c, ldc := base("c"), get("ldc")
	SHLQ(Imm(2), ldc)
	add := Load(Param("add"), GP8())
	for _, sums := range acc {
		v := foldFour(sums, lanes)
		store := Unique("store")
		TESTB(add, add)
		JZ(LabelRef(store))
		VADDPS(Mem{Base: c}, v, v)
		Label(store)
		VMOVUPS(v, Mem{Base: c})
		ADDQ(ldc, c)
	}
	VZEROUPPER()
	RET()
}

// masked returns a load of the first n lanes, with zeros behind them.
func masked(n GPVirtual, lanes int) func(m Mem) VecVirtual {
	if lanes == 8 {
		live := LiveLanes(n)
		return func(m Mem) VecVirtual {
			v := YMM()
			VMASKMOVPS(m, live, v)
			return v
		}
	}
	live := LiveLanes16(n)
	return func(m Mem) VecVirtual {
		v := ZMM()
		VMOVUPS_Z(m, live, v)
		return v
	}
}

// foldFour returns the sums of the lanes of four registers, in four lanes.
func foldFour(acc []VecVirtual, lanes int) VecVirtual {
	var half [4]VecVirtual
	for i, v := range acc {
		half[i] = v
		if lanes == 16 {
			half[i] = v.AsY().(VecVirtual)
			high := YMM()
			VEXTRACTF64X4(Imm(1), v, high)
			VADDPS(high, half[i], half[i])
		}
	}
	VHADDPS(half[1], half[0], half[0])
	VHADDPS(half[3], half[2], half[2])
	VHADDPS(half[2], half[0], half[0])
	high, low := XMM(), half[0].AsX()
	VEXTRACTF128(Imm(1), half[0], high)
	VADDPS(high, low, low)
	return low.(VecVirtual)
}
