//go:build !purego

package kernel

import "golang.org/x/sys/cpu"

var sets = []Set{avx2, generic} // fastest first

var avx2 = Set{
	Name:    "avx2",
	OK:      func() bool { return cpu.X86.HasAVX2 && cpu.X86.HasFMA },
	gemmSet: gemmAVX2,
	vecSet:  vecAVX2,
}
