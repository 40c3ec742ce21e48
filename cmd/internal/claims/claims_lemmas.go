package claims

import (
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/attnconv/attnconv/internal/plain"
	"github.com/attnconv/attnconv/theorem"
)

// The theorem, its two lemmas, and their assumptions.
var lemmas = []Claim{
	{
		ID: "lemma-1",
		Statement: "Let head h attend to the one pixel q + f(h), where f is any bijection onto the kernel's shifts. " +
			"Then the heads are any convolution with that kernel: W_h = W_f(h).",
		By: Paper, Verdict: Holds, Tolerance: 1e-13,
		check: func(t *trial) {
			for range t.n {
				k, border := t.between(1, 4), []theorem.Border{theorem.Zero, theorem.Circular}[t.rng.IntN(2)]
				c := t.conv(square(k, border), t.between(1, 3), t.between(1, 3))
				l := &theorem.Layer[float64]{Geometry: c.Geometry, In: c.In, Out: c.Out, Bias: c.Bias}
				for _, f := range t.rng.Perm(c.Entries()) {
					only := theorem.Table[float64]{Shifts: c.Shifts()[f : f+1], Scores: []float64{0}}
					l.Heads, l.Weights = append(l.Heads, only), append(l.Weights, c.Matrix(f))
				}
				size := []int{t.between(4, 6), t.between(4, 6)}
				t.compare(l, c, size)
			}
		},
	},
	{
		ID:        "sign",
		Statement: "Heads centered on Δ = f(h) are also the flipped convolution Σ_δ X[q-δ]·W_δ.",
		By:        Slides, Verdict: FalseAsWritten, Tolerance: 1e-13,
		Condition: "the centers of the flipped convolution are -f(h). Centered on f(h), the heads are the mirrored " +
			"kernel",
		check: func(t *trial) {
			for range t.n {
				c := t.conv(square(3, theorem.Zero), 2, 2)
				c.Flip = true
				mirrored := *c
				mirrored.Flip = false
				size := []int{5, 5}
				t.compare(must(theorem.FromConv(c, theorem.FromOptions{})), c, size)
				x := t.normal(50)
				l := must(theorem.FromConv(&mirrored, theorem.FromOptions{}))
				d := gap(l.Forward(size, x)[0], exact(c, size, x))
				t.differs(d, 0.05, "a random 3 × 3 kernel: off by %.2g of the largest output", d)
			}
		},
	},
	{
		ID:        "lemma-2",
		Statement: "As α grows, the softmax of the quadratic encoding becomes 1 at δ = Δ and 0 elsewhere.",
		By:        Paper, Verdict: HoldsIf, Tolerance: 1e-15,
		Condition: "Δ is an integer number of pixels and q + Δ is in the image. Then 1 - p ≤ θ(α)² - 1 with θ = Σ " +
			"exp(-αn²), which is 4e^-α for large α",
		check: hardens,
	},
	{
		ID: "theorem-1",
		Statement: "N_h heads of dimension D_h, with a relative encoding of dimension D_p ≥ 3, are any convolution " +
			"with a kernel of √N_h × √N_h and min(D_h, D_out) output channels.",
		By: Paper, Verdict: HoldsIf, Tolerance: 1e-13,
		Condition: "α is so large that the softmax is hard in the floating-point type (exactly only in the limit), " +
			"and the layer pads its input with zeros if the convolution does (see replicate)",
		check: func(t *trial) {
			for range t.n {
				c := t.conv(square(1+2*t.rng.IntN(3), theorem.Zero), t.between(1, 4), t.between(1, 4))
				size := []int{t.between(3, 7), t.between(3, 7)}
				l := must(theorem.FromConv(c, theorem.FromOptions{Order: t.rng.Perm(c.Entries())}))
				t.compare(must(l.Factor(c.Out+t.rng.IntN(2))).Layer(l), c, size)
				soft, x := must(theorem.FromConv(c, theorem.FromOptions{Alpha: 1})), t.normal(theorem.Volume(size)*c.In)
				d := gap(soft.Forward(size, x)[0], exact(c, size, x))
				t.differs(d, 0.01, "at α = 1 a random kernel of %d × %d is off by %.2g of the largest output",
					c.Kernel[0], c.Kernel[1], d)
			}
		},
	},
	{
		ID: "channels",
		Statement: "With heads of dimension D_h < D_out, D_h of the output channels are still any convolution, and " +
			"the others are zero. Hence min(D_h, D_out).",
		By: Paper, Verdict: Holds, Tolerance: 1e-13,
		check: func(t *trial) {
			for range t.n {
				dim, more := t.between(1, 3), t.between(1, 3)
				c := t.conv(square(3, theorem.Zero), 4, dim+more)
				for i := dim * 4 * 9; i < len(c.Weight); i++ {
					c.Weight[i] = 0 // the other channels
				}
				l := must(theorem.FromConv(c, theorem.FromOptions{}))
				f := must(l.Factor(dim))
				t.scalar(f.Lost, 0)
				t.compare(f.Layer(l), c, []int{4, 5})
			}
		},
	},
	{
		ID:        "channels-no-more",
		Statement: "No more of the output channels are free than D_h.",
		By:        Paper, Verdict: HoldsIf, Tolerance: 1e-12,
		Condition: "D_h < D_in as well. W_h has at most rank min(D_h, D_in, D_out): if W_val keeps all input " +
			"channels, W_out can map them to any number of channels",
		check: channelsNoMore,
	},
	{
		ID: "split-heads",
		Statement: "Heads that share the dimensions, D_h = D_out/N_h as is usual in transformers, are also any " +
			"convolution with D_out channels.",
		By: Ours, Verdict: False, Tolerance: 1e-12,
		Reason: "usual practice",
		Condition: "with as many channels in as out, only D_h of them are free. The concatenated heads need D_h = " +
			"D_out each",
		check: func(t *trial) {
			for range t.n {
				c := t.conv(square(2, theorem.Zero), 8, 8)
				l := must(theorem.FromConv(c, theorem.FromOptions{}))
				t.compare(must(l.Factor(8)).Layer(l), c, []int{4, 4})
				f := must(l.Factor(2))
				t.differs(f.Lost, 0.2, "2 × 2 kernel, 8 channels, 4 heads of dimension 2: the best factors lose %.0f "+
					"%% of the kernel's norm", 100*f.Lost)
			}
		},
	},
	{
		ID:        "encoding-dimension",
		Statement: "On two axes, a relative encoding needs dimension D_p = 3 for this.",
		By:        Ours, Verdict: False, Tolerance: 1e-13,
		Reason: "a reading of D_p ≥ 3 in Theorem 1",
		Condition: "three dimensions suffice, but on a finite image two do: r_δ on a circle, v = α·r_Δ. Of M shifts " +
			"the best leads only by 1 - cos(2π/M), so α grows as M². One dimension is too few: at most two of three " +
			"shifts can have more than half of the weight",
		check: twoDimensions,
	},
	{
		ID: "one-hot-encoding",
		Statement: "An encoding suffices if every shift of the kernel is the best one for some v. One-hot shifts are " +
			"an example.",
		By: Paper, Verdict: Holds, Tolerance: 1e-13,
		check: func(t *trial) {
			for range t.n {
				c := t.conv(square(3, theorem.Zero), 2, 2)
				l := must(theorem.FromConv(c, theorem.FromOptions{}))
				for h, s := range c.Shifts() {
					l.Heads[h] = theorem.HeadFunc[float64](func(shift []int) float64 { // v·r_δ, v = α·e_Δ
						if shift[0] == s[0] && shift[1] == s[1] {
							return theorem.Hard[float64]()
						}
						return 0
					})
				}
				t.compare(l, c, []int{t.between(3, 6), t.between(3, 6)})
			}
		},
	},
}

