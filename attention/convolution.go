package attention

import (
	"math/rand/v2"

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

// NewDCLS returns n heads that start as the taps of a dilated convolution with learnable spacings, DCLS, in a window of
// k × k, k odd: centers from N(0, ½²), not outside of the window, and widths σ = ½, so s = 2. There every pair of
// channels has positions of its own, while heads have them for all channels. Here training may take a center out of the
// window; its weight is then at the edge. Source: Khalfaoui-Hassani, Pellegrini, Masquelier 2023 (arXiv:2112.03740),
// with Gaussians 2306.00817, and their code: |σ| + 0.27 with σ = 0.23.
func NewDCLS(s nn.Scope, n, k int) *Taps {
	inside := func(rng *rand.Rand, w []float32) {
		nn.Normal(0, 0.5)(rng, w)
		for i, v := range w {
			w[i] = max(-float32(k/2), min(float32(k/2), v))
		}
	}
	e := &posenc.Quadratic{Center: s.Param("attention_centers", inside, n, 2),
		Spread: s.Param("attention_spreads", nn.Const(2), n)}
	e.Center.Group, e.Spread.Group = nn.Position, nn.Position
	return &Taps{e, k}
}

// NewConv returns the convolution of heads, without bias and with W (out, in, heads).
func NewConv(s nn.Scope, t *Taps, in, out, stride int) *conv.Conv {
	heads := t.Encoding.Spread.Shape[0]
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
