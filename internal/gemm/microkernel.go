package gemm

import "github.com/attnconv/attnconv/internal/kernel"

//go:generate go run -C ../kernel/gen ./gemm -pkg gemm -out ../../gemm/routines_amd64.s -stubs ../../gemm/stubs_amd64.go -table ../../gemm/routines_amd64.go

//go:generate go run -C ../kernel/gen ./neon -pkg gemm -out ../../gemm/routines_arm64.s -stubs ../../gemm/stubs_arm64.go -table ../../gemm/routines_arm64.go

// A microkernel computes n tiles of C, one below the other, each m rows of NR columns, from k steps of A and B:
//
//	C[i,j] = Σ_l A[i,l]·B[l,j], or C[i,j] += it if add,   0 ≤ i < n·m, 0 ≤ j < NR, 0 ≤ l < k
//
// B[l,j] is b[l·ldb + j] and C[i,j] is c[i·ldc + j]. The A of tile t begins at a[t·step]; of the first, A[i,l] is
// a[i·lda + l] for an A by rows, and a[l·lda + i] for one by columns or in strips; in a strip lda is m. m is the
// microkernel's own: tiles has one for each.
//
// Each element is one sum in order of l, in one accumulator that starts at zero; C is added last. All elements that
// this names are read and written, and no others: the caller answers for the lengths, which assembly trusts. n and k
// are at least 1.
type microkernel func(n, k int, a []float32, lda, step int, b []float32, ldb int, c []float32, ldc int, add bool)

// down returns the microkernel that computes tiles of m rows by what computes one.
func down(m int, tile func(k int, a []float32, lda int, b []float32, ldb int, c []float32, ldc int,
	add bool)) microkernel {
	return func(n, k int, a []float32, lda, step int, b []float32, ldb int, c []float32, ldc int, add bool) {
		for t := range n {
			tile(k, a[t*step:], lda, b, ldb, c[t*m*ldc:], ldc, add)
		}
	}
}

// A sweep is a microkernel for a strip of A and many columns, of parts products that share A. The B and the C of a part
// begin stepB and stepC elements after those of the part before.
//
//	C[p][i,j] = Σ_l A[i,l]·B[p][l,j], or C[p][i,j] += it if add,   0 ≤ p < parts, 0 ≤ i < m, 0 ≤ j < n, 0 ≤ l < k
//
// n is a multiple of sweepCols. It is for a short k, where calls would take as long as the arithmetic.
type sweep func(k, parts, n int, a, b []float32, ldb, stepB int, c []float32, ldc, stepC int, add bool)

// sweepCols divides into registers of any set.
const sweepCols = 16

// tiles is the microkernels of a set. The one for m rows is at index m: MR is the most, and C's lower edge has fewer.
// What is nil is plain Go.
type tiles struct {
	MR, NR int
	// Whole tiles, by the layout of A: byRows, byCols or inStrips.
	Whole [3][]microkernel
	// Half tiles have NR/2 columns, for what is left at C's right edge. A layout may have none.
	Half [3][]microkernel
	// Sweeps are for an A in strips, by its rows.
	Sweeps []sweep
}

// fitting returns the microkernels for n columns, no more than NR, and how many they compute.
func (t *tiles) fitting(a layout, n int) (tile []microkernel, nr int) {
	if t.Half[a] != nil && n <= t.NR/2 {
		return t.Half[a], t.NR / 2
	}
	return t.Whole[a], t.NR
}

// A packingA packs a strip, dst[l·m + i] = A[i,l], for any m rows and k columns of A, by rows or by columns.
type packingA func(dst []float32, m, k int, a []float32, lda int, byCols bool)

// A packingB packs a panel, dst[l·nr + j] = B[l,j], for any n ≤ nr columns and k rows of B, with zeros beyond n.
type packingB func(dst []float32, nr, n, k int, b []float32, ldb int, byCols bool)

