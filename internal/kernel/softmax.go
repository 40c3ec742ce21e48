package kernel

import (
	"math"
	"slices"
)

// SoftmaxRows sets p = exp(a) / Σ exp(a) for every row of cols numbers. p may be a.
func SoftmaxRows(p, a []float32, cols int) {
	Blocks(len(a)/cols, perBlock(cols), func(lo, hi int) {
		for i := lo * cols; i < hi*cols; i += cols {
			row := p[i : i+cols]
			sum := best.exp(row, a[i:i+cols], slices.Max(a[i:i+cols]))
			best.scale(1/sum, row)
		}
	})
}

// SoftmaxRowsGrad sets da = p·(dp - Σ p·dp) for every row of cols numbers. da may be dp.
func SoftmaxRowsGrad(da, dp, p []float32, cols int) {
	Blocks(len(p)/cols, perBlock(cols), func(lo, hi int) {
		for i := lo * cols; i < hi*cols; i += cols {
			dot := best.dot(p[i:i+cols], dp[i:i+cols])
			for j := i; j < i+cols; j++ {
				da[j] = p[j] * (dp[j] - dot)
			}
		}
	})
}

func expGeneric(y, x []float32, shift float32) float32 {
	var sum float32
	for i, v := range x {
		y[i] = float32(math.Exp(float64(v - shift)))
		sum += y[i]
	}
	return sum
}
