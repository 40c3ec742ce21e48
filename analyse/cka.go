package analyse

import (
	"math"

	"gonum.org/v1/gonum/mat"
)

// A CKA accumulates linear centered kernel alignment between layers, of one model or of two, over batches of images:
//
//	CKA = Σ HSIC₁(K, L) / √(Σ HSIC₁(K, K)·Σ HSIC₁(L, L))
//
// sums over batches, with K = XXᵀ of a batch's features X, and the estimate of HSIC without bias, which does not depend
// on how many images a batch has,
//
//	HSIC₁(K, L) = (tr K̃L̃ + 1ᵀK̃1·1ᵀL̃1/((n-1)(n-2)) - 2/(n-2)·1ᵀK̃L̃1) / (n(n-3))
//
// where K̃ is K with a diagonal of zeros.
//
// Source: Kornblith et al. 2019; Song et al. 2012 (HSIC₁); Nguyen, Raghu, Kornblith 2021 (batches).
type CKA struct {
	rows, cols int
	both       []float64 // Σ HSIC₁, (rows, cols)
	own        [2][]float64
	batches    int
}

// NewCKA returns an empty sum for so many layers on each side.
func NewCKA(rows, cols int) (*CKA, error) {
	if rows < 1 || cols < 1 || rows > maxHeads || cols > maxHeads {
		return nil, wrong("layers", "%d and %d: want 1 to %d", rows, cols, maxHeads)
	}
	return &CKA{rows: rows, cols: cols, both: make([]float64, rows*cols),
		own: [2][]float64{make([]float64, rows), make([]float64, cols)}}, nil
}

// Add adds a batch of four images or more: for each layer, features (images, any number). The images of both sides are
// the same. To compare the layers of one model, x and y are the same slice.
func (c *CKA) Add(images int, x, y [][]float32) error {
	if images < 4 || images > maxTokens {
		return wrong("images", "%d in a batch: want 4 to %d", images, maxTokens)
	}
	if len(x) != c.rows || len(y) != c.cols {
		return wrong("layers", "%d and %d, want %d and %d", len(x), len(y), c.rows, c.cols)
	}
	var sides [2][]gram
	for side, layers := range [][][]float32{x, y} {
		for i, features := range layers {
			if n := len(features); n < images || n%images != 0 {
				return wrong("features", "layer %d: %d elements for %d images", i+1, n, images)
			}
			for j, v := range features {
				if v-v != 0 {
					return wrong("features", "layer %d: element %d is %v", i+1, j, v)
				}
			}
			sides[side] = append(sides[side], newGram(images, features))
		}
	}
	for side, grams := range sides {
		for i, k := range grams {
			c.own[side][i] += hsic(k, k)
		}
	}
	for i, k := range sides[0] {
		for j, l := range sides[1] {
			c.both[i*c.cols+j] += hsic(k, l)
		}
	}
	c.batches++
	return nil
}

// Of returns the similarity of two layers: 1 for features that are the same but for a rotation, a scale and an offset.
// The estimate may fall below 0 by chance. It is NaN without a batch, or if a layer has equal features for all images.
func (c *CKA) Of(row, col int) float64 {
	product := c.own[0][row] * c.own[1][col]
	if c.own[0][row] <= 0 || c.own[1][col] <= 0 {
		return math.NaN()
	}
	return c.both[row*c.cols+col] / math.Sqrt(product)
}

// A gram is K̃ of a batch, with its sums.
type gram struct {
	images int
	k      []float64 // (images, images), without the diagonal
	rows   []float64
	sum    float64
}

func newGram(images int, features []float32) (g gram) {
	x := make([]float64, len(features))
	for i, v := range features {
		x[i] = float64(v)
	}
	center(x, images)
	var k mat.SymDense
	k.SymOuterK(1, mat.NewDense(images, len(x)/images, x))
	g = gram{images: images, rows: make([]float64, images)}
	for i := range images {
		for j := range images {
			v := k.At(i, j)
			if i == j {
				v = 0
			}
			g.k = append(g.k, v)
			g.rows[i] += v
			g.sum += v
		}
	}
	return g
}

// center subtracts the batch's mean. HSIC₁ does not depend on it, and sums of products of centered features round less.
func center(x []float64, images int) {
	wide := len(x) / images
	mean := make([]float64, wide)
	for i, v := range x {
		mean[i%wide] += v / float64(images)
	}
	for i := range x {
		x[i] -= mean[i%wide]
	}
}

func hsic(a, b gram) float64 {
	n := float64(a.images)
	return (dot(a.k, b.k) + a.sum*b.sum/((n-1)*(n-2)) - 2/(n-2)*dot(a.rows, b.rows)) / (n * (n - 3))
}
