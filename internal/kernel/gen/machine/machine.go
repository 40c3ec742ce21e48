// Package machine is what the generators know of processors: their vector registers, and how a routine takes its
// arguments from Go.
package machine

import (
	"math"
	"strconv"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// A Set is what AVX2 and AVX-512 differ in: their registers.
type Set struct {
	Name   string // of the kernel set
	Bytes  int    // in a register
	MR     int    // rows of C in registers: of AVX2's 16, 6 × 2 hold sums; of AVX-512's 32, 12 × 2
	Vector func() VecVirtual
}

// Sets lists them.
var Sets = []Set{
	{"avx2", 32, 6, func() VecVirtual { return YMM() }},
	{"avx512", 64, 12, func() VecVirtual { return ZMM() }},
}

// Func begins a routine. Its declaration in Go has the comment doc, and says that no argument escapes.
func Func(name, signature, doc string) {
	TEXT(name, NOSPLIT, signature)
	Doc(name + " " + doc)
	Pragma("noescape")
}

// Base loads where a slice begins.
func Base(param string) Register { return Load(Param(param).Base(), GP64()) }

// Int loads an int.
func Int(param string) Register { return Load(Param(param), GP64()) }

// Bytes loads a number of float32 as a number of bytes.
func Bytes(param string) Register {
	r := Int(param)
	SHLQ(Imm(2), r)
	return r
}

// Strided returns the addresses of rows that are stride bytes apart, and the registers that they are counted from.
func Strided(rows int, p Register, stride Register) (at []Mem, bases []Register) {
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

var labels int

// Unique returns a label that no other has.
func Unique(what string) string {
	labels++
	return what + strconv.Itoa(labels)
}

// LiveLanes returns the mask of the first n of eight lanes, 0 < n < 8. It changes n.
func LiveLanes(n GPVirtual) VecVirtual {
	table, mask := GP64(), YMM()
	LEAQ(tails(), table)
	NEGQ(n)
	VMOVUPS(Mem{Base: table, Index: n, Scale: 4, Disp: 32}, mask)
	return mask
}

// LiveLanes16 returns the mask of the first n of sixteen lanes, 0 ≤ n ≤ 16.
func LiveLanes16(n GPVirtual) OpmaskVirtual {
	bits, mask := GP32(), K()
	MOVL(I32(-1), bits)
	BZHIL(n.As32(), bits, bits)
	KMOVW(bits, mask)
	return mask
}

func tails() Mem {
	return Global("tails", func() {
		for i := range 16 {
			DATA(4*i, U32([]uint32{math.MaxUint32, 0}[i/8]))
		}
	})
}

var globals = map[string]Mem{}

// Global returns the constants of that name, in memory; the first call has fill write them.
func Global(name string, fill func()) Mem {
	if _, ok := globals[name]; !ok {
		globals[name] = GLOBL(name, RODATA|NOPTR)
		fill()
	}
	return globals[name]
}
