package vec

import (
	"fmt"

	"github.com/attnconv/attnconv/internal/kernel"
	"github.com/attnconv/attnconv/internal/kernel/threads"
)

//go:generate go run -C ../gen ./vec -pkg vec -out ../vec/routines_amd64.s -stubs ../vec/stubs_amd64.go -table ../vec/routines_amd64.go

//go:generate go run -C ../gen ./neon -pkg vec -out ../vec/routines_arm64.s -stubs ../vec/stubs_arm64.go -table ../vec/routines_arm64.go

// routines is what a kernel set has for one row, or one slice. All slices of a call have one length unless it is said
// otherwise, results may take the place of arguments of their length, and Σ is over all elements. The plain functions
// below define them. Those in assembly trust the lengths, and sum in eight lanes, so they round differently.
type routines struct {
	Add        func(y, a, b []float32)              // y = a + b
	Mul        func(y, a, b []float32)              // y = a·b, element by element
	Axpy       func(a float32, x, y []float32)      // y += a·x
	Scale      func(a float32, x []float32)         // x *= a
	Dot        func(x, y []float32) float32         // Σ x·y
	Sum        func(x []float32) float32            // Σ x
	Deviations func(x []float32, m float32) float32 // Σ (x - m)²: squared deviations from m
	Max        func(x []float32) float32            // the largest; -Inf of none
	SumSquares func(x []float32) float64            // Σ x², in float64
	Finite     func(x []float32) bool               // neither NaN nor infinite, all of them

	// Layer norm, with x̂ = (z - mean)·rstd and g = γ·dout.
	AddSum     func(z, x, y []float32) float32                         // z = x + y; Σ z
	MaskAddSum func(z, x, y, mask []float32) float32                   // z = x + mask·y; Σ z
	Normalize  func(out, z, gamma, beta []float32, mean, rstd float32) // out = γ·x̂ + β
	// NormGrad sets dx = rstd·(g - mg - x̂·mgx), with mg and mgx the means of g and g·x̂ over the row.
	NormGrad func(dx, xhat, dout, gamma []float32, rstd, mg, mgx float32)

	// NormSums sets xhat = x̂, adds the row's part to dγ += dout·x̂ and dβ += dout, and returns Σ g and Σ g·x̂.
	NormSums func(xhat, z, dout, gamma, dgamma, dbeta []float32, mean, rstd float32) (sg, sgx float32)

	ReLU     func(y, x []float32)     // y = max(x, 0)
	ReLUGrad func(g, dy, y []float32) // g = dy where y > 0, else 0

	// Batch norm: rows run over channels, each with a mean m of its own. Masked: with g = dy where (x - m)·scale + beta
	// is positive, else 0, for a ReLU behind it.
	AddDeviations func(sum, x, m []float32)                               // sum += (x - m)²
	Centered      func(y, x, m, scale, beta []float32)                    // y = (x - m)·scale + beta
	CenteredSums  func(sg, sx, g, x, m []float32)                         // sg += g, sx += g·(x - m)
	MaskedSums    func(sg, sx, dy, x, m, scale, beta []float32)           // likewise, of the masked g
	CenteredGrad  func(dx, g, x, m, scale, slope, level []float32)        // dx = scale·g + slope·(x - m) + level
	MaskedGrad    func(dx, dy, x, m, scale, beta, slope, level []float32) // likewise, of the masked g

	// Max pooling: at says which of several rows, by number, y is of.
	TakeMax func(y, at, x []float32, k float32) // y = x, at = k where x > y or x is a NaN
	Where   func(y, x, at []float32, k float32) // y = x where at = k, else 0

	// Of a matrix with an element of row for each of its rows, and one of col for each column.
	AddOuter func(y, row, col []float32) // y[i,j] += row[i] + col[j]
	SumOuter func(row, col, x []float32) // row[i] = Σ_j x[i,j], col[j] += Σ_i x[i,j]

	ExpSum      func(p, a []float32, m float32) float32 // p = exp(a - m), a ≤ m; Σ p
	SoftmaxGrad func(da, dp, p []float32, s float32)    // da = p·(dp - s)

	GELU     func(y, x, b []float32)         // y = u·Φ(u), u = x + b
	GELUGrad func(dx, dy, x, b []float32)    // dx = dy·(Φ(u) + u·φ(u))
	GELUBoth func(y, dx, dy, x, b []float32) // GELU and GELUGrad: they share Φ(u)

	// DropoutRow sets mask to a row of the mask: 0 where Philox draws less than below, else scale. See Dropout.Kept.
	DropoutRow func(mask []float32, key0, key1, step0, step1, row, below uint32, scale float32)

	SGD func(w, v, g []float32, lr, momentum, decay float32) // one step, as SGD says
	// AdamW is one step, as AdamW says; the factors are those of an AdamStep.
	AdamW func(w, m, v, g []float32, keep, b1, n1, b2, n2, rate, root, eps float32)

	// SubPairs and PairDots are what SubPairs and PairDots say; d is the length of a row.
	SubPairs func(z []float32, ldz int, x []float32, ldx, d int, start, key []int32, weight []float32)
	PairDots func(out, z, x []float32, ldx int, key []int32) // d = len(z), len(out) = len(key)
}

