package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"

	. "github.com/attnconv/attnconv/internal/kernel/gen/machine"
)

// sweep is the microkernel that goes along the rows of many short products: k is a few steps, for which the call of a
// microkernel takes as long as its arithmetic. A turn makes two registers of each row, and the last one of an odd
// number of them a single one.
func sweep(s Set, rows int) {
	Func(fmt.Sprintf("%sSweep%d", s.Name, rows),
		"func(k, parts, n int, a, b []float32, ldb, stepB int, c []float32, ldc, stepC int, add bool)",
		fmt.Sprintf("is the sweep for %d rows.", rows))
	a, ldb, ldc := Base("a"), Bytes("ldb"), Bytes("ldc")
	ldb3 := GP64()
	LEAQ(Mem{Base: ldb, Index: ldb, Scale: 2}, ldb3)
	partB, partC, parts := Base("b"), Base("c"), Int("parts")
	b, c, left := GP64(), GP64(), GP64()
	Label("part")
	MOVQ(partB, b)
	MOVQ(partC, c)
	Load(Param("n"), left)
	SUBQ(U32(uint32(s.Bytes/2)), left)
	JL(LabelRef("single"))
	turn := func(vectors int) {
		sweepTile(s, rows, vectors, a, b, ldb, ldb3, c, ldc)
		ADDQ(U32(uint32(vectors*s.Bytes)), b)
		ADDQ(U32(uint32(vectors*s.Bytes)), c)
	}
	Label("pair")
	turn(2)
	SUBQ(U32(uint32(s.Bytes/2)), left)
	JGE(LabelRef("pair"))
	Label("single")
	ADDQ(U32(uint32(s.Bytes/2)), left)
	JZ(LabelRef("next"))
	turn(1)
	Label("next")
	for _, p := range []struct {
		step string
		at   Register
	}{{"stepB", partB}, {"stepC", partC}} {
		step := Bytes(p.step)
		ADDQ(step, p.at)
	}
	DECQ(parts)
	JNZ(LabelRef("part"))
	VZEROUPPER()
	RET()
}

// sweepTile sets a tile at c, of so many registers a row, or adds it.
func sweepTile(s Set, rows, vectors int, a, b, ldb, ldb3, c, ldc Register) {
	sums := make([][]VecVirtual, rows)
	for i := range sums {
		for range vectors {
			v := s.Vector()
			VXORPS(v, v, v)
			sums[i] = append(sums[i], v)
		}
	}
	pa, pb, k := GP64(), GP64(), GP64()
	MOVQ(a, pa)
	MOVQ(b, pb)
	rowB, x, y := []VecVirtual{s.Vector(), s.Vector()}[:vectors], s.Vector(), s.Vector()
	rowsB := []Mem{{Base: pb}, {Base: pb, Index: ldb, Scale: 1}, {Base: pb, Index: ldb, Scale: 2},
		{Base: pb, Index: ldb3, Scale: 1}}
	step := func(u int) {
		for j, v := range rowB {
			VMOVUPS(rowsB[u].Offset(j*s.Bytes), v)
		}
		for i := range sums {
			v := []VecVirtual{x, y}[i%2]
			VBROADCASTSS(Mem{Base: pa, Disp: (u*rows + i) * 4}, v)
			for j := range rowB {
				VFMADD231PS(rowB[j], v, sums[i][j])
			}
		}
	}
	four, one, tail, done, store := Unique("four"), Unique("one"), Unique("tail"), Unique("done"), Unique("store")
	Load(Param("k"), k)
	SHRQ(Imm(2), k)
	JZ(LabelRef(tail))
	Label(four)
	for u := range 4 {
		step(u)
	}
	ADDQ(U32(uint32(16*rows)), pa)
	LEAQ(Mem{Base: pb, Index: ldb, Scale: 4}, pb)
	DECQ(k)
	JNZ(LabelRef(four))
	Label(tail)
	Load(Param("k"), k)
	ANDQ(Imm(3), k)
	JZ(LabelRef(done))
	Label(one)
	step(0)
	ADDQ(Imm(uint64(4*rows)), pa)
	ADDQ(ldb, pb)
	DECQ(k)
	JNZ(LabelRef(one))
	Label(done)
	each := func(f func(at Mem, v VecVirtual)) {
		MOVQ(c, pb)
		for i := range sums {
			if i > 0 && i%3 == 0 {
				LEAQ(Mem{Base: pb, Index: ldc, Scale: 2}, pb)
				ADDQ(ldc, pb)
			}
			at := []Mem{{Base: pb}, {Base: pb, Index: ldc, Scale: 1}, {Base: pb, Index: ldc, Scale: 2}}[i%3]
			for j, v := range sums[i] {
				f(at.Offset(j*s.Bytes), v)
			}
		}
	}
	add := Load(Param("add"), GP8())
	TESTB(add, add)
	JZ(LabelRef(store))
	each(func(at Mem, v VecVirtual) { VADDPS(at, v, v) })
	Label(store)
	each(func(at Mem, v VecVirtual) { VMOVUPS(v, at) })
}