// compare compares the layer's result on a random image with the convolution's.
func (t *trial) compare(l *theorem.Layer[float64], c *theorem.Conv[float64], size []int) {
	x := t.normal(theorem.Volume(size) * c.In)
	t.equal(l.Forward(size, x)[0], exact(c, size, x))
}

// keepsSize compares c as attention with the convolution whose padding keeps the size. That padding comes from the
// definition, plain.Conv.Same, and not from c.
func (t *trial) keepsSize(c *theorem.Conv[float64], size []int) {
	want, x := definition(c), t.normal(theorem.Volume(size)*c.In)
	want.Same = true
	t.equal(must(theorem.FromConv(c, theorem.FromOptions{})).Forward(size, x)[0], want.Forward(size, x))
}

// hardens compares the softmax of Lemma 2 with its bound.
func hardens(t *trial) {
	at := func(center []float64, alpha float64) (p []float64) {
		h := theorem.Gaussian[float64]{Center: center, Alpha: alpha}
		for shift := range theorem.Positions([]int{9, 9}) {
			p = append(p, h.Score([]int{shift[0] - 4, shift[1] - 4}))
		}
		theorem.Softmax(p)
		return p
	}
	for range t.n {
		r, c, alpha := t.between(-3, 3), t.between(-3, 3), 1+30*t.rng.Float64()
		p := at([]float64{float64(r), float64(c)}, alpha)
		var others, theta float64 // others: 1 - p, as a sum, which does not cancel
		for k, w := range p {
			if k != (r+4)*9+c+4 {
				others += w
			}
		}
		for n := 1; n < 9; n++ {
			theta += 2 * math.Exp(-alpha*float64(n*n))
		}
		t.scalar(max(0, others-(theta*theta+2*theta)), 0)
		t.scalar(at([]float64{float64(r), float64(c)}, theorem.Hard[float64]())[(r+4)*9+c+4], 1)
	}
	p := at([]float64{0.5, 0}, 1000)
	t.differs(min(p[4*9+4], p[5*9+4]), 0.5, "Δ = (½, 0), α = 1000: two pixels get %.3f and %.3f", p[4*9+4], p[5*9+4])
}

