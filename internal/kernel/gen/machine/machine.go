// Package machine is what the generators know of processors: their vector registers, and how a routine takes its
// arguments from Go.
package machine

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// A Set is what AVX2 and AVX-512 differ in: their registers.
type Set struct {
	Name   string
	Bytes  int // in a register
	Height int // rows of C in registers: of AVX2's 16, 6 × 2 hold sums; of AVX-512's 32, 12 × 2
	Vector func() VecVirtual
}

// Sets lists them.
var Sets = []Set{
	{"AVX2", 32, 6, func() VecVirtual { return YMM() }},
	{"AVX512", 64, 12, func() VecVirtual { return ZMM() }},
}

// Base loads where a slice begins.
func Base(param string) Register { return Load(Param(param).Base(), GP64()) }

// Number loads an int.
func Number(param string) Register { return Load(Param(param), GP64()) }

// Bytes loads a number of float32 as a number of bytes.
func Bytes(param string) Register {
	r := Number(param)
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
