package kernel

// SpaceToDepth sets y[b, I, J, (dh·s+dw)·ch + c] = x[b, s·I+dh, s·J+dw, c] for pictures x of rows × cols × ch numbers.
func SpaceToDepth(y, x []float32, rows, cols, ch, s int) {
	eachSquare(len(x), rows, cols, ch, s, func(token, pixel int) { copy(y[token:token+s*ch], x[pixel:]) })
}

// DepthToSpace undoes SpaceToDepth: x from y.
func DepthToSpace(x, y []float32, rows, cols, ch, s int) {
	eachSquare(len(x), rows, cols, ch, s, func(token, pixel int) { copy(x[pixel:pixel+s*ch], y[token:]) })
}

// eachSquare calls f for every row of every square with where its s·ch numbers start in tokens and in pixels.
func eachSquare(n, rows, cols, ch, s int, f func(token, pixel int)) {
	size := rows * cols * ch
	Parallel(n/size, func(b int) {
		for i := range rows {
			for j := 0; j < cols; j += s {
				square := i/s*(cols/s) + j/s
				f(b*size+square*s*s*ch+i%s*s*ch, b*size+(i*cols+j)*ch)
			}
		}
	})
}

// MeanTokens sets y[b] = (1/tokens)·Σ_t x[b,t] for tokens of d numbers.
func MeanTokens(y, x []float32, tokens, d int) {
	Parallel(len(y)/d, func(b int) {
		row := y[b*d : (b+1)*d]
		clear(row)
		for t := range tokens {
			best.add(row, x[(b*tokens+t)*d:][:d])
		}
		best.scale(1/float32(tokens), row)
	})
}

// MeanTokensGrad sets dx[b,t] = dy[b]/tokens.
func MeanTokensGrad(dx, dy []float32, tokens, d int) {
	Parallel(len(dy)/d, func(b int) {
		first := dx[b*tokens*d:][:d]
		copy(first, dy[b*d:])
		best.scale(1/float32(tokens), first)
		for t := 1; t < tokens; t++ {
			copy(dx[(b*tokens+t)*d:][:d], first)
		}
	})
}
