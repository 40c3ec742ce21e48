package claims

import (
	"math"

	"github.com/attnconv/attnconv/internal/plain"
	"github.com/attnconv/attnconv/nn"
	"github.com/attnconv/attnconv/theorem"
)

// What attention is made of.
var basics = []Claim{
	{
		ID: "soft-dictionary",
		Statement: "Attention is a soft dictionary. As the temperature falls it returns the best key's value, and as " +
			"it rises the mean of all values.",
		By: Article, Verdict: Holds, Tolerance: 1e-9,
		Reason: "the limits of the temperature, scores s/T: ours",
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
		Statement: "A one-hot matrix times an embedding table selects rows of the table, exactly.",
		By:        Article, Verdict: Holds, Tolerance: 0,
		Construction: "this is what a product of matrices is",
		check: func(t *trial) {
			for range t.n {
				of := t.between(1, 9)
				table, rows := plain.Normal(t.rng, of, 4, 1), []int{t.rng.IntN(of), t.rng.IntN(of)}
				t.equal(plain.OneHot(rows, of).Times(table).Flat(),
					append(append([]float64{}, table[rows[0]]...), table[rows[1]]...))
			}
		},
	},
	{
		ID:        "scaled-variance",
		Statement: "Dividing by √d keeps the variance of the scores q·k at one, for any dimension d.",
		By:        Article, Verdict: HoldsIf, Tolerance: 0.06,
		Condition: "the entries are independent, of mean 0 and variance 1. A query that is its own key scores √d on " +
			"average",
		check: scaledVariance,
	},
	{
		ID: "scaled-gradient",
		Statement: "Dividing by √d also keeps the softmax's gradient from vanishing: the gradient then does not " +
			"depend on d. Without it the softmax saturates, and its gradient falls like 1/√d.",
		By: Article, Verdict: HoldsIf, Tolerance: 0.05,
		Reason: "the rate is ours",
		Condition: "the entries are independent, of mean 0 and variance 1, and d is large. From 64 to 256 dimensions " +
			"it falls by 8 % less",
		check: scaledGradient,
	},
	{
		ID: "causal",
		Statement: "A causal mask gives later tokens exactly zero weight. Hard causal heads are the convolution that " +
			"is padded only on the left.",
		By: Article, Verdict: Holds, Tolerance: 1e-13,
		Reason: "exp(-∞) = 0; padding of K - 1 before",
		check:  causal,
	},
	{
		ID: "gaussian",
		Statement: "A quadratic head is a Gaussian of variance 1/(2α) along each axis. 50 % of its weight is within " +
			"0.8325546/√α of its center, 90 % within 1.5174271/√α.",
		By: Ours, Verdict: HoldsIf, Tolerance: 1e-6,
		Reason: "exp(-α‖δ - Δ‖²) normalized",
		Condition: "it spans several tokens. For the variance that means α ≤ 1/2; a narrower head is concentrated on " +
			"single tokens and has a smaller variance. The radii are exact in the plane: the weight of the tokens " +
			"within the first differs from 0.5 by up to 0.18 at α ≤ 1/2, and by up to 0.05 at α ≤ 1/20",
		check: gaussian,
	},
	{
		ID: "downsampling",
		Statement: "Merging every 2 × 2 pixels into one token loses nothing, because it can be inverted, bit for " +
			"bit.",
		By: Paper, Verdict: Holds, Tolerance: 0,
		check: downsampling,
	},
}

func scaledVariance(t *trial) {
	for _, d := range []int{4, 64, 512} {
		const samples = 20000
		var sum, squares, own float64 // own: scores of queries that are their own key
		for range samples {
			q, k := t.normal(d), t.normal(d)
			s := plain.Scaled(q, k)
			sum, squares, own = sum+s, squares+s*s, own+plain.Scaled(q, q)
		}
		t.scalar(squares/samples-math.Pow(sum/samples, 2), 1)
		t.scalar(own/samples, math.Sqrt(float64(d)))
		t.differs(own/samples, math.Sqrt(float64(d))/2, "d = %d: a query and itself score %.2f on average", d,
			own/samples)
	}
}

// scaledGradient compares the softmax of eight keys in d and in 4·d dimensions, so that √d doubles.
func scaledGradient(t *trial) {
	with, without := t.gradients(4096)
	with4, without4 := t.gradients(4 * 4096)
	t.scalar(with4/with, 1)
	t.scalar(2*without4/without, 1)
	_, small := t.gradients(64)
	_, small4 := t.gradients(4 * 64)
	t.differs(2*small4/small-1, 0.05,
		"eight keys: the gradient's norm is %.4f with √d at d = 4096 and %.4f at 16384, without it %.4f "+
			"and %.4f; and %.4f at 64, %.4f at 256", with, with4, without, without4, small, small4)
}

// gradients returns the mean norm of the softmax's derivative for random queries and keys of dimension d, with √d and
// without. The scores of a query of norm l with normal keys are normal with standard deviation l.
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

// jacobian returns the norm of the softmax's derivative, diag(p) - p·pᵀ.
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
				t.scalar(w, 0)
			}
		}
		x[n-1] = t.normal(3) // the future changes
		changed, _ := plain.Attend(x, x, x, plain.Scaled, plain.Causal)
		t.true(gap(changed[:n-1].Flat(), out[:n-1].Flat()) == 0, "a later token changed earlier results")
		t.becomes(t.conv(theorem.Geometry{Kernel: []int{k}, Before: []int{k - 1}, After: []int{0}}, 2, 2), []int{n})
	}
}

// gaussian sums weights over tokens, also around fractional centers.
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
		t.scalar(variance(alpha, center[0])*2*alpha, 1)
		half, most := within(alpha, 0.8325546, center), within(alpha, 1.5174271, center)
		limit := map[bool]float64{true: 0.05, false: 0.18}[alpha <= 0.05]
		t.true(math.Abs(half-0.5) <= limit && math.Abs(most-0.9) <= 0.07,
			"α = %.3f: %.3f and %.3f of the weight are within the two radii", alpha, half, most)
		t.differs(math.Abs(half-0.5), 0.02,
			"α = %.3f, Δ = (%.2f, %.2f): %.3f of the weight on tokens is within 0.8325546/√α, not 0.5",
			alpha, center[0], center[1], half)
	}
	// in the plane, 1 - exp(-r²)
	for _, r := range []struct{ mass, radius float64 }{{0.5, 0.8325546}, {0.9, 1.5174271}} {
		t.scalar(1-math.Exp(-r.radius*r.radius), r.mass)
	}
	t.true(1/16.-variance(8, 0) > 0.05, "α = 8: 1/(2α) is %.4f, the variance on the tokens %.4f", 1/16., variance(8, 0))
}

// downsampling runs the program's operation and inverts it.
func downsampling(t *trial) {
	for range min(t.n, 20) {
		rows, cols, ch := 2*t.between(1, 4), 2*t.between(1, 4), t.between(1, 3)
		x := normal[float32](t.rng, rows*cols*ch, 1)
		tokens := must(nn.Evaluate(func(g *nn.Graph) []*nn.Node {
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
