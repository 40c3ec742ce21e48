// Command inplace writes the assembly of tiles whose A is not packed: see inplace.go for what each one does.
package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// An isa is what AVX2 and AVX-512 differ in: their registers.
type isa struct {
	name   string
	bytes  int // in a register
	height int // rows of C in registers
	vector func() VecVirtual
}

func main() {
	ConstraintExpr("!purego")
	for _, s := range []isa{
		{"AVX2", 32, 6, func() VecVirtual { return YMM() }},
		{"AVX512", 64, 12, func() VecVirtual { return ZMM() }},
	} {
		for rows := 1; rows <= s.height; rows++ {
			for _, vectors := range []int{2, 1} {
				tile(s, rows, vectors, false)
				tile(s, rows, vectors, true)
			}
		}
	}
	Generate()
}

func base(param string) Register { return Load(Param(param).Base(), GP64()) }

// bytes loads a number of float32 as a number of bytes.
func bytes(param string) Register {
	r := Load(Param(param), GP64())
	SHLQ(Imm(2), r)
	return r
}

// strided returns the addresses of rows that are stride bytes apart.
func strided(rows int, p Register, stride Register) (at []Mem, bases []Register) {
	for {
		at = append(at, Mem{Base: p}, Mem{Base: p, Index: stride, Scale: 1}, Mem{Base: p, Index: stride, Scale: 2})
		bases = append(bases, p)
		if len(at) >= rows {
			return at[:rows], bases
		}
		next := GP64()
		LEAQ(Mem{Base: p, Index: stride, Scale: 2}, next)
		ADDQ(stride, next)
		p = next
	}
}

// tile keeps rows × vectors registers of sums; each step of k loads a row of B and multiplies it by one number of A a
// row. One vector makes half a tile.
func tile(s isa, rows, vectors int, turned bool) {
	name := map[bool]string{false: "rows", true: "cols"}[turned] + []string{"Half", "Tile"}[vectors-1]
	TEXT(fmt.Sprintf("%s%d%s", name, rows, s.name), NOSPLIT,
		"func(k int, a []float32, lda int, b []float32, ldb int, c []float32, ldc int, add bool)")
	a, lda, b, ldb := base("a"), bytes("lda"), base("b"), bytes("ldb")
	lda3, ldb3 := GP64(), GP64()
	LEAQ(Mem{Base: ldb, Index: ldb, Scale: 2}, ldb3)
	bases := []Register{a}
	var rowsA []Mem
	if turned {
		LEAQ(Mem{Base: lda, Index: lda, Scale: 2}, lda3)
	} else {
		rowsA, bases = strided(rows, a, lda)
	}
	sums := make([][]VecVirtual, rows)
	for i := range sums {
		for range vectors {
			v := s.vector()
			VXORPS(v, v, v)
			sums[i] = append(sums[i], v)
		}
	}
	rowB, x, y := []VecVirtual{s.vector(), s.vector()}[:vectors], s.vector(), s.vector()
	four := func(p, stride, three Register) []Mem {
		return []Mem{{Base: p}, {Base: p, Index: stride, Scale: 1}, {Base: p, Index: stride, Scale: 2}, {Base: p, Index: three, Scale: 1}}
	}
	rowsB := four(b, ldb, ldb3)
	step := func(u int) {
		for j, v := range rowB {
			VMOVUPS(rowsB[u].Offset(j*s.bytes), v)
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
	k := Load(Param("k"), GP64())
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
	at, _ := strided(rows, base("c"), bytes("ldc"))
	add := Load(Param("add"), GP8())
	TESTB(add, add)
	JZ(LabelRef("store"))
	for i, m := range at {
		for j, v := range sums[i] {
			VADDPS(m.Offset(j*s.bytes), v, v)
		}
	}
	Label("store")
	for i, m := range at {
		for j, v := range sums[i] {
			VMOVUPS(v, m.Offset(j*s.bytes))
		}
	}
	VZEROUPPER()
	RET()
}
