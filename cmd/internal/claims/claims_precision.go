package claims

import (
	"math"
	"slices"
	"sort"

	"github.com/attnconv/attnconv/internal/op"
	"github.com/attnconv/attnconv/model/convert"
	"github.com/attnconv/attnconv/nn"
	"github.com/attnconv/attnconv/theorem"
)

// How large α has to be in floating-point arithmetic.
var precision = []Claim{
	{
		ID: "alpha-46",
		Statement: "At α = 46 the weights of all other pixels are zero in float32, because e^-46 is below its " +
			"smallest positive number, about 10^-45.",
		By: Paper, Verdict: FalseAsWritten, Tolerance: 0,
		Condition: "e^-46 is 1.05e-20, an ordinary float32; 10^-45 is e^-103.6. It is true that from α = 18.03 on a " +
			"neighbor's weight no longer changes the sum, so for pixels of similar size the output is that of the " +
			"convolution",
		check: alpha46,
	},
	{
		ID:        "alpha-one-float32",
		Statement: "In float32 the center's weight is exactly 1 from α = ln 4 + 24·ln 2 = 18.02 on.",
		By:        Ours, Verdict: HoldsIf, Tolerance: 1e-5,
		Reason: "float32 rounds at 2^-24; four neighbors weigh e^-α each",
		Condition: "the neighbors are summed before the center. In the row-major order of a plain softmax two of " +
			"them come before it, and 25·ln 2 = 17.33 suffices. If all come after it, 24·ln 2 = 16.64 suffices",
		check: func(t *trial) { weightIsOne[float32](t, 24) },
	},
	{
		ID:        "alpha-one-float64",
		Statement: "In float64 the center's weight is exactly 1 from α = ln 4 + 53·ln 2 = 38.12 on.",
		By:        Ours, Verdict: HoldsIf, Tolerance: 1e-5,
		Reason: "float64 rounds at 2^-53",
		Condition: "the neighbors are summed first, as in float32. In row-major order 54·ln 2 = 37.43 suffices, and " +
			"53·ln 2 = 36.74 with the center first",
		check: func(t *trial) { weightIsOne[float64](t, 53) },
	},
	{
		ID: "alpha-zero",
		Statement: "The neighbors' weights are exactly 0 above α = 150·ln 2 = 103.97 in float32 and 1075·ln 2 = " +
			"745.13 in float64, and not below.",
		By: Ours, Verdict: HoldsIf, Tolerance: 1e-5,
		Reason: "half of the smallest subnormal number, 2^-150 and 2^-1075",
		Condition: "subnormal numbers are kept. If they are flushed to zero, as in the program's own softmax, the " +
			"weights are 0 above 126·ln 2 = 87.34 and 1022·ln 2 = 708.40",
		check: func(t *trial) {
			zero32 := func(alpha float64) bool { return neighbor[float32](alpha) == 0 }
			zero64 := func(alpha float64) bool { return neighbor[float64](alpha) == 0 }
			t.scalar(threshold(80, 120, zero32)/(150*math.Ln2), 1)
			t.scalar(threshold(700, 760, zero64)/(1075*math.Ln2), 1)
			flushed := threshold(80, 120, func(alpha float64) bool { return neighbor[float32](alpha) < 0x1p-126 })
			t.scalar(flushed/(126*math.Ln2), 1)
			for _, tt := range []struct {
				alpha float64
				zero  bool
			}{{87.2, false}, {87.5, true}} { // the program's softmax flushes
				p := programSoftmax([]float32{0, -float32(tt.alpha)})
				t.true((p[1] == 0) == tt.zero, "the program's softmax gives a neighbor %g at α = %g", p[1], tt.alpha)
			}
			t.differs(float64(neighbor[float32](100))*1e44, 1,
				"at α = 100, above 87.34, the weight is %.2g in float32, since subnormal "+
					"numbers are kept", neighbor[float32](100))
		},
	},
	{
		ID: "exact-gather",
		Statement: "From α = 104 in float32, 746 in float64, a head copies its pixel bit for bit, whatever finite " +
			"values the others have.",
		By: Ours, Verdict: Holds, Tolerance: 0,
		Reason: "follows from alpha-zero",
		check: func(t *trial) {
			for range t.n {
				gathers[float32](t, 30)
				gathers[float64](t, 300)
			}
		},
	},
	{
		ID:        "hard-gradient",
		Statement: "At hard α the softmax's gradient is zero in float32, and the centers of the heads stop learning.",
		By:        Ours, Verdict: HoldsIf, Tolerance: 0,
		Reason: "p(1 - p) of a weight that is 0 or 1",
		Condition: "α ≥ 104. From α = 18 on a center moves only as far as the neighbors' e^-α lets it, which is not " +
			"measurable at 46. To train on, start from the same convolution with soft heads (see soft-exact)",
		check: hardGradient,
	},
}

