//go:build !purego

package gemm

import (
	"math"
	"testing"

	"github.com/attnconv/attnconv/internal/kernel"
	"github.com/attnconv/attnconv/internal/kernel/kerneltest"
)

// plainBlocks is the microkernel of AMX for so many rows, in plain Go.
func plainBlocks(rows int) microkernel {
	return down(rows, func(k int, a []float32, _ int, b []float32, ldb int, c []float32, ldc int, add bool) {
		for i := range rows {
			for j := range 32 {
				column := make([]float32, k)
				for l := range column {
					column[l] = b[l*ldb+j]
				}
				sum := exactBlocks(steps(a[i*k:][:k]), steps(column))
				if add {
					sum += c[i*ldc+j]
				}
				c[i*ldc+j] = sum
			}
		}
	})
}

// steps takes pairs apart.
func steps(pairs []float32) []float32 {
	var x []float32
	for _, p := range pairs {
		u := math.Float32bits(p)
		x = append(x, math.Float32frombits(u<<16), math.Float32frombits(u&0xffff0000))
	}
	return x
}

// Products by the tiles of AMX have the sum that BF16 defines, with plain Go instead of the instructions: how factors
// are packed for them needs only AVX512_BF16. The instructions themselves are tested where they are, or by
// .ci/amx/run.
func TestBF16ByBlocks(t *testing.T) {
	kerneltest.Use(t, "avx512")
	if !kernel.HasBF16() {
		t.Skip("this CPU has no AVX512_BF16")
	}
	t.Cleanup(func() {
		if err := kernel.Choose(kernel.Name()); err != nil { // all routines anew
			t.Error(err)
		}
	})
	best.Blocks = sets["amx"].Blocks
	best.Blocks.Tiles = []microkernel{nil}
	for rows := 1; rows <= best.Tiles.MR; rows++ {
		best.Blocks.Tiles = append(best.Blocks.Tiles, plainBlocks(rows))
	}
	testBF16(t)
}