// routines is what a kernel set has for products. What a set lacks it inherits: the smallest set of a new processor is
// one microkernel in tiles.
type routines struct {
	Tiles tiles
	// Rounded, Pairs and Blocks are forms of factors in bfloat16. A set may lack Pairs, which needs AVX512_BF16, and
	// Blocks, whose sums have another order: a set that has them is in use only where it is named.
	Rounded, Pairs, Blocks bfloat16
	PackA                  packingA
	PackB                  packingB
	Dots                   dots
	Peak                   peak
}

// A peak is the FMA peak loop: the speed that no product can pass.
type peak struct {
	Loop func(n int) // n rounds of multiplying and adding without touching memory
	FLOP int         // of a round
}

// plain defines every routine.
var plain = routines{
	Tiles: complete(tiles{MR: 4, NR: 4}),
	Rounded: bfloat16{Tiles: roundedTiles(4, 4), PackA: roundedA(packAPlain, round),
		PackB: roundedB(packBPlain, round)},
	PackA: packAPlain, PackB: packBPlain,
	Dots: dots{Rows: 1, Of: dotsPlain}, Peak: peak{peakPlain, 2},
}

// best is the routines in use.
var best routines

func init() { kernel.Follow(&best, sets) }

// complete gives t the plain microkernels that it lacks. NR is 4, 8, 16 or 32: plain Go does four columns at a time,
// and callers cut packed matrices at multiples of 32.
func complete(t tiles) tiles {
	if t.NR < 4 || widest%t.NR != 0 {
		panic("gemm: microkernels of a width that is not 4, 8, 16 or 32")
	}
	for layout := range t.Whole {
		whole := make([]microkernel, t.MR+1)
		copy(whole, t.Whole[layout])
		for m := 1; m <= t.MR; m++ {
			if whole[m] == nil {
				whole[m] = plainTile(m, t.NR, layout == int(byRows))
			}
		}
		t.Whole[layout] = whole
	}
	if t.Half[inStrips] == nil {
		t.Half[inStrips] = t.Half[byCols] // a strip is m rows by columns, with an lda of m
	}
	if t.Sweeps == nil {
		t.Sweeps = make([]sweep, t.MR+1)
		for m := 1; m <= t.MR; m++ {
			half := plainTile(m, t.NR/2, false)
			if t.Half[inStrips] != nil {
				half = t.Half[inStrips][m]
			}
			t.Sweeps[m] = sweepOf(m, t.NR, t.Whole[inStrips][m], half)
		}
	}
	return t
}

// sweepOf returns the sweep that defines the others, of whole tiles and half ones of m rows.
func sweepOf(m, nr int, whole, half microkernel) sweep {
	return func(k, parts, n int, a, b []float32, ldb, stepB int, c []float32, ldc, stepC int, add bool) {
		for p := range parts {
			b, c := b[p*stepB:], c[p*stepC:]
			for j := 0; j < n; j += nr {
				tile := whole
				if n-j < nr {
					tile = half
				}
				tile(1, k, a, m, 0, b[j:], ldb, c[j:], ldc, add)
			}
		}
	}
}

// plainTile returns the microkernel that defines the others, for m rows of nr columns: four columns at a time.
func plainTile(m, nr int, byRows bool) microkernel {
	return down(m, func(k int, a []float32, lda int, b []float32, ldb int, c []float32, ldc int, add bool) {
		di, dl := 1, lda
		if byRows {
			di, dl = lda, 1
		}
		for i := range m {
			for j := 0; j < nr; j += 4 {
				four := (*[4]float32)(c[i*ldc+j:])
				plainDots(four, k, a[i*di:], dl, b[j:], ldb, add)
			}
		}
	})
}

// plainDots computes four elements of C from a row of A, whose elements are dl apart.
func plainDots(c *[4]float32, k int, a []float32, dl int, b []float32, ldb int, add bool) {
	var s [4]float32
	for l := range k {
		x, r := a[l*dl], (*[4]float32)(b[l*ldb:])
		s[0] += x * r[0]
		s[1] += x * r[1]
		s[2] += x * r[2]
		s[3] += x * r[3]
	}
	for j, v := range s {
		if add {
			v += c[j]
		}
		c[j] = v
	}
}

func peakPlain(n int) {
	var s, x float32
	for range n {
		s += x * x
	}
	if s != 0 {
		panic("gemm: zero is not zero")
	}
}
