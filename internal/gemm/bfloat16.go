package gemm

import (
	"math"
	"sync"
	"time"

	"github.com/attnconv/attnconv/internal/kernel"
)

// BF16 returns the same matrix as a factor in bfloat16: its elements are rounded, ties to even, where it is packed. The
// product of two such factors is a sum in float32, in each block of KCBF16 or fewer steps element by element
//
//	c = Σ_l a[l]·b[l],   l = 1, 0, 3, 2, 5, 4, …
//
// and then of blocks, in order, with one rounding for each addition; subnormal factors and the sums of a block count as
// zeros. So VDPBF16PS defines it, and every processor and kernel set has the same bits, except for sums between
// 2⁻¹²⁶·(1 - 2⁻²⁵) and 2⁻¹²⁶, which ARM64 flushes before it rounds them. The kernel set amx, which is in use only where
// it is named, has the sum that TDPBF16PS defines: of each 32 steps of a block those that are even and those that are
// odd are summed apart, from c = 0 on,
//
//	c ← c + (Σ_l a[32·i+2·l]·b[32·i+2·l] + Σ_l a[32·i+2·l+1]·b[32·i+2·l+1]),   0 ≤ l < 16,  i = 0, 1, …
//
// Factors in bfloat16 are always packed, never read in place; a factor that the caller packed is one block. Of a matrix
// that is packed, BF16 says that it was packed as such a factor.
func (m Mat) BF16() Mat {
	m.bf16 = true
	return m
}

// A bfloat16 is a form that packed factors in bfloat16 have.
type bfloat16 struct {
	// Tiles and Half hold the microkernels for A in strips and B in panels, by the rows of C, of NR and of NR/2
	// columns. A form may have no Half.
	Tiles, Half []microkernel
	// PackA and PackB are those of routines, except for what they write: what Tiles take, in no more memory.
	PackA packingA
	PackB packingB
	// Peak is the loop of its instruction without memory, if that is not the one of float32.
	Peak peak
}

// depth returns how many packed rows k steps take.
func (m *Mat) depth(k int) int {
	if m.bf16 && form() != &best.Rounded {
		return (k + 1) / 2
	}
	return k
}

// form returns the form that packed factors in bfloat16 have in this process.
func form() *bfloat16 {
	switch {
	case best.Blocks.Tiles != nil:
		return &best.Blocks
	case best.Pairs.Tiles != nil && pairsAreFaster():
		return &best.Pairs
	}
	return &best.Rounded
}

// FasterInBF16 reports whether products in bfloat16 take less time than in float32 on this processor: it has VDPBF16PS,
// and the loop of that instruction is the faster one, which some microseconds show at the first call; or the kernel set
// amx is in use, and its loop is.
func FasterInBF16() bool {
	f := form()
	return f != &best.Rounded && (f == &best.Pairs || speed(f.Peak) > speed(best.Peak))
}

// pairsAreFaster compares the two loops. Two steps are then one packed row of pairs, for VDPBF16PS; else each step is a
// row of float32 with the value of a bfloat16. The bits are the same.
var pairsAreFaster = sync.OnceValue(func() bool {
	return kernel.HasBF16() && speed(best.Pairs.Peak) > speed(best.Peak)
})

// speed is the best of some short runs of a loop, in operations a nanosecond.
func speed(p peak) float64 {
	const rounds, tries = 400, 7
	least := time.Duration(math.MaxInt64)
	for range tries {
		start := time.Now()
		p.Loop(rounds)
		least = min(least, max(1, time.Since(start)))
	}
	return float64(rounds) * float64(p.FLOP) / float64(least)
}

// roundedA and roundedB are packings whose elements round rounds where they are.
func roundedA(pack packingA, round func(x []float32)) packingA {
	return func(dst []float32, m, k int, a []float32, lda int, byCols bool) {
		pack(dst, m, k, a, lda, byCols)
		round(dst[:m*k])
	}
}

func roundedB(pack packingB, round func(x []float32)) packingB {
	return func(dst []float32, nr, n, k int, b []float32, ldb int, byCols bool) {
		pack(dst, nr, n, k, b, ldb, byCols)
		round(dst[:nr*k])
	}
}

// rounded returns the bfloat16 nearest to x, ties to even. NaN stays NaN.
func rounded(x float32) float32 {
	u := math.Float32bits(x)
	if x != x {
		u |= 1 << 22
	} else {
		u += 0x7fff + u>>16&1
	}
	return math.Float32frombits(u &^ 0xffff)
}

// round rounds elements where they are.
func round(x []float32) {
	for i, v := range x {
		x[i] = rounded(v)
	}
}

// roundedTiles returns the microkernels that define the others.
func roundedTiles(mr, nr int) []microkernel {
	tiles := make([]microkernel, mr+1)
	for m := 1; m <= mr; m++ {
		tiles[m] = down(m, func(k int, a []float32, _ int, b []float32, ldb int, c []float32, ldc int, add bool) {
			for i := range m {
				for j := range nr {
					s := roundedDot(k, a[i:], m, b[j:], ldb)
					if add {
						s += c[i*ldc+j]
					}
					c[i*ldc+j] = s
				}
			}
		})
	}
	return tiles
}

// roundedDot is Σ_l a[l·lda]·b[l·ldb] in the order of BF16. A last pair that is not whole is completed by zeros.
func roundedDot(k int, a []float32, lda int, b []float32, ldb int) (s float32) {
	for l := 0; l < k; l += 2 {
		if l+1 < k {
			s = fused(s, a[(l+1)*lda], b[(l+1)*ldb])
		} else {
			s = fused(s, 0, 0)
		}
		s = fused(s, a[l*lda], b[l*ldb])
	}
	return s
}

// fused is s + a·b, rounded once. A product of two bfloat16 has 16 bits, so that the sum in float64 loses nothing on
// which its rounding to float32 depends.
func fused(s, a, b float32) float32 {
	sum := float64(s) + float64(flushed(a))*float64(flushed(b))
	if -tiny < sum && sum < tiny {
		return float32(math.Copysign(0, sum))
	}
	return float32(sum)
}

// tiny is the least sum that is rounded up to the smallest normal number, were exponents unbounded: x86 flushes what is
// subnormal after such a rounding.
const tiny = 0x1p-126 * (1 - 0x1p-25)

// flushed is x, or the zero of its sign if x is subnormal.
func flushed(x float32) float32 {
	const smallestNormal = 0x1p-126
	if x < smallestNormal && x > -smallestNormal {
		return math.Float32frombits(math.Float32bits(x) & (1 << 31))
	}
	return x
}
