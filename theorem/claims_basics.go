package theorem

import (
	"math"

	"github.com/attnconv/attnconv/nn"
	"github.com/attnconv/attnconv/theorem/plain"
)

// What attention is made of.
var basics = []Claim{
	{
		ID: "soft-dictionary",
		Statement: "Attention is a soft dictionary: as the temperature falls it answers with the best key's value, as it rises with " +
			"the mean of all values.",
		Source: "scaled scores s/T", Verdict: Holds, Tolerance: 1e-9,
		check: func(t *trial) {
			for range t.n {
				n := t.between(2, 6)
				keys, values := plain.Identity(n), plain.Normal(t.rng, n, 2, 1)
				k := t.rng.IntN(n)
				cold, _ := plain.Attend(keys[k:k+1], keys, values, plain.Tempered(plain.Dot, 1e-3), nil)
				t.equal(cold[0], values[k])
				hot, _ := plain.Attend(keys[k:k+1], keys, values, plain.Tempered(plain.Dot, 1e10), nil)
				t.equal(hot[0], mean(values))
			}
		},
	},
	{
		ID:        "embedding",
		Statement: "A one-hot matrix times an embedding looks its rows up, exactly.",
		Source:    "definition", Verdict: Holds, Tolerance: 0,
		check: func(t *trial) {
			for range t.n {
				of := t.between(1, 9)
				table, places := plain.Normal(t.rng, of, 4, 1), []int{t.rng.IntN(of), t.rng.IntN(of)}
				t.equal(plain.OneHot(places, of).Times(table).Flat(), append(append([]float64{}, table[places[0]]...), table[places[1]]...))
			}
		},
	},
	{
		ID:        "scaled-variance",
		Statement: "Dividing by √d keeps the variance of the scores q·k at one, for any dimension d.",
		Source:    "Vaswani et al. 2017, section 3.2.1", Verdict: HoldsIf, Tolerance: 0.06,
		Condition: "the entries are independent, of mean 0 and variance 1. A query that is its own key scores √d on average",
		check:     scaledVariance,
	},
	{
		ID: "scaled-gradient",
		Statement: "And it keeps the softmax's gradient alive: with it the gradient does not depend on d, without it the softmax " +
			"hardens and its gradient falls like 1/√d.",
		Source: "Vaswani et al. 2017, section 3.2.1", Verdict: Holds, Tolerance: 0.4,
		check: scaledGradient,
	},
	{
		ID: "causal",
		Statement: "A causal mask gives weights that are exactly zero for what is to come; hard causal heads are the convolution that is " +
			"padded on the left only.",
		Source: "exp(-∞) = 0; padding of K - 1 before", Verdict: Holds, Tolerance: 1e-13,
		check: causal,
	},
	{
		ID: "gaussian",
		Statement: "A quadratic head is a Gaussian of variance 1/(2α) along each axis; half of its weight lies within 0.8325546/√α of its " +
			"center, nine tenths within 1.5174271/√α.",
		Source: "exp(-α‖δ - Δ‖²) normalised", Verdict: HoldsIf, Tolerance: 1e-6,
		Condition: "it is wide enough for the pixels, α ≤ 1/2. Narrower heads lie on single pixels, with less variance",
		check:     gaussian,
	},
	{
		ID:        "downsampling",
		Statement: "Making every square of 2 × 2 pixels one token loses nothing: it can be undone, bit for bit.",
		Source:    "Cordonnier et al. 2020, section 4 (invertible down-sampling)", Verdict: Holds, Tolerance: 0,
		check: downsampling,
	},
}

func scaledVariance(t *trial) {
	for _, d := range []int{4, 64, 512} {
		const samples = 20000
		var sum, squares, own float64
		for range samples {
			q, k := t.normal(d), t.normal(d)
			s := plain.Scaled(q, k)
			sum, squares, own = sum+s, squares+s*s, own+plain.Scaled(q, q)
		}
		t.number(squares/samples-math.Pow(sum/samples, 2), 1)
		t.number(own/samples, math.Sqrt(float64(d)))
		t.differs(own/samples, math.Sqrt(float64(d))/2, "d = %d: a query and itself score %.2f on average", d, own/samples)
	}
}

