//go:build !purego

package kernel

import "golang.org/x/sys/cpu"

var sets = []Set{avx512, avx2, generic} // fastest first

var avx512 = Set{
	Name:    "avx512",
	OK:      func() bool { return cpu.X86.HasAVX512F && cpu.X86.HasAVX512DQ && avx2.OK() },
	gemmSet: gemmAVX512,
	winoSet: winoAVX512, inPlaceSet: inPlaceAVX512,
	vecSet: vecAVX512,
}

var avx2 = Set{
	Name:    "avx2",
	OK:      func() bool { return cpu.X86.HasAVX2 && cpu.X86.HasFMA },
	gemmSet: gemmAVX2,
	winoSet: winoAVX2, inPlaceSet: inPlaceAVX2,
	vecSet: vecAVX2,
}
