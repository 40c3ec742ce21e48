package vec

import (
	"github.com/attnconv/attnconv/internal/kernel/threads"
)

// MeanTokens sets y[b] = 1/tokens·Σ_t x[b,t].  x (batch, tokens, d) -> y (batch, d)
func MeanTokens(y, x []float32, tokens, d int) {
	batch := rowCount(len(y), d)
	equal(batch*tokens*d, x)
	threads.Parallel(batch, func(b int) {
		mean, tx := y[b*d:(b+1)*d], x[b*tokens*d:(b+1)*tokens*d]
		clear(mean)
		for t := range tokens {
			best.Add(mean, mean, tx[t*d:(t+1)*d])
		}
		best.Scale(1/float32(tokens), mean)
	})
}

// MeanTokensGrad is the backward of MeanTokens: dx[b,t] = dy[b]/tokens.
func MeanTokensGrad(dx, dy []float32, tokens, d int) {
	batch := rowCount(len(dy), d)
	equal(batch*tokens*d, dx)
	threads.Parallel(batch, func(b int) {
		if tokens == 0 {
			return
		}
		all := dx[b*tokens*d : (b+1)*tokens*d]
		first := all[:d]
		copy(first, dy[b*d:(b+1)*d])
		best.Scale(1/float32(tokens), first)
		for t := 1; t < tokens; t++ {
			copy(all[t*d:], first)
		}
	})
}

// SpaceToDepth turns each s × s square of pixels into one pixel of s²·ch channels, without loss:
//
//	y[b, I, J, (dh·s+dw)·ch + c] = x[b, s·I+dh, s·J+dw, c],  0 ≤ dh, dw < s
//
// x (batch, rows, cols, ch) -> y (batch, rows/s, cols/s, s²·ch); s divides rows and cols.
func SpaceToDepth(y, x []float32, rows, cols, ch, s int) {
	eachRun(len(x), len(y), rows, cols, ch, s, func(square, pixels, n int) {
		copy(y[square:square+n], x[pixels:pixels+n])
	})
}

// DepthToSpace is the inverse of SpaceToDepth, and its backward: rows and cols are those of y.
func DepthToSpace(y, x []float32, rows, cols, ch, s int) {
	eachRun(len(y), len(x), rows, cols, ch, s, func(square, pixels, n int) {
		copy(y[pixels:pixels+n], x[square:square+n])
	})
}

// eachRun calls f for every run of n = s·ch elements that are neighbors both in the pixels, of which there are size
// elements, and in the squares. Images run in parallel.
func eachRun(size, squares, rows, cols, ch, s int, f func(square, pixels, n int)) {
	if rows%s != 0 || cols%s != 0 || size != squares {
		panic("vec: images that squares of pixels do not fill")
	}
	image, n := rows*cols*ch, s*ch
	threads.Parallel(rowCount(size, image), func(b int) {
		for row := range rows {
			for J := range cols / s {
				square := ((row/s*(cols/s)+J)*s + row%s) * n
				f(b*image+square, b*image+(row*cols+J*s)*ch, n)
			}
		}
	})
}
