package attention

import (
	"github.com/attnconv/attnconv/conv"
	"github.com/attnconv/attnconv/nn"
	"github.com/attnconv/attnconv/nn/op"
	"github.com/attnconv/attnconv/posenc"
)

// Taps makes a convolution of Gaussian heads. Each head sees a k × k window, whose keys outside of the image have zero
// channels:
//
//	y[q] = Σ_h Σ_δ softmax(A_h)[δ]·x[q+δ]·W_hᵀ
//
// The weights of a head are the same for every query, so the layer is the convolution with zeros around the image and
// the kernel W_δ = Σ_h softmax(A_h)[δ]·W_h, and is computed as that.
type Taps struct {
	Encoding *posenc.Quadratic
	Size     int // k
}

// NewTaps returns k² heads, k odd, which start as those of encoding quadratic.
func NewTaps(s nn.Scope, k int) *Taps {
	return &Taps{posenc.NewQuadratic(s, k*k).(*posenc.Quadratic), k}
}

// NewConv returns the convolution of heads, without bias and with W (out, in, heads).
func NewConv(s nn.Scope, t *Taps, in, out, stride int) *conv.Conv {
	heads := t.Size * t.Size
	return &conv.Conv{W: s.Param("weight", nn.Uniform(in*heads), out, in, heads), Stride: stride, Taps: t}
}

// Kernel implements conv.Taps.
func (t *Taps) Kernel(g *nn.Graph, w *nn.Node) *nn.Node {
	out, in, heads, shifts := w.Shape()[0], w.Shape()[1], w.Shape()[2], t.Size*t.Size
	p := op.Softmax(t.Encoding.ShiftScores(g, t.Size/2, t.Size/2, 1))
	transposed := op.Reshape(op.MatMul(op.Identity(p, 1), p), shifts, heads) // of p (heads, shifts)
	kernel := op.MatMul(op.Reshape(w, out*in, heads), transposed)
	return op.Reshape(kernel, out, in, t.Size, t.Size)
}
