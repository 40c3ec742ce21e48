//go:build !purego

package kernel

var sets = []set{ // fastest first; each inherits from those below it
	{name: "neon", runs: func() bool { return true }}, // Go itself runs on no ARM64 without it
	{name: generic, runs: func() bool { return true }},
}

// HasBF16 reports whether this CPU has AVX512_BF16.
func HasBF16() bool { return false }
