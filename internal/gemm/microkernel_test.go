package gemm

import (
	"fmt"
	"testing"

	"github.com/attnconv/attnconv/internal/kernel/kerneltest"
)

// Every microkernel makes of three tiles in one call what it makes of them in three. Products call few of them so.
func TestMicrokernelsGoDown(t *testing.T) {
	eachForm(t, func(t *testing.T) {
		for layout := range best.Tiles.Whole {
			testDown(t, fmt.Sprint("layout ", layout), layout, best.Tiles.Whole[layout], best.Tiles.NR)
			testDown(t, fmt.Sprint("half, layout ", layout), layout, best.Tiles.Half[layout], best.Tiles.NR/2)
		}
		testDown(t, "bfloat16", int(inStrips), form().Tiles, best.Tiles.NR)
		testDown(t, "half, bfloat16", int(inStrips), form().Half, best.Tiles.NR/2)
	})
}

func testDown(t *testing.T, name string, layout int, tiles []microkernel, nr int) {
	t.Helper()
	const n, k, gap = 3, 5, 7
	for m := 1; m < len(tiles); m++ {
		for _, add := range []bool{false, true} {
			lda, step := m, m*k
			switch layout {
			case int(byRows):
				lda, step = k+gap, m*(k+gap)
			case int(byCols):
				lda, step = n*m+gap, m
			}
			ldc := nr + gap
			a, b := kerneltest.Sample(n*step+k*lda+m, 1), kerneltest.Sample(k*nr, 2)
			got, want := kerneltest.NewFence(n*m*ldc, 3), kerneltest.NewFence(n*m*ldc, 3)
			tiles[m](n, k, a, lda, step, b, nr, got.In, ldc, add)
			for i := range n {
				tiles[m](1, k, a[i*step:], lda, 0, b, nr, want.In[i*m*ldc:], ldc, add)
			}
			sameBits(t, fmt.Sprintf("%s, %d rows, add %t", name, m, add), got.In, want.In)
			if got.Broken() {
				t.Fatalf("%s, %d rows: wrote outside of C", name, m)
			}
		}
	}
}