// scaledGradient compares d = 64 with d = 1024: √d grows by four.
func scaledGradient(t *trial) {
	var with, without [2]float64
	for i, d := range []int{64, 1024} {
		const samples = 3000
		for range samples {
			scores := plain.Scores(plain.Normal(t.rng, 1, d, 1), plain.Normal(t.rng, 8, d, 1), plain.Scaled)[0]
			with[i] += jacobian(scores) / samples
			for k := range scores {
				scores[k] *= math.Sqrt(float64(d))
			}
			without[i] += jacobian(scores) / samples
		}
	}
	t.number(with[1]/with[0], 1)
	t.number(4*without[1]/without[0], 1)
	t.differs(with[1]/without[1], 2, "eight keys: the gradient's norm is %.3f with √d at d = 64, %.3f at 1024; without it %.3f and %.3f",
		with[0], with[1], without[0], without[1])
}

// jacobian is the norm of the softmax's derivative, diag(p) - p·pᵀ.
func jacobian(scores []float64) float64 {
	p := plain.Softmax(scores)
	var sum float64
	for i, a := range p {
		for j, b := range p {
			v := -a * b
			if i == j {
				v += a
			}
			sum += v * v
		}
	}
	return math.Sqrt(sum)
}

func causal(t *trial) {
	for range t.n {
		n, k := t.between(2, 7), t.between(1, 4)
		x := plain.Normal(t.rng, n, 3, 1)
		out, weights := plain.Attend(x, x, x, plain.Scaled, plain.Causal)
		for q, row := range weights {
			for _, w := range row[q+1:] {
				t.number(w, 0)
			}
		}
		x[n-1] = t.normal(3) // the future changes
		again, _ := plain.Attend(x, x, x, plain.Scaled, plain.Causal)
		t.true(gap(again[:n-1].Flat(), out[:n-1].Flat()) == 0, "what is to come changed what was")
		t.becomes(t.conv(Geometry{Kernel: []int{k}, Before: []int{k - 1}, After: []int{0}}, 2, 2), []int{n})
	}
}

func gaussian(t *trial) {
	variance := func(alpha float64) float64 {
		var sum, v float64
		for d := -60.0; d <= 60; d++ {
			sum += math.Exp(-alpha * d * d)
			v += d * d * math.Exp(-alpha*d*d)
		}
		return v / sum
	}
	for range t.n {
		alpha := 0.02 + 0.48*t.rng.Float64()
		t.number(variance(alpha)*2*alpha, 1)
		for _, r := range []struct{ mass, radius float64 }{{0.5, 0.8325546}, {0.9, 1.5174271}} {
			const steps = 4000 // ∫ 2αr·exp(-αr²) dr by the midpoint rule
			var mass float64
			dr := r.radius / math.Sqrt(alpha) / steps
			for i := range steps {
				at := (float64(i) + 0.5) * dr
				mass += 2 * alpha * at * math.Exp(-alpha*at*at) * dr
			}
			t.number(mass, r.mass)
		}
	}
	t.differs(1/16.-variance(8), 0.05, "α = 8: 1/(2α) is %.4f, the variance on the pixels %.4f", 1/16., variance(8))
}

// downsampling runs the program's own operation and undoes it.
func downsampling(t *trial) {
	for range min(t.n, 20) {
		rows, cols, ch := 2*t.between(1, 4), 2*t.between(1, 4), t.between(1, 3)
		x := normal[float32](t.rng, rows*cols*ch, 1)
		var tokens *nn.Node
		g := must(nn.Build(false, func(g *nn.Graph) {
			tokens = nn.SpaceToDepth{S: 2}.Forward(g, g.Input("x", x, 1, rows, cols, ch))
		}))
		f := nn.Compile(g)
		if err := f.Run(0); err != nil {
			t.fail("%v", err)
		}
		back := make([]float32, len(x))
		for i, v := range nn.Value(tokens) {
			token, place := i/(4*ch), i%(4*ch)
			r, c := token/(cols/2)*2+place/(2*ch), token%(cols/2)*2+place/ch%2
			back[(r*cols+c)*ch+place%ch] = v
		}
		f.Close()
		t.equal(widened(back), widened(x))
	}
}
