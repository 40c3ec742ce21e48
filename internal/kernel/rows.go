package kernel

// Add sets y += x.
func Add(y, x []float32) {
	equal(len(y), x)
	Blocks(len(y), blockFloats, func(lo, hi int) { best.add(y[lo:hi], y[lo:hi], x[lo:hi]) })
}

// Scale sets x *= a.
func Scale(a float32, x []float32) {
	Blocks(len(x), blockFloats, func(lo, hi int) { best.scale(a, x[lo:hi]) })
}

// Blend moves y by rate towards x, on the calling goroutine.
func Blend(y, x []float32, rate float32) {
	equal(len(y), x)
	best.scale(1-rate, y)
	best.axpy(rate, x, y)
}

// ScaleSerial is Scale on the calling goroutine, for use inside Parallel.
func ScaleSerial(a float32, x []float32) { best.scale(a, x) }

// Axpy sets y += a·x, on the calling goroutine.
func Axpy(a float32, x, y []float32) {
	equal(len(y), x)
	best.axpy(a, x, y)
}

// Dot returns Σ x[i]·y[i], on the calling goroutine.
func Dot(x, y []float32) float32 {
	equal(len(y), x)
	return best.dot(x, y)
}

// AddRow sets y[i,j] = x[i,j] + b[j] for as many rows of len(b) as x holds. y may be x.
func AddRow(y, x, b []float32) {
	equal(len(y), x)
	d := len(b)
	rowBlocks(rowCount(len(x), d), d, blockFloats, func(lo, hi int) {
		for i := lo * d; i < hi*d; i += d {
			best.add(y[i:i+d], x[i:i+d], b)
		}
	})
}

// SumRows sets s[j] = Σ_i x[i,j] for as many rows of len(s) as x holds: sums of fixed blocks of rows, added in order.
func SumRows(s, x []float32) {
	clear(s)
	d := len(s)
	rows := rowCount(len(x), d)
	if rows == 0 {
		return
	}
	sumBlocks(s, rows, d, func(part []float32, lo, hi int) {
		for i := lo * d; i < hi*d; i += d {
			best.add(part, part, x[i:i+d])
		}
	})
}

// sumBlocks adds up over rows of d numbers: f adds rows [lo, hi) to part, which is as long as s and starts at zero; s
// becomes the sum of all parts. Blocks depend on rows and d alone and their parts are added in order.
func sumBlocks(s []float32, rows, d int, f func(part []float32, lo, hi int)) {
	size := rowsIn(d, sumFloats)
	n := (rows + size - 1) / size
	clear(s)
	if n <= 1 {
		f(s, 0, rows)
		return
	}
	scratch := Borrow(n * len(s))
	parts := *scratch
	clear(parts)
	Blocks(rows, size, func(lo, hi int) { f(parts[lo/size*len(s):][:len(s)], lo, hi) })
	for i := range n {
		best.add(s, s, parts[i*len(s):][:len(s)])
	}
	GiveBack(scratch)
}

func addGeneric(y, a, b []float32) {
	for i, v := range a {
		y[i] = v + b[i]
	}
}

func mulGeneric(y, a, b []float32) {
	for i, v := range a {
		y[i] = v * b[i]
	}
}

func axpyGeneric(a float32, x, y []float32) {
	for i, v := range x {
		y[i] += a * v
	}
}

func scaleGeneric(a float32, x []float32) {
	for i := range x {
		x[i] *= a
	}
}

func dotGeneric(x, y []float32) (s float32) {
	for i, v := range x {
		s += v * y[i]
	}
	return s
}

func sumGeneric(x []float32) (s float32) {
	for _, v := range x {
		s += v
	}
	return s
}
