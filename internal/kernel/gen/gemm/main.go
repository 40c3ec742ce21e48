// Command gemm writes the assembly of the matrix product: see gemm_amd64.go for what each routine does.
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
			tile(s, rows)
		}
		copyWide(s)
		spin(s)
	}
	turn("turn4AVX2", 4)
	turn("turn6AVX2", 6)
	turn("turn8AVX2", 8)
	copy6()
	copy12()
	Generate()
}

// tile keeps rows × 2 registers of sums; each step of k loads a row of B and multiplies it by one number of A a row.
func tile(s Set, rows int) {
	TEXT(fmt.Sprintf("tile%d%s", rows, s.Name), NOSPLIT,
		"func(k int, a, b []float32, ldb int, c []float32, ldc int, add bool)")
	k, a, b, ldb, c, ldc := Number("k"), Base("a"), Base("b"), Bytes("ldb"), Base("c"), Bytes("ldc")
	add := Load(Param("add"), GP8())
	at, _ := Strided(rows, c, ldc)
	for _, m := range at {
		PREFETCHT0(m)
		PREFETCHT0(m.Offset(2*s.Bytes - 4))
	}
	ldb3 := GP64()
	LEAQ(Mem{Base: ldb, Index: ldb, Scale: 2}, ldb3)
	sums := make([][2]VecVirtual, rows)
	for i := range sums {
		for j := range sums[i] {
			sums[i][j] = s.Vector()
			VXORPS(sums[i][j], sums[i][j], sums[i][j])
		}
	}
	b0, b1, x, y := s.Vector(), s.Vector(), s.Vector(), s.Vector()
	rowsB := []Mem{
		{Base: b}, {Base: b, Index: ldb, Scale: 1}, {Base: b, Index: ldb, Scale: 2}, {Base: b, Index: ldb3, Scale: 1},
	}
	step := func(u int) {
		VMOVUPS(rowsB[u], b0)
		VMOVUPS(rowsB[u].Offset(s.Bytes), b1)
		for i := range sums {
			v := []VecVirtual{x, y}[i%2]
			VBROADCASTSS(Mem{Base: a, Disp: (u*rows + i) * 4}, v)
			VFMADD231PS(b0, v, sums[i][0])
			VFMADD231PS(b1, v, sums[i][1])
		}
	}
	four := GP64()
	MOVQ(k, four)
	SHRQ(Imm(2), four)
	JZ(LabelRef("tail"))
	Label("loop4")
	PREFETCHT0(Mem{Base: a, Disp: 512})
	for u := range 4 {
		step(u)
	}
	ADDQ(U32(uint32(16*rows)), a)
	LEAQ(Mem{Base: b, Index: ldb, Scale: 4}, b)
	DECQ(four)
	JNZ(LabelRef("loop4"))
	Label("tail")
	ANDQ(Imm(3), k)
	JZ(LabelRef("done"))
	Label("loop1")
	step(0)
	ADDQ(Imm(uint64(4*rows)), a)
	ADDQ(ldb, b)
	DECQ(k)
	JNZ(LabelRef("loop1"))
	Label("done")
	TESTB(add, add)
	JZ(LabelRef("store"))
	for i, m := range at {
		VADDPS(m, sums[i][0], sums[i][0])
		VADDPS(m.Offset(s.Bytes), sums[i][1], sums[i][1])
	}
	Label("store")
	for i, m := range at {
		VMOVUPS(sums[i][0], m)
		VMOVUPS(sums[i][1], m.Offset(s.Bytes))
	}
	VZEROUPPER()
	RET()
}

// turn transposes rows (4, 6 or 8) rows of 8·n numbers, rows next to one another in dst. With 6
// each store but a block's last writes two numbers too many, which the next one overwrites.
func turn(name string, rows int) {
	TEXT(name, NOSPLIT, "func(n int, dst []float32, ldd int, src []float32, lds int)")
	n, dst, src := Number("n"), Base("dst"), Base("src")
	ldd, lds := Bytes("ldd"), Bytes("lds")
	p := GP64()
	Label("loop")
	v := make([]VecVirtual, 8)
	MOVQ(src, p)
	for i := range v {
		if i >= rows {
			v[i] = v[rows-1]
			continue
		}
		v[i] = YMM()
		VMOVUPS(Mem{Base: p}, v[i])
		ADDQ(lds, p)
	}
	for i, o := range transpose(v) {
		to := Mem{Base: dst}
		switch {
		case rows == 4:
			VMOVUPS(o.AsX(), to)
		case rows == 6 && i == 7:
			VMOVUPS(o.AsX(), to)
			VEXTRACTF128(Imm(1), o, o.AsX())
			VMOVSD(o.AsX(), to.Offset(16))
		default:
			VMOVUPS(o, to)
		}
		ADDQ(ldd, dst)
	}
	ADDQ(Imm(32), src)
	DECQ(n)
	JNZ(LabelRef("loop"))
	VZEROUPPER()
	RET()
}