// neighborhood returns the softmax of a head centered on the query, in row-major order over 5 × 5 pixels.
func neighborhood[F theorem.Float](alpha float64) []F {
	var p []F
	h := theorem.Gaussian[F]{Center: make([]F, 2), Alpha: F(alpha)}
	for at := range theorem.Positions([]int{5, 5}) {
		p = append(p, h.Score([]int{at[0] - 2, at[1] - 2}))
	}
	theorem.Softmax(p)
	return p
}

// neighbor returns the weight of the pixel above the center.
func neighbor[F theorem.Float](alpha float64) F { return neighborhood[F](alpha)[7] }

// threshold returns the least α between low and high from which on ok holds.
func threshold(low, high float64, ok func(alpha float64) bool) float64 {
	const steps = 1 << 24
	n := sort.Search(steps, func(i int) bool { return ok(low + (high-low)*float64(i)/steps) })
	return low + (high-low)*float64(n)/steps
}

func alpha46(t *trial) {
	w := neighbor[float32](46)
	t.differs(float64(w)/1e-20, 1,
		"at α = 46 a neighbor's weight is %.3g in float32; the smallest positive one is %.1g",
		w, math.SmallestNonzeroFloat32)
	for range t.n {
		c := &theorem.Conv[float32]{Geometry: square(3, theorem.Zero), In: 2, Out: 2}
		randomize(c, t.rng)
		x := normal[float32](t.rng, 50, 1)
		l := must(theorem.FromConv(c, theorem.FromOptions{Alpha: 46}))
		abs, _ := distance(l.Forward([]int{5, 5}, x)[0], c.Forward([]int{5, 5}, x)[0])
		t.scalar(abs, 0)
	}
}

// weightIsOne finds the α from which on a softmax over 5 × 5 pixels gives the center exactly 1: for three orders of the
// keys, and for random ones, which are between these.
func weightIsOne[F theorem.Float](t *trial, bits int) {
	const center = 12
	weight := func(alpha float64, order []int) F {
		h := theorem.Gaussian[F]{Center: make([]F, 2), Alpha: F(alpha)}
		p := make([]F, len(order))
		for i, at := range order {
			p[i] = h.Score([]int{at/5 - 2, at%5 - 2})
		}
		theorem.Softmax(p)
		return p[slices.Index(order, center)]
	}
	nearest := []int{7, 11, 13, 17} // then the rest, whose weights are e^-2α and less
	var others, rows []int
	for at := range 25 {
		rows = append(rows, at)
		if at != center && !slices.Contains(nearest, at) {
			others = append(others, at)
		}
	}
	from := func(order []int) float64 {
		least := threshold(10, 60, func(alpha float64) bool { return weight(alpha, order) == 1 })
		for range 20 { // also for larger α
			alpha := least + 100*t.rng.Float64()
			t.true(weight(alpha, order) == 1, "at α = %g the center's weight is %v", alpha, weight(alpha, order))
		}
		return least
	}
	ln := func(n int) float64 { return float64(n) * math.Ln2 }
	neighborsFirst := slices.Concat(others, nearest, []int{center})
	t.scalar(from(neighborsFirst)/ln(bits+2), 1)
	t.scalar(from(rows)/ln(bits+1), 1)
	t.scalar(from(slices.Concat([]int{center}, nearest, others))/ln(bits), 1)
	for range min(t.n, 20) {
		least := from(t.rng.Perm(25))
		t.scalar(max(0, ln(bits)-least, least-ln(bits+2))/ln(bits), 0)
	}
	between := (ln(bits+1) + ln(bits+2)) / 2
	t.differs(float64(weight(between, rows)-weight(between, neighborsFirst))*math.Exp2(float64(bits)), 0.5,
		"at α = %.2f the plain row-major "+
			"softmax of 5 × 5 pixels gives the center %v, with the neighbors first it is %v", between,
		weight(between, rows),
		weight(between, neighborsFirst))
}

