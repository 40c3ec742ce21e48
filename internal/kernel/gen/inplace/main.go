// Command inplace writes the assembly of tiles whose A is not packed: see inplace.go for what each one does.
package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"

	. "github.com/attnconv/attnconv/internal/kernel/gen/machine"
)

func main() {
	ConstraintExpr("!purego")
	for _, s := range Sets {
		for rows := 1; rows <= s.Height; rows++ {
			for _, vectors := range []int{2, 1} {
				tile(s, rows, vectors, false)
				tile(s, rows, vectors, true)
			}
		}
	}
	Generate()
}

// tile keeps rows × vectors registers of sums; each step of k loads a row of B and multiplies it by one number of A a
// row. One vector makes half a tile.
func tile(s Set, rows, vectors int, turned bool) {
	name := map[bool]string{false: "rows", true: "cols"}[turned] + []string{"Half", "Tile"}[vectors-1]
	TEXT(fmt.Sprintf("%s%d%s", name, rows, s.Name), NOSPLIT,
		"func(k int, a []float32, lda int, b []float32, ldb int, c []float32, ldc int, add bool)")
	a, lda, b, ldb := Base("a"), Bytes("lda"), Base("b"), Bytes("ldb")
	lda3, ldb3 := GP64(), GP64()
	LEAQ(Mem{Base: ldb, Index: ldb, Scale: 2}, ldb3)
	bases := []Register{a}
	var rowsA []Mem
	if turned {
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
		return []Mem{{Base: p}, {Base: p, Index: stride, Scale: 1}, {Base: p, Index: stride, Scale: 2}, {Base: p, Index: three, Scale: 1}}
	}
	rowsB := four(b, ldb, ldb3)
	step := func(u int) {
		for j, v := range rowB {
			VMOVUPS(rowsB[u].Offset(j*s.Bytes), v)
		}
		for i := range sums {
			v := []VecVirtual{x, y}[i%2]
			if turned {
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
		case !turned:
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
	k := Number("k")
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
	TESTB(add, add)
	JZ(LabelRef("store"))
	for i, m := range at {
		for j, v := range sums[i] {
			VADDPS(m.Offset(j*s.Bytes), v, v)
		}
	}
	Label("store")
	for i, m := range at {
		for j, v := range sums[i] {
			VMOVUPS(v, m.Offset(j*s.Bytes))
		}
	}
	VZEROUPPER()
	RET()
}
