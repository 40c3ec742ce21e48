package kernel

// blockSize is how many numbers one task of a streaming kernel handles: enough to pay for handing it out, few enough
// to keep every core busy.
const blockSize = 1 << 14

// perBlock is blockSize in rows of d numbers.
func perBlock(d int) int { return max(1, blockSize/max(1, d)) }

// Add sets y += x.
func Add(y, x []float32) {
	Blocks(len(y), blockSize, func(lo, hi int) { best.add(y[lo:hi], x[lo:hi]) })
}

// AddRow sets y[i,j] = x[i,j] + b[j] on the calling goroutine. y may be x.
func AddRow(y, x, b []float32) {
	for d := len(b); len(y) > 0; y, x = y[d:], x[d:] {
		best.addRow(y[:d], x[:d], b)
	}
}

// AddRowBlock adds b to every row of c, on the calling goroutine.
func AddRowBlock(c Mat, b []float32) {
	for i := range c.rows {
		row := c.data[i*c.stride:][:c.cols]
		best.addRow(row, row, b)
	}
}

// SumRows sets s[j] = Σ_i x[i,j], block by block in order.
func SumRows(s, x []float32) {
	d := len(s)
	rows := len(x) / d
	size := max(64, perBlock(d))
	parts := lend((rows + size - 1) / size * d)
	defer takeBack(parts)
	Blocks(rows, size, func(lo, hi int) {
		part := (*parts)[lo/size*d:][:d]
		copy(part, x[lo*d:])
		for i := lo + 1; i < hi; i++ {
			best.add(part, x[i*d:(i+1)*d])
		}
	})
	sumParts(s, *parts)
}

// sumParts sets s to the sum of the rows of parts, in order.
func sumParts(s, parts []float32) {
	clear(s)
	for d := len(s); len(parts) >= d && d > 0; parts = parts[d:] {
		best.add(s, parts[:d])
	}
}

// Axpy sets y += a·x on the calling goroutine.
func Axpy(a float32, x, y []float32) { best.axpy(a, x, y) }

// Dot returns Σ x·y on the calling goroutine.
func Dot(x, y []float32) float32 { return best.dot(x, y) }

// Scale sets x *= a.
func Scale(a float32, x []float32) {
	Blocks(len(x), blockSize, func(lo, hi int) { best.scale(a, x[lo:hi]) })
}

func addGeneric(y, x []float32) {
	for i, v := range x[:len(y)] {
		y[i] += v
	}
}

func addRowGeneric(y, x, b []float32) {
	for i, v := range x[:len(y)] {
		y[i] = v + b[i]
	}
}

func axpyGeneric(a float32, x, y []float32) {
	for i, v := range x[:len(y)] {
		y[i] += a * v
	}
}

func scaleGeneric(a float32, x []float32) {
	for i := range x {
		x[i] *= a
	}
}

func dotGeneric(x, y []float32) float32 {
	var s0, s1, s2, s3 float32 // four sums: one would wait for each addition
	i := 0
	for ; i+4 <= len(x); i += 4 {
		a, b := x[i:i+4], y[i:i+4]
		s0 += a[0] * b[0]
		s1 += a[1] * b[1]
		s2 += a[2] * b[2]
		s3 += a[3] * b[3]
	}
	for ; i < len(x); i++ {
		s0 += x[i] * y[i]
	}
	return s0 + s1 + (s2 + s3)
}
