//go:build !purego

package kernel

import "golang.org/x/sys/cpu"

var sets = []set{ // fastest first; each inherits from those below it
	{name: "amx", runs: func() bool { return hasAVX512() && cpu.X86.HasAMXTile && cpu.X86.HasAMXBF16 && grantsTiles() },
		named: true},
	{name: "avx512", runs: hasAVX512},
	{name: "avx2", runs: hasAVX2},
	{name: generic, runs: func() bool { return true }},
}

func hasAVX512() bool { return cpu.X86.HasAVX512F && cpu.X86.HasAVX512DQ && hasAVX2() }

// HasBF16 reports whether this CPU has AVX512_BF16.
func HasBF16() bool { return cpu.X86.HasAVX512BF16 }

func hasAVX2() bool { return cpu.X86.HasAVX2 && cpu.X86.HasFMA }
