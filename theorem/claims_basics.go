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
		By: Ours, Source: "scaled scores s/T", Verdict: Holds, Tolerance: 1e-9,
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
		By:        Ours, Source: "definition", Verdict: Holds, Tolerance: 0,
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
		By:        Article, Source: "Vaswani et al. 2017, section 3.2.1", Verdict: HoldsIf, Tolerance: 0.06,
		Condition: "the entries are independent, of mean 0 and variance 1. A query that is its own key scores √d on average",
		check:     scaledVariance,
	},
	{
		ID: "scaled-gradient",
		Statement: "And it keeps the softmax's gradient alive: with it the gradient does not depend on d, without it the softmax " +
			"hardens and its gradient falls like 1/√d.",
		By: Article, Source: "Vaswani et al. 2017, section 3.2.1; the rate is ours", Verdict: HoldsIf, Tolerance: 0.05,
		Condition: "the entries are independent, of mean 0 and variance 1, and d is large: from 64 to 256 dimensions it falls by 8 % less",
		check:     scaledGradient,
	},
	{
		ID: "causal",
		Statement: "A causal mask gives weights that are exactly zero for what is to come; hard causal heads are the convolution that is " +
			"padded on the left only.",
		By: Ours, Source: "exp(-∞) = 0; padding of K - 1 before", Verdict: Holds, Tolerance: 1e-13,
		check: causal,
	},
	{
		ID: "gaussian",
		Statement: "A quadratic head is a Gaussian of variance 1/(2α) along each axis; half of its weight lies within 0.8325546/√α of its " +
			"center, nine tenths within 1.5174271/√α.",
		By: Ours, Source: "exp(-α‖δ - Δ‖²) normalised", Verdict: HoldsIf, Tolerance: 1e-6,
		Condition: "it is wide enough for the tokens: α ≤ 1/2 for the variance; narrower heads lie on single tokens, with less of it. The " +
			"radii are those of the plane: the tokens within them have 0.18 more or less than a half at α ≤ 1/2, 0.05 at α ≤ 1/20",
		check: gaussian,
	},
	{
		ID:        "downsampling",
		Statement: "Making every square of 2 × 2 pixels one token loses nothing: it can be undone, bit for bit.",
		By:        Paper, Source: "Cordonnier et al. 2020, section 4 (invertible down-sampling)", Verdict: Holds, Tolerance: 0,
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

// scaledGradient compares the softmax of eight keys for two dimensions, the second four times the first: √d grows by two.
func scaledGradient(t *trial) {
	with, without := t.gradients(4096)
	with4, without4 := t.gradients(4 * 4096)
	t.number(with4/with, 1)
	t.number(2*without4/without, 1)
	_, small := t.gradients(64)
	_, small4 := t.gradients(4 * 64)
	t.differs(2*small4/small-1, 0.05, "eight keys: the gradient's norm is %.4f with √d at d = 4096 and %.4f at 16384, without it %.4f "+
		"and %.4f; and %.4f at 64, %.4f at 256", with, with4, without, without4, small, small4)
}

// gradients is the mean norm of the softmax's derivative for random queries and keys of d numbers, with √d and without. Keys
// of normal numbers score a query of length l with normal numbers of deviation l.
func (t *trial) gradients(d int) (with, without float64) {
	const queries, sets, keys = 300, 500, 8
	scores := make([]float64, keys)
	for range queries {
		q := t.normal(d)
		length := math.Sqrt(plain.Dot(q, q))
		for range sets {
			for k := range scores {
				scores[k] = t.rng.NormFloat64() * length
			}
			without += jacobian(scores) / (queries * sets)
			for k := range scores {
				scores[k] /= math.Sqrt(float64(d))
			}
			with += jacobian(scores) / (queries * sets)
		}
	}
	return with, without
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

// gaussian adds weights up over tokens, around centers that are no tokens too.
func gaussian(t *trial) {
	const reach = 40
	variance := func(alpha, center float64) float64 {
		var sum, v float64
		for d := -60 - center; d <= 60; d++ {
			sum += math.Exp(-alpha * d * d)
			v += d * d * math.Exp(-alpha*d*d)
		}
		return v / sum
	}
	within := func(alpha, radius float64, center [2]float64) float64 {
		var sum, mass float64
		for row := -reach; row <= reach; row++ {
			for col := -reach; col <= reach; col++ {
				y, x := float64(row)-center[0], float64(col)-center[1]
				w := math.Exp(-alpha * (y*y + x*x))
				if sum += w; y*y+x*x <= radius*radius/alpha {
					mass += w
				}
			}
		}
		return mass / sum
	}
	for i := range 4 * t.n {
		alpha, center := 0.02+0.48*t.rng.Float64(), [2]float64{t.rng.Float64(), t.rng.Float64()}
		if i%2 == 0 {
			center = [2]float64{}
		}
		t.number(variance(alpha, center[0])*2*alpha, 1)
		half, most := within(alpha, 0.8325546, center), within(alpha, 1.5174271, center)
		limit := map[bool]float64{true: 0.05, false: 0.18}[alpha <= 0.05]
		t.true(math.Abs(half-0.5) <= limit && math.Abs(most-0.9) <= 0.07, "α = %.3f: %.3f and %.3f of the weight lie within the two radii",
			alpha, half, most)
		t.differs(math.Abs(half-0.5), 0.02, "α = %.3f, Δ = (%.2f, %.2f): %.3f of the weight on tokens lies within 0.8325546/√α, not a half",
			alpha, center[0], center[1], half)
	}
	for _, r := range []struct{ mass, radius float64 }{{0.5, 0.8325546}, {0.9, 1.5174271}} { // on the plane, 1 - exp(-r²)
		t.number(1-math.Exp(-r.radius*r.radius), r.mass)
	}
	t.true(1/16.-variance(8, 0) > 0.05, "α = 8: 1/(2α) is %.4f, the variance on the tokens %.4f", 1/16., variance(8, 0))
}

// downsampling runs the program's own operation and undoes it.
func downsampling(t *trial) {
	for range min(t.n, 20) {
		rows, cols, ch := 2*t.between(1, 4), 2*t.between(1, 4), t.between(1, 3)
		x := normal[float32](t.rng, rows*cols*ch, 1)
		tokens := must(evaluate(func(g *nn.Graph) []*nn.Node {
			return []*nn.Node{nn.SpaceToDepth{S: 2}.Forward(g, g.Input("x", x, 1, rows, cols, ch))}
		}))
		back := make([]float32, len(x))
		for i, v := range tokens[0] {
			token, place := i/(4*ch), i%(4*ch)
			r, c := token/(cols/2)*2+place/(2*ch), token%(cols/2)*2+place/ch%2
			back[(r*cols+c)*ch+place%ch] = v
		}
		t.equal(widened(back), widened(x))
	}
}
