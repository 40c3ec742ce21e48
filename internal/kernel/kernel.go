// Package kernel has the former names of what is in gemm, rows, convolution, threads, scratch and set now, until their
// callers have moved.
package kernel

import (
	"github.com/attnconv/attnconv/internal/gemm"
	"github.com/attnconv/attnconv/internal/kernel/convolution"
	"github.com/attnconv/attnconv/internal/kernel/rows"
	"github.com/attnconv/attnconv/internal/kernel/scratch"
	"github.com/attnconv/attnconv/internal/kernel/set"
	"github.com/attnconv/attnconv/internal/kernel/threads"
)

type (
	Mat       = gemm.Mat
	Dropout   = rows.Dropout
	Pairs     = rows.Pairs
	AdamStep  = rows.AdamStep
	Conv      = convolution.Shape
	ConvAfter = convolution.Epilogue
)

const (
	Variable     = set.Variable
	NormEps      = rows.NormEps
	PhiloxRounds = rows.PhiloxRounds
	PhiloxM0     = rows.PhiloxM0
	PhiloxM1     = rows.PhiloxM1
	PhiloxW0     = rows.PhiloxW0
	PhiloxW1     = rows.PhiloxW1
)

var (
	Choose      = set.Choose
	Name        = set.Name
	Names       = set.Names
	SetThreads  = threads.SetLimit
	Threads     = threads.Limit
	Parallel    = threads.Parallel
	Blocks      = threads.Blocks
	Borrow      = scratch.Get
	GiveBack    = scratch.Put
	Matrix      = gemm.Matrix
	Mul         = gemm.Mul
	RightSize   = gemm.PackedBFloats
	RowDots     = gemm.Dots
	AddRowBlock = gemm.AddRow

	Add              = rows.Add
	Scale            = rows.Scale
	ScaleSerial      = rows.ScaleSerial
	Blend            = rows.Blend
	Axpy             = rows.Axpy
	Dot              = rows.Dot
	AddRow           = rows.AddRow
	SumRows          = rows.SumRows
	GELU             = rows.GELU
	ResidualNorm     = rows.ResidualNorm
	ResidualNormGrad = rows.ResidualNormGrad
	Moments          = rows.Moments
	BatchNorm        = rows.BatchNorm
	BatchNormGrad    = rows.BatchNormGrad
	Rstd             = rows.Rstd
	SoftmaxRows      = rows.SoftmaxRows
	SoftmaxRowsGrad  = rows.SoftmaxRowsGrad
	SoftmaxDrop      = rows.SoftmaxDrop
	SoftmaxDropGrad  = rows.SoftmaxDropGrad
	MaskRows         = rows.MaskRows
	CrossEntropy     = rows.CrossEntropy
	SGD              = rows.SGD
	AdamW            = rows.AdamW
	NewAdamStep      = rows.NewAdamStep
	SumSquares       = rows.SumSquares
	Finite           = rows.Finite
	SubPairs         = rows.SubPairs
	PairDots         = rows.PairDots
	MeanTokens       = rows.MeanTokens
	MeanTokensGrad   = rows.MeanTokensGrad
	SpaceToDepth     = rows.SpaceToDepth
	DepthToSpace     = rows.DepthToSpace
)

func MulAdd(c, a, b Mat)       { gemm.Plan{Add: true}.Mul(c, a, b) }
func MulSerial(c, a, b Mat)    { gemm.Plan{Serial: true}.Mul(c, a, b) }
func MulAddSerial(c, a, b Mat) { gemm.Plan{Serial: true, Add: true}.Mul(c, a, b) }

func MulEach(c, a, b Mat, done func(i, j, rows, cols int)) { gemm.Plan{Epilogue: done}.Mul(c, a, b) }

// GELUGrad is rows.GELUGrad for matrices.
func GELUGrad(dx, x Mat, b []float32) {
	m, _ := dx.Dims()
	for i := range m {
		rows.GELUGrad(dx.Row(i), x.Row(i), 1, 0, b)
	}
}

// A Left is a packed A.
type Left struct {
	a      gemm.Mat
	memory []float32
}

func (l *Left) Pack(a Mat, memory []float32) {
	m, k := a.Dims()
	if memory == nil {
		if cap(l.memory) < m*k {
			l.memory = make([]float32, m*k)
		}
		memory = l.memory[:m*k]
	}
	l.a = gemm.PackA(a, memory)
}

// A Right is a packed B.
type Right struct{ b gemm.Mat }

func (r *Right) Pack(b Mat, memory []float32) { r.b = gemm.PackB(b, memory) }
func (r *Right) Cols(j, n int) Right          { return Right{r.b.Cols(j, n)} }

func MulPacked(c Mat, a *Left, b *Right, add bool) { gemm.Plan{Add: add}.Mul(c, a.a, b.b) }
func MulLeft(c Mat, a *Left, b Mat, add bool)      { gemm.Plan{Add: add, InPlaceB: true}.Mul(c, a.a, b) }

func MulLefts(c []float32, a *Left, b []float32, n, ld, parts, step int) {
	m, k := a.a.Dims()
	for p := range parts {
		gemm.Plan{InPlaceB: true}.Mul(gemm.Strided(c[p*step:], m, n, ld), a.a, gemm.Strided(b[p*step:], k, n, ld))
	}
}
