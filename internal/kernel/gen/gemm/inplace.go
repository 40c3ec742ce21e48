package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"

	. "github.com/attnconv/attnconv/internal/kernel/gen/machine"
)

// inPlace is the microkernel for an A by rows or by columns. It keeps rows × vectors registers of sums; each step of k
// loads a row of B and multiplies it by one element of A a row. One vector makes half a tile.
func inPlace(s Set, rows, vectors int, byCols bool) {
	layout := map[bool]string{false: "rows", true: "columns"}[byCols]
	name := []string{"Half", ""}[vectors-1] + map[bool]string{false: "Rows", true: "Cols"}[byCols]
	Func(fmt.Sprintf("%s%s%d", s.Name, name, rows), signature,
		fmt.Sprintf("is the microkernel for %d rows of %d columns and an A by %s.", rows, vectors*s.Bytes/4, layout))
	Label("tile")
	a, lda, b, ldb := Base("a"), Bytes("lda"), Base("b"), Bytes("ldb")
	lda3, ldb3 := GP64(), GP64()
	LEAQ(Mem{Base: ldb, Index: ldb, Scale: 2}, ldb3)
	bases := []Register{a}
	var rowsA []Mem
	if byCols {
		LEAQ(Mem{Base: lda, Index: lda, Scale: 2}, lda3)
	} else {
		rowsA, bases = Strided(rows, a, lda)
	}
	sums := make([][]VecVirtual, rows)
	for i := range sums {
		for range vectors {
			v := s.Vector()
			VXORPS(v, v, v)
			sums[i] = append(sums[i], v)
		}
	}
	rowB, x, y := []VecVirtual{s.Vector(), s.Vector()}[:vectors], s.Vector(), s.Vector()
	four := func(p, stride, three Register) []Mem {
		return []Mem{{Base: p}, {Base: p, Index: stride, Scale: 1}, {Base: p, Index: stride, Scale: 2},
			{Base: p, Index: three, Scale: 1}}
	}
	rowsB := four(b, ldb, ldb3)
	step := func(u int) {
		for j, v := range rowB {
			VMOVUPS(rowsB[u].Offset(j*s.Bytes), v)
		}
		for i := range sums {
			v := []VecVirtual{x, y}[i%2]
			if byCols {
				VBROADCASTSS(four(a, lda, lda3)[u].Offset(4*i), v)
			} else {
				VBROADCASTSS(rowsA[i].Offset(4*u), v)
			}
			for j := range rowB {
				VFMADD231PS(rowB[j], v, sums[i][j])
			}
		}
	}
	forth := func(n int) {
		switch {
		case !byCols:
			for _, p := range bases {
				ADDQ(Imm(uint64(4*n)), p)
			}
		case n == 4:
			LEAQ(Mem{Base: a, Index: lda, Scale: 4}, a)
		default:
			ADDQ(lda, a)
		}
		if n == 4 {
			LEAQ(Mem{Base: b, Index: ldb, Scale: 4}, b)
		} else {
			ADDQ(ldb, b)
		}
	}
	k := Int("k")
	SHRQ(Imm(2), k)
	JZ(LabelRef("tail"))
	Label("loop4")
	for u := range 4 {
		step(u)
	}
	forth(4)
	DECQ(k)
	JNZ(LabelRef("loop4"))
	Label("tail")
	Load(Param("k"), k)
	ANDQ(Imm(3), k)
	JZ(LabelRef("done"))
	Label("loop1")
	step(0)
	forth(1)
	DECQ(k)
	JNZ(LabelRef("loop1"))
	Label("done")
	at, _ := Strided(rows, Base("c"), Bytes("ldc"))
	add := Load(Param("add"), GP8())
	storeTile(s, at, add, func(i int) []Register { return registers(sums[i]) })
	nextTile(rows)
}
