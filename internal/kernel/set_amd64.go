//go:build !purego

package kernel

import "golang.org/x/sys/cpu"

var sets = []set{ // fastest first; each inherits from those below it
	{"avx512", func() bool { return cpu.X86.HasAVX512F && cpu.X86.HasAVX512DQ && hasAVX2() }},
	{"avx2", hasAVX2},
	{generic, func() bool { return true }},
}

// HasBF16 reports whether this CPU has AVX512_BF16.
func HasBF16() bool { return cpu.X86.HasAVX512BF16 }

func hasAVX2() bool { return cpu.X86.HasAVX2 && cpu.X86.HasFMA }
