package claims

import (
	"math"
	"math/cmplx"

	"gonum.org/v1/gonum/mat"

	"github.com/attnconv/attnconv/internal/plain"
	"github.com/attnconv/attnconv/theorem"
)

// What measures of layers rest on.
var measures = []Claim{
	{
		ID: "low-pass-head",
		Statement: "A head whose scores depend only on the shift is a low-pass filter. It passes no frequency with a " +
			"larger gain than the mean: |p̂(ω)| ≤ p̂(0) = 1.",
		By: Ours, Verdict: HoldsIf, Tolerance: 1e-12,
		Reason: "p ≥ 0 and Σp = 1",
		Condition: "it is on a torus, where it scales each frequency. On a grid many queries may share a key: heads " +
			"centered beyond the border all read it, and turn a pattern of one pixel into a mean",
		check: lowPassHead,
	},
	{
		ID:        "low-pass-layer",
		Statement: "Multi-head self-attentions are low-pass filters.",
		By:        Article, Verdict: FalseAsWritten, Tolerance: 1e-12,
		Condition: "a head whose scores depend only on the shift is one on a torus (see low-pass-head), but a layer " +
			"of them need not be. With +x of the query itself and -x of its two neighbors' mean the gain is 1 - cos " +
			"ω: 0 for the mean and 2 at the highest frequency",
		check: lowPassLayer,
	},
	{
		ID: "masked-diagonal",
		Statement: "Without the query itself as a key, as in the ViT for small data sets, hard heads are still any " +
			"convolution.",
		By: Ours, Verdict: False, Tolerance: 1e-13,
		Reason: "a reading of their mask",
		Condition: "they are those whose kernel has no entry at the query. If scores depend only on positions, the " +
			"result at a pixel does not depend on that pixel, so an entry there is lost. Lemma 1 needs a head that " +
			"attends to its query",
		check: maskedDiagonal,
	},
	{
		ID: "leverage",
		Statement: "Let Π be the projector on the span of the heads' attention by shift, and s_δ = Π_δδ the leverage " +
			"of a shift. Heads whose scores depend only on the shift can be every convolution on a set of shifts if " +
			"and only if each of them has leverage 1. The best layer for a kernel of one entry δ is off by √(1 - " +
			"s_δ) of its norm.",
		By: Ours, Verdict: HoldsIf, Tolerance: 1e-9,
		Reason: "generalized lemma; ‖(1 - Π)·e_δ‖² = 1 - Π_δδ",
		Condition: "they are on a torus, and W_h has any rank: D_h ≥ min(D_in, D_out). Heads of a smaller dimension " +
			"have maps of rank D_h, and need more",
		check: leverage,
	},
	{
		ID: "patch-tokens",
		Statement: "On tokens that are patches of P × P pixels, a convolution of the pixels with a kernel of K × K, " +
			"K odd, is hard attention with (2⌈(K - 1)/(2P)⌉ + 1)² heads, and with no fewer.",
		By: Article, Verdict: HoldsIf, Tolerance: 1e-12,
		Reason: "proof and condition ours",
		Condition: "D_h ≥ min(D_in, D_out) channels of patches, P²·C. No fewer suffice if the matrices of the shifts " +
			"of patches are linearly independent, as random ones of enough channels are. A kernel of lower rank " +
			"needs fewer soft heads (see low-rank)",
		check: patchTokens,
	},
	{
		ID: "canonical-operator",
		Statement: "Let a layer norm of weight γ be in front of attention and another one behind the residual sum. " +
			"Maps W_h and W_h′ add the same to the tokens, up to what the norm behind removes and the bias takes, if and " +
			"only if Σ_h P^h ⊗ C·diag(γ)·W_h·C is the same, with C = 1 - 𝟏𝟏ᵀ/D.",
		By: Ours, Verdict: HoldsIf, Tolerance: 1e-11,
		Reason: "the first norm returns n with n·𝟏 = 0, so n·diag(γ)·W = n·C·diag(γ)·W, and the second one removes " +
			"the mean over channels, so of y it reads y·C. Its shift β adds the constant Σ_h β·W_h, which the bias " +
			"takes. Conversely n and -n are both results of a norm, so half of the difference between their results " +
			"is the linear part, which is that operator",
		Condition: "the rows of each head's attention add up to one. With zeros around the grid a row at the border has " +
			"less, the constant depends on the place, and no bias takes it; then these operators are equal, but not " +
			"the results. A common scale is left: LN(x + y) is the same for L and for (1 + c)·L + c·1",
		check: canonicalOperator,
	},
}

