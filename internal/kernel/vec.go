package kernel

import "fmt"

//go:generate go run -C gen ./vec -out ../vec_amd64.s

// vecSet is the part of a Set that works on rows of numbers. All slices of a call have one length unless it is said
// otherwise, and results may stand where arguments of their length stood.
type vecSet struct {
	add   func(y, a, b []float32)              // y = a + b
	mul   func(y, a, b []float32)              // y = a·b, element by element
	axpy  func(a float32, x, y []float32)      // y += a·x
	scale func(a float32, x []float32)         // x *= a
	dot   func(x, y []float32) float32         // Σ x·y
	sum   func(x []float32) float32            // Σ x
	about func(x []float32, m float32) float32 // Σ (x - m)²
	max   func(x []float32) float32            // the largest; -Inf of none

	addSum     func(z, x, y []float32) float32       // z = x + y; Σ z
	maskAddSum func(z, x, y, mask []float32) float32 // z = x + mask·y; Σ z
	normalise  func(out, z, gamma, beta []float32, mean, rstd float32)
	normSums   func(xhat, z, dout, gamma, dgamma, dbeta []float32, mean, rstd float32) (sg, sgx float32)
	normGrad   func(dx, xhat, dout, gamma []float32, rstd, mg, mgx float32)

	relu        func(y, x []float32)     // y = max(x, 0)
	where       func(g, dy, y []float32) // g = dy where y > 0, else 0
	addSquares  func(sum, x, m []float32)
	centred     func(y, x, m, scale, beta []float32)
	centredSums func(sg, sx, g, x, m []float32)
	centredGrad func(dx, g, x, m, scale, slope, level []float32)
	maskedSums  func(sg, sx, dy, x, m, scale, beta []float32)
	maskedGrad  func(dx, dy, x, m, scale, beta, slope, level []float32)

	expSum      func(p, a []float32, m float32) float32 // p = exp(a - m); Σ p
	softmaxGrad func(da, dp, p []float32, s float32)    // da = p·(dp - s)

	gelu     func(y, x, b []float32)
	geluGrad func(dx, dy, x, b []float32)

	dropoutRow func(mask []float32, draw *draw)

	sgd        func(w, v, g []float32, lr, momentum, decay float32)
	adamW      func(w, m, v, g []float32, c *AdamStep)
	sumSquares func(x []float32) float64
	finite     func(x []float32) bool

	subPairs func(z []float32, ldz int, x []float32, ldx, d int, start, key []int32, weight []float32)
	pairDots func(out, z, x []float32, ldx int, key []int32) // len(z) is d; len(out) = len(key)

	// dots is RowDots for dotRows rows of a and four of b.
	dots    func(n, parts int, a, b []float32, ld, step int, c []float32, ldc int, add bool)
	dotRows int
}

var vecGeneric = vecSet{
	add: addGeneric, mul: mulGeneric, axpy: axpyGeneric, scale: scaleGeneric,
	dot: dotGeneric, sum: sumGeneric, about: aboutGeneric, max: maxGeneric,
	addSum: addSumGeneric, maskAddSum: maskAddSumGeneric, normalise: normaliseGeneric,
	normSums: normSumsGeneric, normGrad: normGradGeneric,
	relu: reluGeneric, where: whereGeneric, addSquares: addSquaresGeneric,
	centred: centredGeneric, centredSums: centredSumsGeneric, centredGrad: centredGradGeneric,
	maskedSums: maskedSumsGeneric, maskedGrad: maskedGradGeneric,
	expSum: expSumGeneric, softmaxGrad: softmaxGradGeneric,
	gelu: geluGeneric, geluGrad: geluGradGeneric,
	dropoutRow: dropoutRowGeneric,
	sgd:        sgdGeneric, adamW: adamWGeneric, sumSquares: sumSquaresGeneric, finite: finiteGeneric,
	subPairs: subPairsGeneric, pairDots: pairDotsGeneric,
	dots: dotsGeneric, dotRows: 1,
}

// blockFloats is about how many numbers one task of an elementwise operation takes: enough to hide what starting a task
// costs, few enough to stay in the second-level cache. sumFloats is the same where each task leaves a partial sum.
const (
	blockFloats = 1 << 14
	sumFloats   = 1 << 15
)

// rowBlocks calls f in parallel for blocks of rows of d numbers, of about floats numbers each.
func rowBlocks(rows, d, floats int, f func(lo, hi int)) { Blocks(rows, rowsIn(d, floats), f) }

func rowsIn(d, floats int) int { return max(1, floats/max(d, 1)) }

// rowCount returns how many rows of d numbers n numbers are.
func rowCount(n, d int) int {
	if n == 0 {
		return 0
	}
	if d == 0 || n%d != 0 {
		panic(fmt.Sprintf("kernel: %d numbers do not fill rows of %d", n, d))
	}
	return n / d
}

// equal panics unless every slice has n numbers: an assembly kernel trusts the lengths.
func equal(n int, xs ...[]float32) {
	for _, x := range xs {
		if len(x) != n {
			panic(fmt.Sprintf("kernel: a slice of %d numbers where %d are wanted", len(x), n))
		}
	}
}