// programSoftmax computes the softmax of one query on the program's fast kernels.
func programSoftmax(scores []float32) []float32 {
	return must(nn.Evaluate(func(g *nn.Graph) []*nn.Node {
		return []*nn.Node{op.Apply(op.SoftmaxOp{}, g.Input("scores", scores, 1, len(scores)))}
	}))[0]
}

// gathers copies pixels whose neighbors are many orders of magnitude larger.
func gathers[F theorem.Float](t *trial, exponent float64) {
	x := make([]F, 25)
	for i := range x {
		x[i] = F(t.rng.NormFloat64() * math.Pow(10, exponent*(2*t.rng.Float64()-1)))
	}
	l := &theorem.Layer[F]{Geometry: square(1, theorem.Replicate), In: 1, Out: 1, Weights: [][]F{{1}},
		Heads: []theorem.Head[F]{theorem.Gaussian[F]{Center: make([]F, 2), Alpha: F(theorem.Hard[F]())}}}
	abs, _ := distance(l.Forward([]int{5, 5}, x)[0], x)
	t.scalar(abs, 0)
}

// hardGradient differentiates the softmax by the center: ∂p_k/∂Δ = p_k·(g_k - Σ_j p_j·g_j) with g = 2α(δ - Δ).
func hardGradient(t *trial) {
	largest := func(alpha float64) (top float32) {
		p := neighborhood[float32](alpha)
		g := func(k int) float32 { return 2 * float32(alpha) * float32(k/5-2) }
		var inner float32
		for k, w := range p {
			inner += w * g(k)
		}
		for k, w := range p {
			top = max(top, float32(math.Abs(float64(w*(g(k)-inner)))))
		}
		return top
	}
	for range t.n {
		t.scalar(float64(largest(104+100*t.rng.Float64())), 0)
	}
	t.true(largest(2) > 0.1, "at α = 2 the gradient is %g, want a large one", largest(2))
	t.scalar(centerGradient(t, 104), 0)
	soft := centerGradient(t, 2)
	t.true(soft > 1e-4, "at α = 2 the program's centers have the gradient %g, want a larger one", soft)
	at46 := largest(46)
	t.differs(float64(at46)/1e-20, 1,
		"∂p/∂Δ is at most %.2g at α = 2, %.2g at 18, %.2g at 46 and %.2g at 104; in the program's "+
			"layer, of a loss, %.2g at 2 and 0 at 104", largest(2), largest(18), at46, largest(104), soft)
}

// centerGradient returns the largest gradient of the centers of the program's own layer: a 3 × 3 convolution as
// attention, the mean over the pixels, cross-entropy.
func centerGradient(t *trial, alpha float64) (top float64) {
	const images, rows, cols, in, out = 4, 6, 6, 2, 3
	c := &theorem.Conv[float32]{Geometry: square(3, theorem.Replicate), In: in, Out: out}
	randomize(c, t.rng)
	layer := must(convert.Trainable(nn.NewScope(0), must(theorem.FromConv(c, theorem.FromOptions{Alpha: alpha})), rows,
		cols))
	x := normal[float32](t.rng, images*rows*cols*in, 1)
	var loss *nn.Node
	g := must(nn.Build(true, func(g *nn.Graph) {
		y := nn.MeanTokens{}.Forward(g, layer.Forward(g, g.Input("x", x, images, rows*cols, in)))
		loss = op.Apply(op.CrossEntropyOp{Target: &op.Target{Labels: []int32{0, 1, 2, 0}}}, y)
	}))
	f := must(nn.Compile(g, loss))
	defer f.Close()
	params, grads := f.Gradients()
	if err := f.Run(0); err != nil {
		panic(err)
	}
	for i, p := range params {
		if p.Group == nn.Position && len(p.Shape) == 2 { // the centers
			for _, v := range nn.Value(grads[i]) {
				top = max(top, math.Abs(float64(v)))
			}
		}
	}
	return top
}
