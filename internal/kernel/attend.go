package kernel

// SoftmaxDrop turns rows of cols scores into rows of attention weights, in place and on the calling goroutine: the
// softmax of each, under rows of the mask from row on. The passes over a row follow one another while it is in cache.
func SoftmaxDrop(p []float32, cols int, drop Dropout, row uint32) {
	mask := Borrow(cols)
	defer GiveBack(mask)
	for i := range rowCount(len(p), cols) {
		r := p[i*cols : (i+1)*cols]
		softmaxRow(r)
		if drop.Rate > 0 {
			drop.Row(*mask, row+uint32(i))
			best.mul(r, r, *mask)
		}
	}
}

// SoftmaxDropGrad is the backward of SoftmaxDrop, on the calling goroutine. It takes scores in p, turns them into
// the weights that SoftmaxDrop made of them, and turns the gradient of those, d, into that of the scores:
//
//	p = softmax(scores),  d = p·(mask·d - Σ p·mask·d),  p = mask·p
func SoftmaxDropGrad(d, p []float32, cols int, drop Dropout, row uint32) {
	equal(len(p), d)
	mask := Borrow(cols)
	defer GiveBack(mask)
	for i := range rowCount(len(p), cols) {
		r, dr := p[i*cols:(i+1)*cols], d[i*cols:(i+1)*cols]
		softmaxRow(r)
		if drop.Rate > 0 {
			drop.Row(*mask, row+uint32(i))
			best.mul(dr, dr, *mask)
		}
		best.softmaxGrad(dr, dr, r, best.dot(r, dr))
		if drop.Rate > 0 {
			best.mul(r, r, *mask)
		}
	}
}

func softmaxRow(r []float32) {
	sum := best.expSum(r, r, best.max(r))
	best.scale(1/sum, r)
}

// MaskRows sets y to rows of cols numbers of x under rows of the mask from row on, on the calling goroutine. y may be x.
func MaskRows(y, x []float32, cols int, drop Dropout, row uint32) {
	equal(len(x), y)
	if drop.Rate == 0 {
		copy(y, x)
		return
	}
	mask := Borrow(cols)
	defer GiveBack(mask)
	for i := range rowCount(len(x), cols) {
		drop.Row(*mask, row+uint32(i))
		best.mul(y[i*cols:(i+1)*cols], x[i*cols:(i+1)*cols], *mask)
	}
}