// lowPassHead transforms the attention of random heads on a torus.
func lowPassHead(t *trial) {
	for range t.n {
		n := t.between(3, 9)
		g := theorem.Geometry{Kernel: []int{n}, Border: theorem.Circular}
		g.Before, g.After = theorem.Same(g.Kernel, nil)
		l := t.windowed(g, 1, 1, 1)
		l.Weights[0][0] = 1
		for m := range n {
			wave, omega := make([]float64, n), 2*math.Pi*float64(m)/float64(n)
			var gain complex128
			for part := range 2 { // the real and the imaginary part
				for q := range wave {
					wave[q] = math.Cos(omega*float64(q) - float64(part)*math.Pi/2)
				}
				y := l.Forward([]int{n}, wave)[0]
				gain += complex(y[0], 0) * []complex128{1, 1i}[part]
				for q, v := range y { // a wave becomes a wave
					shifted := l.Forward([]int{n}, from(wave, q))[0][0]
					t.scalar(v, shifted)
				}
			}
			t.scalar(max(1, cmplx.Abs(gain)), 1)
			if m == 0 {
				t.scalar(real(gain), 1)
			}
		}
		far := &theorem.Layer[float64]{Geometry: theorem.Geometry{Kernel: []int{1}, Border: theorem.Replicate,
			Before: []int{0},
			After:  []int{0}}, In: 1, Out: 1,
			Heads:   []theorem.Head[float64]{theorem.Gaussian[float64]{Center: []float64{float64(2 * n)}, Alpha: 1}},
			Weights: [][]float64{{1}}}
		x := make([]float64, n) // the last pixel, less its mean
		for q := range x {
			x[q] = -1 / float64(n)
		}
		x[n-1]++
		y := far.Forward([]int{n}, x)[0]
		t.differs(math.Sqrt(plain.Dot(y, y)/plain.Dot(x, x)), 1.2,
			"a head centered %d pixels beyond a row of %d has gain %.2f for a pattern "+
				"without a mean", n+1, n, math.Sqrt(plain.Dot(y, y)/plain.Dot(x, x)))
	}
}

// from returns x from pixel q on, on a circle.
func from(x []float64, q int) []float64 { return append(append([]float64{}, x[q:]...), x[:q]...) }

// lowPassLayer has two heads on a circle, the query itself and its neighbors.
func lowPassLayer(t *trial) {
	for range t.n {
		n := 2 * t.between(2, 8)
		g := theorem.Geometry{Kernel: []int{3}, Border: theorem.Circular}
		g.Before, g.After = theorem.Same(g.Kernel, nil)
		l := &theorem.Layer[float64]{Geometry: g, In: 1, Out: 1, Weights: [][]float64{{1}, {-1}},
			Heads: []theorem.Head[float64]{
				theorem.Table[float64]{Shifts: [][]int{{0}}, Scores: []float64{0}},
				theorem.Table[float64]{Shifts: [][]int{{-1}, {1}}, Scores: []float64{0, 0}},
			}}
		m := t.between(0, n/2)
		x, omega, phase := make([]float64, n), 2*math.Pi*float64(m)/float64(n), t.rng.Float64()
		want := make([]float64, n)
		for q := range x {
			x[q] = math.Cos(omega*float64(q) + phase)
			want[q] = (1 - math.Cos(omega)) * x[q]
		}
		t.equal(l.Forward([]int{n}, x)[0], want)
		highest := make([]float64, n)
		for q := range highest {
			highest[q] = float64(1 - 2*(q%2))
		}
		gain := math.Abs(l.Forward([]int{n}, highest)[0][0])
		mean := math.Abs(l.Forward([]int{n}, theorem.Repeated([]float64{1}, n, 1))[0][0])
		t.differs(gain-mean, 1.9, "two heads on a circle have gain %.3g for the mean and %.3g at the highest frequency",
			mean, gain)
	}
}

