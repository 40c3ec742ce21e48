package vec

import (
	"github.com/attnconv/attnconv/internal/kernel/pool"
)

// SoftmaxDrop makes rows of cols scores into rows of attention weights, in place and on the calling goroutine: the
// softmax of each, under rows of the mask from row on. The passes over a row follow one another while it is in cache.
func SoftmaxDrop(p []float32, cols int, drop Dropout, row uint32) {
	mask := pool.Get(cols)
	defer pool.Put(mask)
	for i := range rowCount(len(p), cols) {
		r := p[i*cols : (i+1)*cols]
		softmaxRow(r)
		if drop.Rate > 0 {
			drop.Row(*mask, row+uint32(i))
			best.Mul(r, r, *mask)
		}
	}
}

// SoftmaxDropGrad is the backward of SoftmaxDrop, on the calling goroutine. On entry p is the scores and d the gradient
// of the weights that SoftmaxDrop made of them; on return p is those weights and d the gradient of the scores:
//
//	p = softmax(scores),  d = p·(mask·d - Σ p·mask·d),  p = mask·p
func SoftmaxDropGrad(d, p []float32, cols int, drop Dropout, row uint32) {
	equal(len(p), d)
	mask := pool.Get(cols)
	defer pool.Put(mask)
	for i := range rowCount(len(p), cols) {
		r, dr := p[i*cols:(i+1)*cols], d[i*cols:(i+1)*cols]
		softmaxRow(r)
		if drop.Rate > 0 {
			drop.Row(*mask, row+uint32(i))
			best.Mul(dr, dr, *mask)
		}
		best.SoftmaxGrad(dr, dr, r, best.Dot(r, dr))
		if drop.Rate > 0 {
			best.Mul(r, r, *mask)
		}
	}
}

func softmaxRow(r []float32) {
	sum := best.ExpSum(r, r, best.Max(r))
	best.Scale(1/sum, r)
}

// MaskRows sets y to rows of cols elements of x under rows of the mask from row on, on the calling goroutine. y may be
// x.
func MaskRows(y, x []float32, cols int, drop Dropout, row uint32) {
	equal(len(x), y)
	if drop.Rate == 0 {
		copy(y, x)
		return
	}
	mask := pool.Get(cols)
	defer pool.Put(mask)
	for i := range rowCount(len(x), cols) {
		drop.Row(*mask, row+uint32(i))
		best.Mul(y[i*cols:(i+1)*cols], x[i*cols:(i+1)*cols], *mask)
	}
}