func transpose(v []VecVirtual) []VecVirtual {
	var t, s, o [8]VecVirtual
	for i := 0; i < 8; i += 2 {
		t[i], t[i+1] = YMM(), YMM()
		VUNPCKLPS(v[i+1], v[i], t[i])
		VUNPCKHPS(v[i+1], v[i], t[i+1])
	}
	for g := 0; g < 8; g += 4 {
		for q := range 4 {
			s[g+q] = YMM()
		}
		VSHUFPS(Imm(0x44), t[g+2], t[g], s[g])
		VSHUFPS(Imm(0xEE), t[g+2], t[g], s[g+1])
		VSHUFPS(Imm(0x44), t[g+3], t[g+1], s[g+2])
		VSHUFPS(Imm(0xEE), t[g+3], t[g+1], s[g+3])
	}
	for q := range 4 {
		o[q], o[q+4] = YMM(), YMM()
		VPERM2F128(Imm(0x20), s[q+4], s[q], o[q])
		VPERM2F128(Imm(0x31), s[q+4], s[q], o[q+4])
	}
	return o[:]
}

// copyWide copies rows of one panel of B.
func copyWide(s Set) {
	TEXT(fmt.Sprintf("copy%d%s", s.Bytes/2, s.Name), NOSPLIT, "func(n int, dst, src []float32, lds int)")
	n, dst, src, lds := Number("n"), Base("dst"), Base("src"), Bytes("lds")
	a, b := s.Vector(), s.Vector()
	Label("loop")
	VMOVUPS(Mem{Base: src}, a)
	VMOVUPS(Mem{Base: src, Disp: s.Bytes}, b)
	VMOVUPS(a, Mem{Base: dst})
	VMOVUPS(b, Mem{Base: dst, Disp: s.Bytes})
	ADDQ(lds, src)
	ADDQ(U32(uint32(2*s.Bytes)), dst)
	DECQ(n)
	JNZ(LabelRef("loop"))
	VZEROUPPER()
	RET()
}

func copy6() {
	TEXT("copy6AVX2", NOSPLIT, "func(n int, dst, src []float32, lds int)")
	n, dst, src, lds := Number("n"), Base("dst"), Base("src"), Bytes("lds")
	a, b := XMM(), XMM()
	Label("loop")
	VMOVUPS(Mem{Base: src}, a)
	VMOVSD(Mem{Base: src, Disp: 16}, b)
	VMOVUPS(a, Mem{Base: dst})
	VMOVSD(b, Mem{Base: dst, Disp: 16})
	ADDQ(lds, src)
	ADDQ(Imm(24), dst)
	DECQ(n)
	JNZ(LabelRef("loop"))
	RET()
}

func copy12() {
	TEXT("copy12AVX2", NOSPLIT, "func(n int, dst, src []float32, lds int)")
	n, dst, src, lds := Number("n"), Base("dst"), Base("src"), Bytes("lds")
	a, b := YMM(), XMM()
	Label("loop")
	VMOVUPS(Mem{Base: src}, a)
	VMOVUPS(Mem{Base: src, Disp: 32}, b)
	VMOVUPS(a, Mem{Base: dst})
	VMOVUPS(b, Mem{Base: dst, Disp: 32})
	ADDQ(lds, src)
	ADDQ(Imm(48), dst)
	DECQ(n)
	JNZ(LabelRef("loop"))
	VZEROUPPER()
	RET()
}

// spin multiplies and adds in registers only: the speed that no product can pass.
func spin(s Set) {
	TEXT("spin"+s.Name, NOSPLIT, "func(n int)")
	n := Number("n")
	var sums [12]VecVirtual
	for i := range sums {
		sums[i] = s.Vector()
		VXORPS(sums[i], sums[i], sums[i])
	}
	x, y := s.Vector(), s.Vector()
	VXORPS(x, x, x)
	VXORPS(y, y, y)
	Label("loop")
	for range 4 {
		for _, s := range sums {
			VFMADD231PS(x, y, s)
		}
	}
	DECQ(n)
	JNZ(LabelRef("loop"))
	VZEROUPPER()
	RET()
}