// maskedDiagonal masks δ = 0 of the layer of Theorem 1, and of soft heads.
func maskedDiagonal(t *trial) {
	for range t.n {
		size := []int{t.between(3, 6), t.between(3, 6)}
		c := t.conv(square(3, theorem.Zero), 2, 2)
		masked := func(h theorem.Head[float64]) theorem.Head[float64] {
			return theorem.HeadFunc[float64](func(shift []int) float64 {
				if shift[0] == 0 && shift[1] == 0 {
					return math.Inf(-1)
				}
				return h.Score(shift)
			})
		}
		center := *c
		center.Weight, center.Bias = append([]float64{}, c.Weight...), make([]float64, 2)
		for i := range c.Weight {
			if i%9 == 4 {
				c.Weight[i] = 0
			}
		}
		l := must(theorem.FromConv(c, theorem.FromOptions{}))
		for h := range l.Heads {
			l.Heads[h] = masked(l.Heads[h])
		}
		t.compare(l, c, size)

		soft := must(theorem.FromConv(&center, theorem.FromOptions{Alpha: t.rng.Float64()}))
		for h := range soft.Heads {
			soft.Heads[h] = masked(soft.Heads[h])
		}
		q := t.rng.IntN(theorem.Volume(size))
		x := make([]float64, theorem.Volume(size)*2)
		x[2*q] = 1
		y := soft.Forward(size, x)[0][2*q : 2*q+2]
		t.equal(y, center.Bias)
		want := exact(&center, size, x)[2*q : 2*q+2]
		t.differs(gap(y, want), 0.99, "a pixel of 1 on %d × %d pixels: at itself a random 3 × 3 kernel has (%.2f, "+
			"%.2f), masked heads (%.2f, %.2f)",
			size[0], size[1], want[0], want[1], y[0], y[1])
	}
}

// leverage compares the projector's diagonal with the best layer for a kernel of one entry, and for a random kernel on
// the shifts that have leverage 1.
func leverage(t *trial) {
	for range t.n {
		g := square(3, theorem.Circular)
		l := t.windowed(g, t.between(1, 10), 2, 3)
		alike := t.between(0, 3) // the first shifts get a tap each, so that some have leverage 1
		a := mat.NewDense(g.Entries(), len(l.Heads), nil)
		for h, head := range l.Heads {
			p := plain.Softmax(head.(theorem.Table[float64]).Scores)
			if h < alike {
				clear(p)
				p[h] = 1
			}
			a.SetCol(h, p)
		}
		u, s, _ := theorem.Singular(a)
		kernel, all := mat.NewDense(g.Entries(), 6, nil), true
		for shift := range g.Entries() {
			of := 0.0
			for j, v := range s {
				if v > 1e-9*s[0] {
					of += u.At(shift, j) * u.At(shift, j)
				}
			}
			one := mat.NewDense(g.Entries(), 1, nil)
			one.Set(shift, 0, 1)
			t.scalar(math.Pow(theorem.Solve(a, one).Residual, 2), max(0, 1-of))
			if of > 1-1e-9 {
				kernel.SetRow(shift, t.normal(6))
				all = false
			}
		}
		if !all {
			t.scalar(theorem.Solve(a, kernel).Residual, 0)
		}

		c := t.conv(g, 3, 3) // taps have leverage 1, and with one channel each lose most of the kernel
		taps := must(theorem.FromConv(c, theorem.FromOptions{}))
		f := must(taps.Factor(1))
		t.differs(f.Lost, 0.3, "nine taps have leverage 1; with heads of dimension 1 the best factors lose %.0f %% "+
			"of a random kernel's norm", 100*f.Lost)
	}
}

