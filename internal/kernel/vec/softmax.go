package vec

import "math"

// SoftmaxRows sets each row of cols elements to p = exp(a - max a) / Σ exp(a - max a). p may be a. Scores of -Inf get
// zero; a row of nothing else has no softmax and must not come.
func SoftmaxRows(p, a []float32, cols int) {
	equal(len(a), p)
	rowBlocks(rowCount(len(a), cols), cols, blockFloats, func(lo, hi int) {
		for i := lo * cols; i < hi*cols; i += cols {
			row := p[i : i+cols]
			sum := best.ExpSum(row, a[i:i+cols], best.Max(a[i:i+cols]))
			best.Scale(1/sum, row)
		}
	})
}

// SoftmaxRowsGrad is the backward of SoftmaxRows: da = p·(dp - Σ p·dp) in each row of cols elements. da may be dp.
func SoftmaxRowsGrad(da, dp, p []float32, cols int) {
	equal(len(p), da, dp)
	rowBlocks(rowCount(len(p), cols), cols, blockFloats, func(lo, hi int) {
		for i, j := lo*cols, (lo+1)*cols; i < hi*cols; i, j = j, j+cols {
			best.SoftmaxGrad(da[i:j], dp[i:j], p[i:j], best.Dot(p[i:j], dp[i:j]))
		}
	})
}

func maxPlain(x []float32) float32 {
	m := float32(math.Inf(-1))
	for _, v := range x {
		if v > m {
			m = v
		}
	}
	return m
}

// expLowest is where float32 exp is taken for zero: its results below are not normal numbers.
const expLowest = -87.33654

func expSumPlain(p, a []float32, m float32) (s float32) {
	for i, v := range a {
		e := float32(0)
		if x := v - m; !(x < expLowest) { // NaN stays
			e = float32(math.Exp(float64(x)))
		}
		p[i] = e
		s += e
	}
	return s
}

func softmaxGradPlain(da, dp, p []float32, s float32) {
	for i, v := range p {
		da[i] = v * (dp[i] - s)
	}
}