// channelsNoMore compares the error of the best factors with the singular values that they must leave out.
func channelsNoMore(t *trial) {
	for range t.n {
		in, out := t.between(3, 5), t.between(3, 5)
		dim := t.between(1, min(in, out)-1)
		c := t.conv(theorem.Geometry{Kernel: []int{3}}, in, out)
		l := must(theorem.FromConv(c, theorem.FromOptions{}))
		f := must(l.Factor(dim))
		var left, all float64
		for h, w := range f.Layer(l).Weights {
			var off mat.Dense
			off.Sub(theorem.Dense(l.Weights[h], in, out), theorem.Dense(w, in, out))
			left += math.Pow(mat.Norm(&off, 2), 2)
			all += math.Pow(mat.Norm(theorem.Dense(l.Weights[h], in, out), 2), 2)
		}
		t.scalar(math.Sqrt(left/all), f.Lost)
		t.true(f.Lost > 1e-9, "D_in %d, D_out %d, D_h %d: a random kernel loses %.2g only", in, out, dim, f.Lost)

		gray := t.conv(theorem.Geometry{Kernel: []int{3}}, 1, out)
		l = must(theorem.FromConv(gray, theorem.FromOptions{}))
		one := must(l.Factor(1)).Layer(l)
		t.compare(one, gray, []int{5})
		taps := mat.NewDense(len(one.Weights), out, nil)
		for h, w := range one.Weights {
			taps.SetRow(h, w)
		}
		free := theorem.Significant(taps) // independent channels; three taps of one channel allow at most three
		t.differs(float64(free-1), 1, "D_in = 1, D_h = 1, D_out = %d, three taps: %d channels are independent", out,
			free)
	}
}

// twoDimensions encodes the shifts of an image as points on a circle.
func twoDimensions(t *trial) {
	for range t.n {
		const side = 4
		c := t.conv(square(3, theorem.Zero), 2, 2)
		reach := side + 1                             // shifts in the padded image
		all := float64((2*reach + 1) * (2*reach + 1)) // M
		alpha := theorem.Hard[float64]() / (1 - math.Cos(2*math.Pi/all))
		angle := func(shift []int) float64 {
			return 2 * math.Pi * float64((shift[0]+reach)*(2*reach+1)+shift[1]+reach) / all
		}
		l := must(theorem.FromConv(c, theorem.FromOptions{}))
		for h, s := range c.Shifts() {
			v := [2]float64{alpha * math.Cos(angle(s)), alpha * math.Sin(angle(s))}
			l.Heads[h] = theorem.HeadFunc[float64](func(shift []int) float64 {
				return v[0]*math.Cos(angle(shift)) + v[1]*math.Sin(angle(shift))
			})
		}
		t.compare(l, c, []int{side, side})
	}
	one, two := math.Inf(1), math.Inf(1)
	for range t.n {
		r := t.normal(3) // D_p = 1, for three shifts
		line := [][]float64{{r[0]}, {r[1]}, {r[2]}}
		phase := 2 * math.Pi * t.rng.Float64()
		circle := make([][]float64, 3)
		for i := range circle {
			a := phase + 2*math.Pi*float64(i)/3
			circle[i] = []float64{math.Cos(a), math.Sin(a)}
		}
		one, two = min(one, worstShare(line)), min(two, worstShare(circle))
		t.true(worstShare(line) <= 0.5, "one dimension distinguishes three shifts: %.3f", line)
	}
	t.differs(two-one, 0.49, "of three shifts, the one that is hardest to select gets at most %.3f of the weight "+
		"with one dimension, %.3f "+
		"with two, on a circle", one, two)
}

// worstShare returns min over shifts Δ of max over v of softmax_δ(v·r_δ)[Δ], by a search over directions and norms of
// v.
func worstShare(r [][]float64) float64 {
	worst := math.Inf(1)
	for shift := range r {
		best := 0.0
		for step := range 96 {
			a := 2 * math.Pi * float64(step) / 96
			v := []float64{math.Cos(a), math.Sin(a)}[:len(r[0])]
			for size := 1e-3; size < 1e5; size *= 2 {
				scores := make([]float64, len(r))
				for i := range r {
					scores[i] = size * plain.Dot(v, r[i])
				}
				best = max(best, plain.Softmax(scores)[shift])
			}
		}
		worst = min(worst, best)
	}
	return worst
}