// patchTokens compares a convolution of pixels, by its definition, with attention on the patches.
func patchTokens(t *trial) {
	for range t.n {
		p, channels := t.between(1, 3), 3
		k := 1 + 2*t.between(0, p)
		reach := (k/2 + p - 1) / p // ⌈(K-1)/(2P)⌉
		rows, cols := t.between(2*reach+1, 2*reach+2), t.between(2*reach+1, 2*reach+2)
		pixels := t.conv(square(k, theorem.Zero), channels, channels)
		tokens := patched(pixels, p, reach)
		x := t.normal(rows * cols * p * p * channels)
		want := exact(pixels, []int{rows * p, cols * p}, x)
		l := must(theorem.FromConv(tokens, theorem.FromOptions{}))
		t.true(len(l.Heads) == (2*reach+1)*(2*reach+1), "%d heads", len(l.Heads))
		got := l.Forward([]int{rows, cols}, inPatches(x, rows, cols, p, channels))[0]
		t.equal(got, inPatches(want, rows, cols, p, channels))
		t.true(theorem.Significant(tokens.Unfold()) == len(l.Heads),
			"P = %d, K = %d: the patches' kernel has rank %d of %d", p,
			k,
			theorem.Significant(tokens.Unfold()), len(l.Heads))

		gray := t.conv(square(3, theorem.Zero), 1, 1) // P = 1
		few, _, err := theorem.FromConvRank(gray)
		t.true(err == nil, "%v", err)
		t.compare(few, gray, []int{5, 5})
		t.differs(float64(9-len(few.Heads)), 6,
			"P = 1, one channel: a random 3 × 3 kernel has rank 1, and %d soft heads are that convolution",
			len(few.Heads))
	}
}

// A hiddenLayer is attention between two layer norms, by its definition.
type hiddenLayer struct {
	in, out     int
	attention   [][][]float64 // of each head: a row for each query
	maps        [][]float64   // (in, out)
	gamma, beta []float64     // of the norm in front
	bias        []float64
}

// visible returns y·C of each token, what a norm behind reads, for results n of the norm in front.
func (l *hiddenLayer) visible(n [][]float64) (all []float64) {
	for q := range n {
		y := append([]float64{}, l.bias...)
		for h, p := range l.attention {
			for k, x := range n {
				for i, v := range x {
					for o := range y {
						y[o] += p[q][k] * (v*l.gamma[i] + l.beta[i]) * l.maps[h][i*l.out+o]
					}
				}
			}
		}
		all = append(all, lessMean(y)...)
	}
	return all
}

// lessMean returns x·C.
func lessMean(x []float64) []float64 {
	mean := 0.0
	for _, v := range x {
		mean += v / float64(len(x))
	}
	y := make([]float64, len(x))
	for i, v := range x {
		y[i] = v - mean
	}
	return y
}

// canonical returns the block Σ_h P^h_qk·C·diag(γ)·W_h·C of two tokens.
func (l *hiddenLayer) canonical(q, k int) []float64 {
	block := make([]float64, l.in*l.out)
	for h, w := range l.maps {
		for i := range l.in {
			for o := range l.out {
				block[i*l.out+o] += l.attention[h][q][k] * l.gamma[i] * w[i*l.out+o]
			}
		}
	}
	for o := range l.out {
		column := make([]float64, l.in)
		for i := range column {
			column[i] = block[i*l.out+o]
		}
		for i, v := range lessMean(column) {
			block[i*l.out+o] = v
		}
	}
	for i := range l.in {
		copy(block[i*l.out:], lessMean(block[i*l.out:(i+1)*l.out]))
	}
	return block
}

