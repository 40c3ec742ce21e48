package vec

import (
	"math"
	"sync/atomic"

	"github.com/attnconv/attnconv/internal/kernel/threads"
)

// SGD takes one step of stochastic gradient descent with momentum and L2 decay, as PyTorch's SGD does:
//
//	v ← momentum·v + g + decay·w,  w ← w - lr·v
//
// v starts at zero. g is left as it is.
func SGD(w, v, g []float32, lr, momentum, decay float32) {
	equal(len(w), v, g)
	threads.Blocks(len(w), blockFloats, func(lo, hi int) {
		best.SGD(w[lo:hi], v[lo:hi], g[lo:hi], lr, momentum,
			decay)
	})
}

// AdamW takes step number step, from 1, of Adam with decoupled decay (Loshchilov, Hutter 2019), as PyTorch's AdamW
// does:
//
//	m ← β1·m + (1-β1)·g,  v ← β2·v + (1-β2)·g²
//	w ← (1 - lr·decay)·w - lr·(m/(1-β1ˢ)) / (√(v/(1-β2ˢ)) + eps)
//
// m and v start at zero. g is left as it is.
func AdamW(w, m, v, g []float32, lr, beta1, beta2, eps, decay float64, step int) {
	equal(len(w), m, v, g)
	c := NewAdamStep(lr, beta1, beta2, eps, decay, step)
	threads.Blocks(len(w), blockFloats, func(lo, hi int) {
		best.AdamW(w[lo:hi], m[lo:hi], v[lo:hi], g[lo:hi], c.Keep, c.B1, c.N1, c.B2, c.N2, c.Rate, c.Root, c.Eps)
	})
}

// NewAdamStep returns what AdamW computes with.
func NewAdamStep(lr, beta1, beta2, eps, decay float64, step int) AdamStep {
	s := float64(step)
	return AdamStep{
		Keep: float32(1 - lr*decay),
		B1:   float32(beta1), N1: float32(1 - beta1), B2: float32(beta2), N2: float32(1 - beta2),
		Rate: float32(lr / (1 - math.Pow(beta1, s))), Root: float32(1 / math.Sqrt(1-math.Pow(beta2, s))),
		Eps: float32(eps),
	}
}

// An AdamStep is the factors that all weights share in one step.
type AdamStep struct {
	Keep       float32 // 1 - lr·decay
	B1, N1     float32 // β1, 1-β1
	B2, N2     float32 // β2, 1-β2
	Rate, Root float32 // lr/(1-β1ˢ), 1/√(1-β2ˢ)
	Eps        float32
}

// SumSquares returns Σ x[i]² in float64: sums of fixed blocks, added in order.
func SumSquares(x []float32) (sum float64) {
	if len(x) <= blockFloats {
		return best.SumSquares(x)
	}
	parts := make([]float64, threads.Count(len(x), blockFloats))
	threads.Blocks(len(x), blockFloats, func(lo, hi int) { parts[lo/blockFloats] = best.SumSquares(x[lo:hi]) })
	for _, s := range parts {
		sum += s
	}
	return sum
}

// Finite reports whether x holds neither NaN nor an infinity.
func Finite(x []float32) bool {
	var bad atomic.Bool
	threads.Blocks(len(x), blockFloats, func(lo, hi int) {
		if !bad.Load() && !best.Finite(x[lo:hi]) {
			bad.Store(true)
		}
	})
	return !bad.Load()
}

func sgdPlain(w, v, g []float32, lr, momentum, decay float32) {
	for i := range w {
		v[i] = momentum*v[i] + (g[i] + decay*w[i])
		w[i] -= lr * v[i]
	}
}

func adamWPlain(w, m, v, g []float32, keep, b1, n1, b2, n2, rate, root, eps float32) {
	for i, x := range g {
		m[i] = b1*m[i] + n1*x
		v[i] = b2*v[i] + n2*x*x
		deviation := float32(math.Sqrt(float64(v[i])))
		w[i] = keep*w[i] - rate*m[i]/(deviation*root+eps)
	}
}

func sumSquaresPlain(x []float32) (s float64) {
	for _, v := range x {
		s += float64(v) * float64(v)
	}
	return s
}

func finitePlain(x []float32) bool {
	for _, v := range x {
		if v-v != 0 { // NaN and the infinities alone
			return false
		}
	}
	return true
}
