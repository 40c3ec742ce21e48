package op

import (
	"fmt"
	"iter"
	"math"

	"github.com/attnconv/attnconv/internal/kernel/threads"
)

// HeadScaleOp is y[…,h,c] = τ[h]·x[…,h,c], with a factor for each head.
type HeadScaleOp struct{}

func (HeadScaleOp) String() string { return "head-scale" }

func (o HeadScaleOp) Shape(in []Shape) (Shape, error) {
	x := in[0]
	ok := x.Dims() > 0 && in[1].Dims() == 1 && in[1][0] > 0 && x[x.Dims()-1]%in[1][0] == 0
	return fits(o, in, ok, x, "x (…, heads·n) and factors (heads)")
}

func (HeadScaleOp) Cost(*Node) Cost { return Cost{} }

func (HeadScaleOp) Kernel(in []Shape) Kernel {
	x, heads := in[0], in[1][0]
	return Kernel{
		NotSaved: []int{Output},
		Forward: func(y []float32, in [][]float32) {
			eachHead(x, heads, func(h int, rows iter.Seq2[int, int]) {
				t := in[1][h]
				for lo, hi := range rows {
					for i := lo; i < hi; i++ {
						y[i] = t * in[0][i]
					}
				}
			})
		},
		Backward: func(d [][]float32, dy, _ []float32, in [][]float32) {
			eachHead(x, heads, func(h int, rows iter.Seq2[int, int]) {
				t, sum := in[1][h], 0.0
				for lo, hi := range rows {
					for i := lo; i < hi; i++ {
						d[0][i] = t * dy[i]
						sum += float64(in[0][i] * dy[i])
					}
				}
				d[1][h] = float32(sum)
			})
		},
	}
}

// eachHead calls f for each head of x (…, heads·n), in parallel. In each row of x, the head has the n channels whose
// bounds rows yields.
func eachHead(x Shape, heads int, f func(h int, rows iter.Seq2[int, int])) {
	wide := x[x.Dims()-1]
	n := wide / heads
	threads.Parallel(heads, func(h int) {
		f(h, func(yield func(lo, hi int) bool) {
			for at := h * n; at < x.TotalSize(); at += wide {
				if !yield(at, at+n) {
					return
				}
			}
		})
	})
}

// HeadBlendOp is between a and b for each head, by the head's own gate:
//
//	y[…,h,c] = (1-σ(λ[h]))·a[…,h,c] + σ(λ[h])·b[…,h,c],  σ(λ) = 1/(1+exp(-λ))
//
// Source: d'Ascoli et al. 2021 (arXiv:2103.10697), eq. 7.
type HeadBlendOp struct{}

func (HeadBlendOp) String() string { return "head-blend" }

func (o HeadBlendOp) Shape(in []Shape) (Shape, error) {
	a := in[0]
	ok := a.Dims() > 0 && a.Eq(in[1]) && in[2].Dims() == 1 && in[2][0] > 0 && a[a.Dims()-1]%in[2][0] == 0
	return fits(o, in, ok, a, "a and b (…, heads·n), and gates (heads)")
}

func (HeadBlendOp) Cost(*Node) Cost { return Cost{} }

func (HeadBlendOp) Kernel(in []Shape) Kernel {
	x, heads := in[0], in[2][0]
	sigmoid := func(l float32) float32 { return float32(1 / (1 + math.Exp(-float64(l)))) }
	return Kernel{
		NotSaved: []int{Output},
		Forward: func(y []float32, in [][]float32) {
			eachHead(x, heads, func(h int, rows iter.Seq2[int, int]) {
				p := sigmoid(in[2][h])
				for lo, hi := range rows {
					for i := lo; i < hi; i++ {
						y[i] = (1-p)*in[0][i] + p*in[1][i]
					}
				}
			})
		},
		Backward: func(d [][]float32, dy, _ []float32, in [][]float32) {
			eachHead(x, heads, func(h int, rows iter.Seq2[int, int]) {
				p, sum := sigmoid(in[2][h]), 0.0
				for lo, hi := range rows {
					for i := lo; i < hi; i++ {
						d[0][i], d[1][i] = (1-p)*dy[i], p*dy[i]
						sum += float64((in[1][i] - in[0][i]) * dy[i])
					}
				}
				d[2][h] = float32(sum) * p * (1 - p)
			})
		},
	}
}

// HeadsFirstOp puts heads before tokens.
type HeadsFirstOp struct{ Heads int }

func (o HeadsFirstOp) String() string { return fmt.Sprintf("heads-first{%d}", o.Heads) }

func (o HeadsFirstOp) Shape(in []Shape) (Shape, error) {
	var out Shape
	ok := hasDims(in, 3) && o.Heads > 0 && in[0][2]%o.Heads == 0
	if ok {
		out = Shape{in[0][0], o.Heads, in[0][1], in[0][2] / o.Heads}
	}
	return fits(o, in, ok, out, "x (batch, tokens, heads·n)")
}

func (HeadsFirstOp) Cost(*Node) Cost { return Cost{} }

func (o HeadsFirstOp) Kernel(in []Shape) Kernel {
	tokens, n := in[0][1], in[0][2]/o.Heads
	return Kernel{Forward: func(y []float32, in [][]float32) {
		for i := range len(y) / n {
			b, h, t := i/(o.Heads*tokens), i/tokens%o.Heads, i%tokens
			copy(y[i*n:(i+1)*n], in[0][((b*tokens+t)*o.Heads+h)*n:])
		}
	}}
}

// IdentityOp gives every token of Images images a channel of its own.
type IdentityOp struct{ Images int }

func (o IdentityOp) String() string { return fmt.Sprintf("identity{%d}", o.Images) }

func (o IdentityOp) Shape(in []Shape) (Shape, error) {
	var out Shape
	ok := in[0].Dims() > 1 && o.Images > 0
	if ok {
		out = Shape{o.Images, in[0][1], in[0][1]}
	}
	return fits(o, in, ok, out, "x (batch, tokens, …)")
}

func (IdentityOp) Cost(*Node) Cost { return Cost{} }

func (o IdentityOp) Kernel(in []Shape) Kernel {
	tokens := in[0][1]
	return Kernel{
		NotSaved: []int{0, Output},
		Forward: func(y []float32, _ [][]float32) {
			clear(y)
			for i := range o.Images * tokens {
				y[i*tokens+i%tokens] = 1
			}
		},
		Backward: func(d [][]float32, _, _ []float32, _ [][]float32) { clear(d[0]) },
	}
}
