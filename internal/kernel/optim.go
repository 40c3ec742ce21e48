package kernel

import "math"

// SGD takes one step with momentum: g ← g + decay·w, v ← momentum·v + g, w ← w - lr·v. v starts at zero; g stays.
func SGD(w, v, g []float32, lr, momentum, decay float32) {
	Blocks(len(w), blockSize, func(lo, hi int) { best.sgd(w[lo:hi], v[lo:hi], g[lo:hi], lr, momentum, decay) })
}

// AdamW takes step number step, from 1, of AdamW with decoupled weight decay (Loshchilov, Hutter 2019):
//
//	m ← β₁m + (1-β₁)g,  v ← β₂v + (1-β₂)g²,  w ← w - lr·decay·w - lr·m̂/(√v̂ + ε)
//
// with m̂ = m/(1-β₁ᵗ) and v̂ = v/(1-β₂ᵗ). m and v start at zero.
func AdamW(w, m, v, g []float32, lr, beta1, beta2, epsilon, decay float64, step int) {
	c := &adamConst{
		keep: float32(1 - lr*decay), rate: float32(lr / (1 - math.Pow(beta1, float64(step)))), beta1: float32(beta1),
		beta2: float32(beta2), root: float32(1 / math.Sqrt(1-math.Pow(beta2, float64(step)))), epsilon: float32(epsilon),
	}
	c.rest1, c.rest2 = float32(1-beta1), float32(1-beta2)
	Blocks(len(w), blockSize, func(lo, hi int) { best.adamW(w[lo:hi], m[lo:hi], v[lo:hi], g[lo:hi], c) })
}

// adamConst holds what is the same for all numbers: w ← keep·w - rate·m/(root·√v + ε).
type adamConst struct{ keep, rate, beta1, rest1, beta2, rest2, root, epsilon float32 }

// SumSquares returns Σ x², block by block in order.
func SumSquares(x []float32) float64 {
	parts := make([]float64, (len(x)+blockSize-1)/blockSize)
	Blocks(len(x), blockSize, func(lo, hi int) {
		for ; lo < hi; lo += 1024 { // in float32 within a small stretch, in float64 beyond
			parts[lo/blockSize] += float64(best.squares(x[lo:min(hi, lo+1024)]))
		}
	})
	var sum float64
	for _, p := range parts {
		sum += p
	}
	return sum
}

// Finite reports whether no number of x is NaN or infinite.
func Finite(x []float32) bool {
	for _, v := range x {
		if v-v != 0 {
			return false
		}
	}
	return true
}

func squaresGeneric(x []float32) float32 { return dotGeneric(x, x) }

func sgdGeneric(w, v, g []float32, lr, momentum, decay float32) {
	for i, x := range w {
		v[i] = momentum*v[i] + (g[i] + decay*x)
		w[i] = x - lr*v[i]
	}
}

func adamWGeneric(w, m, v, g []float32, c *adamConst) {
	for i, x := range g {
		m[i] = c.beta1*m[i] + c.rest1*x
		v[i] = c.beta2*v[i] + c.rest2*x*x
		w[i] = c.keep*w[i] - c.rate*m[i]/(c.root*float32(math.Sqrt(float64(v[i])))+c.epsilon)
	}
}
