//go:build !purego

package kernel

var vecAVX2 = vecSet{
	add: addAVX2, mul: mulAVX2, axpy: axpyAVX2, scale: scaleAVX2,
	dot: dotAVX2, sum: sumAVX2, about: aboutAVX2, max: maxAVX2,
	addSum: addSumAVX2, maskAddSum: maskAddSumAVX2, normalise: normaliseAVX2,
	normSums: normSumsAVX2, normGrad: normGradAVX2,
	relu: reluAVX2, where: whereAVX2, addSquares: addSquaresAVX2,
	centred: centredAVX2, centredSums: centredSumsAVX2, centredGrad: centredGradAVX2,
	maskedSums: maskedSumsAVX2, maskedGrad: maskedGradAVX2,
	expSum: expSumAVX2, softmaxGrad: softmaxGradAVX2,
	gelu: geluAVX2, geluGrad: geluGradAVX2,
	dropoutRow: dropoutRowAVX2,
	sgd:        sgdAVX2, adamW: adamWAVX2, sumSquares: sumSquaresAVX2, finite: finiteAVX2,
	subPairs: subPairsAVX2, pairDots: pairDotsAVX2,
	dots: dots2AVX2, dotRows: 2,
}

// vecAVX512 is vecAVX2, for rows are bound by memory and wider registers would not help, but where the same rows are
// multiplied again and again.
var vecAVX512 = func() vecSet {
	s := vecAVX2
	s.dots, s.dotRows = dots4AVX512, 4
	return s
}()

// The kernels below do what those named Generic for AVX2 do, and trust the lengths of their slices. Sums run in eight
// lanes, so they round differently.

//go:noescape
func addAVX2(y, a, b []float32)

//go:noescape
func mulAVX2(y, a, b []float32)

//go:noescape
func axpyAVX2(a float32, x, y []float32)

//go:noescape
func scaleAVX2(a float32, x []float32)

//go:noescape
func dotAVX2(x, y []float32) float32

//go:noescape
func sumAVX2(x []float32) float32

//go:noescape
func aboutAVX2(x []float32, m float32) float32

//go:noescape
func maxAVX2(x []float32) float32

//go:noescape
func addSumAVX2(z, x, y []float32) float32

//go:noescape
func maskAddSumAVX2(z, x, y, mask []float32) float32

//go:noescape
func normaliseAVX2(out, z, gamma, beta []float32, mean, rstd float32)

//go:noescape
func normSumsAVX2(xhat, z, dout, gamma, dgamma, dbeta []float32, mean, rstd float32) (sg, sgx float32)

//go:noescape
func normGradAVX2(dx, xhat, dout, gamma []float32, rstd, mg, mgx float32)

// expSumAVX2 takes exp by a polynomial, within 1e-7 of math.Exp relatively.
//
//go:noescape
func expSumAVX2(p, a []float32, m float32) float32

//go:noescape
func softmaxGradAVX2(da, dp, p []float32, s float32)

// geluAVX2 takes Φ by exp and a polynomial, within 1e-7 of ½(1 + math.Erf).
//
//go:noescape
func geluAVX2(y, x, b []float32)

//go:noescape
func geluGradAVX2(dx, dy, x, b []float32)

// dropoutRowAVX2 draws eight counters, 32 numbers, at a time: the same numbers as dropoutRowGeneric.
//
//go:noescape
func dropoutRowAVX2(mask []float32, w *draw)

//go:noescape
func sgdAVX2(w, v, g []float32, lr, momentum, decay float32)

//go:noescape
func adamWAVX2(w, m, v, g []float32, c *AdamStep)

//go:noescape
func sumSquaresAVX2(x []float32) float64

//go:noescape
func finiteAVX2(x []float32) bool

// subPairsAVX2 holds up to 64 columns of a row of z in registers while its pairs are subtracted.
//
//go:noescape
func subPairsAVX2(z []float32, ldz int, x []float32, ldx, d int, start, key []int32, weight []float32)

// pairDotsAVX2 takes four keys at a time; len(z) is d, len(out) is len(key).
//
//go:noescape
func pairDotsAVX2(out, z, x []float32, ldx int, key []int32)

//go:noescape
func dots2AVX2(n, parts int, a, b []float32, ld, step int, c []float32, ldc int, add bool)

//go:noescape
func dots4AVX512(n, parts int, a, b []float32, ld, step int, c []float32, ldc int, add bool)

//go:noescape
func reluAVX2(y, x []float32)

//go:noescape
func whereAVX2(g, dy, y []float32)

//go:noescape
func addSquaresAVX2(sum, x, m []float32)

//go:noescape
func centredAVX2(y, x, m, scale, beta []float32)

//go:noescape
func centredSumsAVX2(sg, sx, g, x, m []float32)

//go:noescape
func centredGradAVX2(dx, g, x, m, scale, slope, level []float32)

//go:noescape
func maskedSumsAVX2(sg, sx, dy, x, m, scale, beta []float32)

//go:noescape
func maskedGradAVX2(dx, dy, x, m, scale, beta, slope, level []float32)
