package model

import (
	"math"
	"slices"

	"github.com/attnconv/attnconv/conv"
	"github.com/attnconv/attnconv/nn"
	"github.com/attnconv/attnconv/option"
)

// A Stem is the linear map with which a network begins, of square patches of pixels.
type Stem struct {
	Weight        *nn.Param // (out, …): of each output, as many weights as a patch has values
	Side, Stride  int       // of patches, in pixels
	First         int       // row and column of the first patch inside an image
	ChannelsFirst bool      // weights are (channel, row, column), as those of convolutions; else (row, column, channel)
}

// values is the number of values of a patch.
func (s Stem) values() int { return s.Weight.Size() / s.Weight.Shape[0] }

// pairs is how many eigenvectors the outputs hold, each with its negative.
func (s Stem) pairs() int { return min(s.values(), s.Weight.Shape[0]/2) }

// StemInits lists the initial weights of stems.
//
// Whitening is that of Page 2019 ("How to train your ResNet", part 8), with the negatives and the ε of Jordan 2024
// (arXiv:2404.00498, and its code). Of the patches p of training images, normalized and not augmented,
//
//	C = mean of p·pᵀ = Σ_i λ_i·e_i·e_iᵀ, λ₁ ≥ λ₂ ≥ …,    W = (e_i/√(λ_i + ε), then -e_i/√(λ_i + ε)),  ε = 5·10⁻⁴
//
// for as many i as a patch has values or half of the outputs can hold. Further outputs, and the bias, stay as drawn.
// All outputs are learned, or fixed by train.freeze.
var StemInits = option.List[option.Item]{
	{Name: "random", Help: "drawn, as PyTorch's"},
	{Name: whitening, Help: "patches of training images become uncorrelated"},
}

const (
	whitening   = "whitening"
	epsilon     = 5e-4
	maxPatch    = 256       // values of a patch, which bounds the time for eigenvectors
	mostImages  = 5000      // that patches are taken of
	mostPatches = 4_500_000 // those of 3 × 3 pixels of so many images of CIFAR-10
)

// stemOf is the convolution that reads the pixels of a network.
func stemOf(c *conv.Conv) Stem {
	side, first := c.W.Shape[2], 0
	if pad := (side - 1) / 2; !c.Valid {
		first = (c.Stride - pad%c.Stride) % c.Stride
	}
	return Stem{Weight: c.W, Side: side, Stride: c.Stride, First: first, ChannelsFirst: true}
}

// Whitens reports whether the network of s starts with weights that Network.Whiten makes of training images.
func (s Spec) Whitens() bool { return s.StemInit == whitening }

// add adds p·pᵀ of each patch inside image x to sum, and returns how many there are.
func (s Stem) add(sum []float64, x []float32, image [3]int) (patches int) {
	p := make([]float64, s.values())
	for row := s.First; row+s.Side <= image[0]; row += s.Stride {
		for col := s.First; col+s.Side <= image[1]; col += s.Stride {
			s.read(p, x, image, row, col)
			for i, a := range p {
				to := sum[i*len(p):][:i+1]
				for j := range to {
					to[j] += a * p[j]
				}
			}
			patches++
		}
	}
	return patches
}

// read writes the patch of image x at row and column to p, in the order of the weights.
func (s Stem) read(p []float64, x []float32, image [3]int, row, col int) {
	channels := image[2]
	for u := range s.Side {
		from := x[((row+u)*image[1]+col)*channels:][:s.Side*channels]
		for i, v := range from {
			at := u*s.Side*channels + i
			if s.ChannelsFirst {
				at = (i%channels*s.Side+u)*s.Side + i/channels
			}
			p[at] = float64(v)
		}
	}
}

// whiten sets the weights by the lower triangle of the patches' second moments.
func (s Stem) whiten(moments []float64) {
	size := s.values()
	for i := range size {
		for j := range i {
			moments[j*size+i] = moments[i*size+j]
		}
	}
	values, vectors := eigen(moments, size)
	pairs := s.pairs()
	for i := range pairs {
		scale := 1 / math.Sqrt(max(0, values[i])+epsilon)
		for j, v := range vectors[i] {
			s.Weight.Data[i*size+j] = float32(scale * v)
			s.Weight.Data[(pairs+i)*size+j] = -float32(scale * v)
		}
	}
}

// eigen returns the eigenvalues of the symmetric n × n matrix a, the largest first, and their unit eigenvectors, by
// Jacobi's rotations (Golub, Van Loan, Matrix Computations, section 8.5). It overwrites a.
func eigen(a []float64, n int) (values []float64, vectors [][]float64) {
	vectors = make([][]float64, n)
	for i := range vectors {
		vectors[i] = make([]float64, n)
		vectors[i][i] = 1
	}
	const sweeps = 30 // convergence is quadratic: about ten are taken
	for range sweeps {
		if off, all := offDiagonal(a, n); off <= 1e-28*all {
			break
		}
		for p := range n {
			for q := p + 1; q < n; q++ {
				rotate(a, vectors, n, p, q)
			}
		}
	}
	order := make([]int, n)
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, j int) int {
		switch x, y := a[i*n+i], a[j*n+j]; {
		case x > y:
			return -1
		case x < y:
			return 1
		}
		return 0
	})
	sorted := make([][]float64, n)
	for to, from := range order {
		values, sorted[to] = append(values, a[from*n+from]), vectors[from]
	}
	return values, sorted
}

// offDiagonal returns the sum of the squares of a's elements that are not on the diagonal, and of all.
func offDiagonal(a []float64, n int) (off, all float64) {
	for i, v := range a {
		all += v * v
		if i/n != i%n {
			off += v * v
		}
	}
	return off, all
}

// rotate makes a[p, q] zero.
func rotate(a []float64, vectors [][]float64, n, p, q int) {
	if a[p*n+q] == 0 {
		return
	}
	theta := (a[q*n+q] - a[p*n+p]) / (2 * a[p*n+q])
	t := math.Copysign(1/(math.Abs(theta)+math.Hypot(theta, 1)), theta)
	c := 1 / math.Hypot(t, 1)
	s := t * c
	for k := range n {
		x, y := a[k*n+p], a[k*n+q]
		a[k*n+p], a[k*n+q] = c*x-s*y, s*x+c*y
	}
	for k := range n {
		x, y := a[p*n+k], a[q*n+k]
		a[p*n+k], a[q*n+k] = c*x-s*y, s*x+c*y
		x, y = vectors[p][k], vectors[q][k]
		vectors[p][k], vectors[q][k] = c*x-s*y, s*x+c*y
	}
}