// plain defines every routine.
var plain = routines{
	Add: addPlain, Mul: mulPlain, Axpy: axpyPlain, Scale: scalePlain,
	Dot: dotPlain, Sum: sumPlain, Deviations: deviationsPlain, Max: maxPlain, SumSquares: sumSquaresPlain,
	Finite: finitePlain,
	AddSum: addSumPlain, MaskAddSum: maskAddSumPlain,
	Normalize: normalizePlain, NormSums: normSumsPlain, NormGrad: normGradPlain,
	ReLU: reluPlain, ReLUGrad: reluGradPlain, AddDeviations: addDeviationsPlain,
	Centered: centeredPlain, CenteredSums: centeredSumsPlain, CenteredGrad: centeredGradPlain,
	MaskedSums: maskedSumsPlain, MaskedGrad: maskedGradPlain,
	TakeMax: takeMaxPlain, Where: wherePlain, AddOuter: addOuterPlain, SumOuter: sumOuterPlain,
	ExpSum: expSumPlain, SoftmaxGrad: softmaxGradPlain, GELU: geluPlain, GELUGrad: geluGradPlain,
	GELUBoth:   geluBothPlain,
	DropoutRow: dropoutRowPlain, SGD: sgdPlain, AdamW: adamWPlain, SubPairs: subPairsPlain, PairDots: pairDotsPlain,
}

// best is the routines in use.
var best routines

func init() { kernel.Follow(&best, sets) }

// blockFloats is about how many elements one task of an elementwise operation takes: enough to hide what starting a
// task costs, few enough to stay in the second-level cache. sumFloats is the same where each task leaves a partial sum.
const (
	blockFloats = 1 << 14
	sumFloats   = 1 << 15
)

// rowBlocks calls f in parallel for every block of rows of d elements, of about floats elements each.
func rowBlocks(rows, d, floats int, f func(lo, hi int)) { threads.Blocks(rows, rowsIn(d, floats), f) }

func rowsIn(d, floats int) int { return max(1, floats/max(d, 1)) }

// rowCount returns how many rows of d elements n elements are.
func rowCount(n, d int) int {
	if n == 0 {
		return 0
	}
	if d == 0 || n%d != 0 {
		panic(fmt.Sprintf("vec: %d elements do not fill rows of %d", n, d))
	}
	return n / d
}

// equal panics unless every slice has n elements: a routine in assembly trusts the lengths.
func equal(n int, xs ...[]float32) {
	for _, x := range xs {
		if len(x) != n {
			panic(fmt.Sprintf("vec: a slice of %d elements where %d are wanted", len(x), n))
		}
	}
}
