package convolution

import (
	"github.com/attnconv/attnconv/internal/kernel"
)

//go:generate go run -C ../gen ./wino -pkg convolution -out ../convolution/routines_amd64.s -stubs ../convolution/stubs_amd64.go -table ../convolution/routines_amd64.go

//go:generate go run -C ../gen ./neon -pkg convolution -out ../convolution/routines_arm64.s -stubs ../convolution/stubs_arm64.go -table ../convolution/routines_arm64.go

// Winograd's algorithm F(4 × 4, 3 × 3) (Lavin, Gray 2016) makes 4 × 4 pixels of a 3 × 3 convolution at a time from 6 ×
// 6 pixels d of x with 36 multiplications a pair of channels instead of 144:
//
//	y = Aᵀ·[(G·g·Gᵀ)∘(Bᵀ·d·B)]·A
//
// It evaluates polynomials at the points 0, ±3/4, ±3/2 and infinity, which lose less than the usual 0, ±1, ±2: the
// result is about five times as far from the exact one as the direct form's.
//
// routines is what a kernel set has for the transforms, on squares of n channels each, n a multiple of 16: element (i,
// j) of the square that is made begins at dst[di·i + dj·j], that of the square that is read at src[si·i + sj·j]. tmp
// has winoTmp elements. The plain functions define them. Those in assembly work with fewer operations, as points come
// in pairs of opposite sign, and trust that squares are within their slices.
type routines struct {
	In          transform // 6 × 6 of x -> Bᵀ·d·B
	InGrad      transform // its transpose: 6 × 6 -> B·v·Bᵀ
	Out         transform // 6 × 6 -> 4 × 4 of y, Aᵀ·m·A
	OutGrad     transform // 4 × 4 -> 6 × 6, A·dy·Aᵀ
	Weights     transform // 3 × 3 -> 6 × 6, G·g·Gᵀ
	WeightsGrad transform // 6 × 6 -> 3 × 3, Gᵀ·u·G
}

// best is the routines in use.
var best routines

func init() { kernel.Follow(&best, sets) }

type transform = func(n int, dst []float32, di, dj int, src []float32, si, sj int, tmp []float32)

const (
	winoPoints = 36
	winoLanes  = 16 // channels that are transformed at a time
	winoStep   = 8  // they come in multiples of
	winoTmp    = winoPoints * winoLanes
)

// channels calls t for squares of n channels, n a multiple of winoStep and at least winoLanes. Where winoLanes does not
// divide n, the last of them are transformed together with some that were transformed before, to the same values.
func channels(t transform, n int, dst []float32, di, dj int, src []float32, si, sj int, tmp []float32) {
	whole := n / winoLanes * winoLanes
	t(whole, dst, di, dj, src, si, sj, tmp)
	if last := n - winoLanes; whole < n {
		t(winoLanes, dst[last:], di, dj, src[last:], si, sj, tmp)
	}
}

// plain defines every routine.
var plain = func() routines {
	const a, b = 0.75, 1.5
	const a2, b2 = a * a, b * b
	const nA, nB = 2 * a2 * (a2 - b2), 2 * b2 * (b2 - a2)
	bt := [][]float32{
		{a2 * b2, 0, -a2 - b2, 0, 1, 0},
		{0, -a * b2, -b2, a, 1, 0},
		{0, a * b2, -b2, -a, 1, 0},
		{0, -b * a2, -a2, b, 1, 0},
		{0, b * a2, -a2, -b, 1, 0},
		{0, a2 * b2, 0, -a2 - b2, 0, 1},
	}
	at := [][]float32{
		{1, 1, 1, 1, 1, 0},
		{0, a, -a, b, -b, 0},
		{0, a2, a2, b2, b2, 0},
		{0, a * a2, -a * a2, b * b2, -b * b2, 1},
	}
	g := [][]float32{
		{1 / (a2 * b2), 0, 0},
		{1 / nA, a / nA, a2 / nA},
		{1 / nA, -a / nA, a2 / nA},
		{1 / nB, b / nB, b2 / nB},
		{1 / nB, -b / nB, b2 / nB},
		{0, 0, 1},
	}
	return routines{
		In: square(bt), InGrad: square(transposed(bt)), Out: square(at), OutGrad: square(transposed(at)),
		Weights: square(g), WeightsGrad: square(transposed(g)),
	}
}()

// square returns the transform m·x·mᵀ of squares.
func square(m [][]float32) transform {
	to, from := len(m), len(m[0])
	return func(n int, dst []float32, di, dj int, src []float32, si, sj int, _ []float32) {
		var half [6][6]float32 // m·x
		for c := range n {
			for i := range to {
				for j := range from {
					half[i][j] = 0
					for k, w := range m[i] {
						half[i][j] += w * src[k*si+j*sj+c]
					}
				}
			}
			for i := range to {
				for j := range to {
					var sum float32
					for k, w := range m[j] {
						sum += half[i][k] * w
					}
					dst[i*di+j*dj+c] = sum
				}
			}
		}
	}
}

func transposed(m [][]float32) [][]float32 {
	t := make([][]float32, len(m[0]))
	for j := range t {
		for i := range m {
			t[j] = append(t[j], m[i][j])
		}
	}
	return t
}