// canonicalOperator changes maps by what norms and bias hide, and reads the canonical operator off the function.
func canonicalOperator(t *trial) {
	for range t.n {
		l := &hiddenLayer{in: t.between(2, 5), out: t.between(2, 5)}
		tokens, heads := t.between(2, 5), t.between(2, 4)
		for range heads {
			var p [][]float64
			for range tokens {
				p = append(p, plain.Softmax(t.normal(tokens)))
			}
			l.attention, l.maps = append(l.attention, p), append(l.maps, t.normal(l.in*l.out))
		}
		l.attention[1] = l.attention[0] // so that two heads can share what they do
		l.gamma, l.beta, l.bias = t.normal(l.in), t.normal(l.in), t.normal(l.out)
		for i, v := range l.gamma {
			l.gamma[i] = math.Copysign(0.5+math.Abs(v), v)
		}
		n := make([][]float64, tokens)
		for k := range n {
			n[k] = lessMean(t.normal(l.in))
			size := math.Sqrt(plain.Dot(n[k], n[k]) / float64(l.in))
			for i := range n[k] {
				n[k][i] /= size
			}
		}
		other := t.regauged(l)
		y := l.visible(n)
		t.equal(other.visible(n), y)
		for q := range tokens {
			for k := range tokens {
				t.equal(other.canonical(q, k), l.canonical(q, k))
			}
		}

		k := t.rng.IntN(tokens)
		for i := range n[k] {
			n[k][i] *= -1
		}
		for at, v := range l.visible(n) { // y - y' is twice what n_k adds
			q, o, linear := at/l.out, at%l.out, 0.0
			for i, x := range n[k] {
				linear -= x * l.canonical(q, k)[i*l.out+o]
			}
			t.scalar((y[at]-v)/2, linear)
		}

		for h := range l.attention { // the last query has half of its keys outside of the grid, where there are zeros
			p := append([][]float64{}, l.attention[h]...)
			p[tokens-1] = make([]float64, tokens)
			for k, v := range l.attention[h][tokens-1] {
				p[tokens-1][k] = v / 2
			}
			l.attention[h], other.attention[h] = p, p
		}
		off := distanceOf(other.visible(n), l.visible(n))
		t.differs(off, 0.3, "%d tokens of %d channels, of which the last has half of its keys outside of the grid: "+
			"maps of equal operators add results that are %.2f apart there", tokens, l.in, off)
	}
}

// regauged returns l with W_h + a·𝟏ᵀ + (1/γ)·bᵀ, with a map moved between two heads of equal attention, and with the
// bias that makes up for b.
func (t *trial) regauged(l *hiddenLayer) *hiddenLayer {
	other := *l
	other.maps, other.attention = nil, append([][][]float64{}, l.attention...)
	other.bias = append([]float64{}, l.bias...)
	moved := t.normal(l.in * l.out)
	for h, w := range l.maps {
		a, b := t.normal(l.in), t.normal(l.out)
		m := append([]float64{}, w...)
		for i := range l.in {
			for o := range l.out {
				m[i*l.out+o] += a[i] + b[o]/l.gamma[i] + []float64{1, -1, 0, 0}[h]*moved[i*l.out+o]
				other.bias[o] -= l.beta[i] / l.gamma[i] * b[o]
			}
		}
		other.maps = append(other.maps, m)
	}
	return &other
}

// distanceOf is the largest difference of two results.
func distanceOf(a, b []float64) float64 {
	d, _ := distance(a, b)
	return d
}

// patched returns the convolution of patches that c is on their pixels: the map of a shift of patches has c's entry t
// from pixel i of the key to pixel o of the query, where t is how far they are apart.
func patched(c *theorem.Conv[float64], p, reach int) *theorem.Conv[float64] {
	k, side, wide := c.Kernel[0], 2*reach+1, p*p*c.In
	tokens := &theorem.Conv[float64]{Geometry: square(side, theorem.Zero), In: wide, Out: wide,
		Weight: make([]float64, wide*wide*side*side)}
	for range p * p {
		tokens.Bias = append(tokens.Bias, c.Bias...)
	}
	for s := range side * side {
		for i := range p * p {
			for o := range p * p {
				y := (s/side-reach)*p + i/p - o/p + k/2
				x := (s%side-reach)*p + i%p - o%p + k/2
				if y < 0 || y >= k || x < 0 || x >= k {
					continue
				}
				for in := range c.In {
					for out := range c.Out {
						tokens.Weight[((o*c.Out+out)*wide+i*c.In+in)*side*side+s] = c.Weight[(out*c.In+in)*k*k+y*k+x]
					}
				}
			}
		}
	}
	return tokens
}

// inPatches reorders pixels, row-major, as patches, row-major, of pixels.
func inPatches(x []float64, rows, cols, p, channels int) (tokens []float64) {
	for t := range rows * cols {
		for i := range p * p {
			pixel := (t/cols*p+i/p)*cols*p + t%cols*p + i%p
			tokens = append(tokens, x[pixel*channels:(pixel+1)*channels]...)
		}
	}
	return tokens
}
