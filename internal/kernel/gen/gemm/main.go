// Command gemm writes the assembly of the matrix product: see gemm_amd64.go for what each routine does.
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
	height int // rows of C in registers: of AVX2's 16, 6 × 2 hold sums; of AVX-512's 32, 12 × 2
	vector func() VecVirtual
}

var (
	avx2   = isa{"AVX2", 32, 6, func() VecVirtual { return YMM() }}
	avx512 = isa{"AVX512", 64, 12, func() VecVirtual { return ZMM() }}
)

func main() {
	ConstraintExpr("!purego")
	for _, s := range []isa{avx2, avx512} {
		for rows := 1; rows <= s.height; rows++ {
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

func base(param string) Register   { return Load(Param(param).Base(), GP64()) }
func number(param string) Register { return Load(Param(param), GP64()) }

// bytes loads a number of float32 as a number of bytes.
func bytes(param string) Register {
	r := number(param)
	SHLQ(Imm(2), r)
	return r
}

// strided returns the addresses of rows that are stride bytes apart.
func strided(rows int, p Register, stride Register) (at []Mem) {
	for len(at) < rows {
		at = append(at, Mem{Base: p}, Mem{Base: p, Index: stride, Scale: 1}, Mem{Base: p, Index: stride, Scale: 2})
		next := GP64()
		LEAQ(Mem{Base: p, Index: stride, Scale: 2}, next)
		ADDQ(stride, next)
		p = next
	}
	return at[:rows]
}

// tile keeps rows × 2 registers of sums; each step of k loads a row of B and multiplies it by one number of A a row.
func tile(s isa, rows int) {
	TEXT(fmt.Sprintf("tile%d%s", rows, s.name), NOSPLIT,
		"func(k int, a, b []float32, ldb int, c []float32, ldc int, add bool)")
	k, a, b, ldb, c, ldc := number("k"), base("a"), base("b"), bytes("ldb"), base("c"), bytes("ldc")
	add := Load(Param("add"), GP8())
	at := strided(rows, c, ldc)
	for _, m := range at {
		PREFETCHT0(m)
		PREFETCHT0(m.Offset(2*s.bytes - 4))
	}
	ldb3 := GP64()
	LEAQ(Mem{Base: ldb, Index: ldb, Scale: 2}, ldb3)
	sums := make([][2]VecVirtual, rows)
	for i := range sums {
		for j := range sums[i] {
			sums[i][j] = s.vector()
			VXORPS(sums[i][j], sums[i][j], sums[i][j])
		}
	}
	b0, b1, x, y := s.vector(), s.vector(), s.vector(), s.vector()
	rowsB := []Mem{
		{Base: b}, {Base: b, Index: ldb, Scale: 1}, {Base: b, Index: ldb, Scale: 2}, {Base: b, Index: ldb3, Scale: 1},
	}
	step := func(u int) {
		VMOVUPS(rowsB[u], b0)
		VMOVUPS(rowsB[u].Offset(s.bytes), b1)
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
		VADDPS(m.Offset(s.bytes), sums[i][1], sums[i][1])
	}
	Label("store")
	for i, m := range at {
		VMOVUPS(sums[i][0], m)
		VMOVUPS(sums[i][1], m.Offset(s.bytes))
	}
	VZEROUPPER()
	RET()
}

// turn transposes rows (4, 6 or 8) rows of 8·n numbers, rows next to one another in dst. With 6
// each store but a block's last writes two numbers too many, which the next one overwrites.
func turn(name string, rows int) {
	TEXT(name, NOSPLIT, "func(n int, dst []float32, ldd int, src []float32, lds int)")
	n, dst, src := number("n"), base("dst"), base("src")
	ldd, lds := bytes("ldd"), bytes("lds")
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
func copyWide(s isa) {
	TEXT(fmt.Sprintf("copy%d%s", s.bytes/2, s.name), NOSPLIT, "func(n int, dst, src []float32, lds int)")
	n, dst, src, lds := number("n"), base("dst"), base("src"), bytes("lds")
	a, b := s.vector(), s.vector()
	Label("loop")
	VMOVUPS(Mem{Base: src}, a)
	VMOVUPS(Mem{Base: src, Disp: s.bytes}, b)
	VMOVUPS(a, Mem{Base: dst})
	VMOVUPS(b, Mem{Base: dst, Disp: s.bytes})
	ADDQ(lds, src)
	ADDQ(U32(uint32(2*s.bytes)), dst)
	DECQ(n)
	JNZ(LabelRef("loop"))
	VZEROUPPER()
	RET()
}

func copy6() {
	TEXT("copy6AVX2", NOSPLIT, "func(n int, dst, src []float32, lds int)")
	n, dst, src, lds := number("n"), base("dst"), base("src"), bytes("lds")
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
	n, dst, src, lds := number("n"), base("dst"), base("src"), bytes("lds")
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
func spin(s isa) {
	TEXT("spin"+s.name, NOSPLIT, "func(n int)")
	n := number("n")
	var sums [12]VecVirtual
	for i := range sums {
		sums[i] = s.vector()
		VXORPS(sums[i], sums[i], sums[i])
	}
	x, y := s.vector(), s.vector()
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
