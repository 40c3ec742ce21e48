package theorem

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/attnconv/attnconv/theorem/plain"
)

// Sentences that are passed on about attention and convolution.
var sentences = []Claim{
	{
		ID:        "dense-qk",
		Statement: "A dense layer is self-attention with Q·Kᵀ = I and W_V = I and with as many heads as tokens.",
		By:        Notes, Source: "wording ours", Verdict: FalseAsWritten, Tolerance: 1e-12,
		Condition: "the softmax of I is not I: of n tokens each gives itself e/(e + n - 1). With α·I and a large α the attention is I, and the " +
			"heads add up to one map of each token by itself, a dense layer that the tokens share, for which one head is enough. A " +
			"dense layer over all tokens, Σ_k x_k·W_k, takes a head that looks at token k from everywhere, by absolute position, for each k",
		check: denseQK,
	},
	{
		ID: "flattened-window",
		Statement: "On an image written as one row of pixels, attention is a k × k convolution if w_ij = 1 at j = i - (k² - 1)/2 to " +
			"i + (k² - 1)/2.",
		By: Notes, Source: "wording ours", Verdict: FalseAsWritten, Tolerance: 1e-13,
		Condition: "the kernel's shifts are dy·W + dx, from -(k - 1)/2·(W + 1) to (k - 1)/2·(W + 1). They are the k² neighbours in the row if " +
			"the image is as wide as the kernel, and no other time; there, too, they run on into the next row beside the middle " +
			"column. And each has a matrix, so a head, of its own",
		check: flattenedWindow,
	},
	{
		ID:        "dominated",
		Statement: "Without maps, y₁ is dominated by x₁: a token gives itself the largest weight.",
		By:        Article, Source: "introductions to self-attention; wording ours", Verdict: HoldsIf, Tolerance: 0,
		Condition: "no other token is longer, as when all have one norm: x₁·x_k ≤ ‖x₁‖·‖x_k‖. A longer one in a like direction has more",
		check:     dominated,
	},
	{
		ID:        "d-out",
		Statement: "The layer's output has D_out = N_h·D_h channels.",
		By:        Slides, Source: "slides on Theorem 1 (Lau 2021)", Verdict: FalseAsWritten, Tolerance: 1e-12,
		Condition: "N_h·D_h is how many W_out takes in; D_out is free. The theorem wants D_h ≥ D_out, so at least N_h·D_out of them",
		check:     outputChannels,
	},
	{
		ID:        "split-parameters",
		Statement: "Heads that split the channels have as many parameters as one head, 4·D².",
		By:        Article, Source: "cf. Vaswani et al. 2017, section 3.2.2, on cost; wording ours", Verdict: HoldsIf, Tolerance: 0,
		Condition: "N_h divides D. Heads that are put side by side whole, as the theorem wants them, have N_h times as many",
		check:     splitParameters,
	},
	{
		ID: "path-lengths",
		Statement: "From one of n tokens to another the way is 1 layer of self-attention, n steps of recurrence, n/k layers of convolution " +
			"and log_k n dilated ones.",
		By: Article, Source: "Vaswani et al. 2017, table 1", Verdict: HoldsIf, Tolerance: 0,
		Condition: "these are orders of growth: exactly n - 1, ⌈(n - 1)/(k - 1)⌉ and ⌈log_k n⌉, the last with dilations 1, k, k², …",
		check:     pathLengths,
	},
	{
		ID:        "position-difference",
		Statement: "The difference of two absolute encodings, P_k - P_q, depends on δ = k - q alone.",
		By:        Notes, Source: "wording ours", Verdict: HoldsIf, Tolerance: 1e-12,
		Condition: "P is affine, P_t = a + t·b, and for no other: P_1 - P_0 = P_2 - P_1 = … Of sinusoids it is the dot product that depends on δ " +
			"alone, P_q·P_k",
		check: positionDifference,
	},
	{
		ID: "edge-detectors",
		Statement: "One layer with content can be two edge detectors, at +45° and -45°, and choose between them for each pixel by what it " +
			"shows; the best 3 × 3 convolution is far from that.",
		By: Notes, Source: "wording ours; the term query·shift of eq. 8", Verdict: Holds, Tolerance: 1e-12,
		check: edgeDetectors,
	},
	{
		ID:        "disc",
		Statement: "Heads that look evenly at a disc of radius R, each around a shift of its own, are one convolution, too.",
		By:        Slides, Source: "slides on figure 4 (Lau 2021)", Verdict: HoldsIf, Tolerance: 1e-12,
		Condition: "the discs stay inside the image, or on a torus. At a border they are cut off, and what is left weighs more. And no quadratic " +
			"score has such a profile, only one of a free number for each shift",
		check: discs,
	},
	{
		ID:        "rotations",
		Statement: "Round heads commute with rotations of the image by 90°.",
		By:        Ours, Source: "‖δ‖ does not change", Verdict: HoldsIf, Tolerance: 1e-12,
		Condition: "the layer's centers turn into each other, with one matrix for all of an orbit: a head on the query is its own. A head of " +
			"any other shape turns into one of the turned shape, S into R·S",
		check: rotations,
	},
}

func denseQK(t *trial) {
	for range t.n {
		n, in, out := t.between(2, 6), t.between(1, 3), t.between(1, 3)
		x, alpha := plain.Normal(t.rng, n, in, 1), Hard[float64]()
		maps := make([]plain.Matrix, n) // a head's W_out
		soft, hard, want, shared := plain.New(n, out), plain.New(n, out), plain.New(n, out), plain.New(in, out)
		over, dense := plain.New(n, out), make([]float64, out)
		for h := range maps {
			maps[h] = plain.Normal(t.rng, in, out, 1)
			shared = shared.Plus(maps[h])
			diagonal, column := plain.Identity(n), plain.New(n, n)
			soft = soft.Plus(plain.SoftmaxRows(diagonal).Times(x).Times(maps[h]))
			for q := range n {
				diagonal[q][q], column[q][h] = alpha, alpha
			}
			hard = hard.Plus(plain.SoftmaxRows(diagonal).Times(x).Times(maps[h]))
			over = over.Plus(plain.SoftmaxRows(column).Times(x).Times(maps[h]))
			for o := range dense {
				for i, v := range x[h] {
					dense[o] += v * maps[h][i][o]
				}
			}
		}
		for q := range want {
			want[q] = x[q : q+1].Times(shared)[0]
			t.equal(over[q], dense)
		}
		t.equal(hard.Flat(), want.Flat())
		own := plain.Softmax(plain.Identity(n)[0])[0]
		t.number(own, math.E/(math.E+float64(n)-1))
		off := plain.New(1, out)
		copy(off[0], dense)
		t.differs(gap(soft[0], off[0]), 0.1, "%d tokens, %d heads: the softmax of I gives a token %.3f of its own; the result is off by %.2g of the "+
			"dense layer's largest", n, n, own, gap(soft[0], off[0]))
	}
}

func flattenedWindow(t *trial) {
	for range t.n {
		k := 1 + 2*t.between(1, 2)
		c := t.conv(Geometry{Kernel: []int{k, k}, Before: []int{k / 2, k / 2}, After: []int{k / 2, k / 2}}, 1, 1)
		window := func(rows, cols int, x []float64) []float64 { // a head on each of the k² neighbours in the row, zeros around
			l := &Layer[float64]{In: 1, Out: 1, Bias: c.Bias,
				Geometry: Geometry{Kernel: []int{k * k}, Before: []int{k * k / 2}, After: []int{k * k / 2}}}
			for h := range k * k {
				l.Heads = append(l.Heads, Gaussian[float64]{[]float64{float64(h - k*k/2)}, Hard[float64]()})
				l.Weights = append(l.Weights, c.Weight[h:h+1])
			}
			return l.Forward([]int{rows * cols}, x)[0]
		}
		// In the middle column of an image as wide as the kernel nothing runs on into the next row.
		rows := t.between(k, k+2)
		x := t.normal(rows * k)
		got, want := window(rows, k, x), c.exact([]int{rows, k}, x)
		for r := range rows {
			t.number(got[r*k+k/2], want[r*k+k/2])
		}
		cols := k + t.between(1, 4)
		x = t.normal(rows * cols)
		got, want = window(rows, cols, x), c.exact([]int{rows, cols}, x)
		middle := (rows/2)*cols + cols/2
		t.differs(math.Abs(got[middle]-want[middle]), 0.1, "%d × %d kernel, %d × %d pixels: the pixel in the middle becomes %.3f, the "+
			"convolution's is %.3f", k, k, rows, cols, got[middle], want[middle])
	}
}

func dominated(t *trial) {
	for range t.n {
		n, d := t.between(2, 6), t.between(2, 5)
		x := plain.Normal(t.rng, n, d, 1)
		for _, row := range x {
			length := math.Sqrt(plain.Dot(row, row))
			for i := range row {
				row[i] *= 2 / length
			}
		}
		_, weights := plain.Attend(x, x, x, plain.Dot, nil)
		for q, row := range weights {
			t.true(slices.Max(row) == row[q], "of tokens of one norm, token %d gives itself %.3g of %.3g", q+1, row[q], slices.Max(row))
		}
	}
	x := plain.Matrix{{1, 0}, {3, 1}}
	_, weights := plain.Attend(x, x, x, plain.Dot, nil)
	t.differs(weights[0][1]-weights[0][0], 0.5, "x₁ = (1, 0), x₂ = (3, 1): y₁ has %.3f of x₁ and %.3f of x₂", weights[0][0], weights[0][1])
}

func outputChannels(t *trial) {
	for range t.n {
		c := t.conv(square(2, Zero), 8, 3) // four heads of three: twelve numbers go into W_out, three come out
		l := must(FromConv(c, FromOptions{}))
		f := must(l.Factor(3))
		t.number(float64(len(f.Out)*len(f.Out[0])/c.Out), 12)
		t.compare(f.Layer(l), c, []int{4, 4})
		full := t.conv(square(2, Zero), 8, 8) // D_out = 8 = 4·2
		few := must(must(FromConv(full, FromOptions{})).Factor(2))
		t.differs(few.Lost, 0.2, "2 × 2 kernels, 8 channels in: 4 heads with D_h = D_out = 3 are the convolution; with D_h = 2, D_out = 8 = N_h·D_h, "+
			"%.0f %% of its norm is lost", 100*few.Lost)
	}
}

func splitParameters(t *trial) {
	count := func(m plain.MultiHead) (n int) {
		for _, h := range m.Heads {
			n += len(h.Query.Flat()) + len(h.Key.Flat()) + len(h.Value.Flat())
		}
		return n + len(m.Out.Flat())
	}
	for range t.n {
		heads, part := t.between(1, 6), t.between(1, 5)
		d := heads * part
		t.number(float64(count(plain.NewMultiHead(t.rng, d, heads))), float64(4*d*d))
		whole := plain.MultiHead{Out: plain.New(heads*d, d)}
		for range heads {
			whole.Heads = append(whole.Heads, plain.Head{Query: plain.New(d, d), Key: plain.New(d, d), Value: plain.New(d, d)})
		}
		t.number(float64(count(whole)), float64(4*heads*d*d))
	}
	uneven := count(plain.NewMultiHead(t.rng, 400, 9))
	t.differs(float64(4*400*400-uneven), 1000, "D = 400, 9 heads of 44: %d parameters; one head has %d", uneven, 4*400*400)
}

// pathLengths counts the layers that it takes a change of the first token to reach the last.
func pathLengths(t *trial) {
	for range min(t.n, 20) {
		n, k := t.between(2, 40), t.between(2, 5)
		layers := func(next func(layer int, x []float64) []float64) (count int) {
			x := make([]float64, n)
			for x[0] = 1; x[n-1] == 0; count++ {
				x = next(count, x)
			}
			return count
		}
		conv := func(dilation int, x []float64) []float64 { // each token sees itself and k - 1 before
			return plain.Conv{Kernel: []int{k}, Dilation: []int{dilation}, Before: []int{(k - 1) * dilation}, After: []int{0}, In: 1, Out: 1,
				Weight: slices.Repeat([]float64{1}, k)}.Forward([]int{n}, x)
		}
		t.number(float64(layers(func(_ int, x []float64) []float64 {
			p := plain.SoftmaxRows(plain.Normal(t.rng, n, n, 1))
			return p.Times(plain.Matrix{x}.T()).T()[0]
		})), 1)
		recurrent := layers(func(_ int, x []float64) []float64 { return append([]float64{x[0]}, x[:n-1]...) })
		t.number(float64(recurrent), float64(n-1))
		plainly := layers(func(_ int, x []float64) []float64 { return conv(1, x) })
		t.number(float64(plainly), math.Ceil(float64(n-1)/float64(k-1)))
		dilation, want := 1, 0
		for reach := 1; reach < n; reach *= k {
			want++
		}
		dilated := layers(func(_ int, x []float64) []float64 {
			y := conv(dilation, x)
			dilation *= k
			return y
		})
		t.number(float64(dilated), float64(want))
		t.differs(float64(plainly)-float64(n)/float64(k), 0.5, "n = %d, k = %d: %d layers of convolution, and n/k is %.1f", n, k, plainly,
			float64(n)/float64(k))
	}
}

func positionDifference(t *trial) {
	const dim = 6
	minus := func(p plain.Matrix, k, q int) []float64 {
		d := slices.Clone(p[k])
		for i, v := range p[q] {
			d[i] -= v
		}
		return d
	}
	for range t.n {
		n := t.between(4, 9)
		a, b := t.normal(dim), t.normal(dim)
		affine, waves := plain.New(n, dim), plain.Sinusoid(n, dim)
		for place, row := range affine {
			for i := range row {
				row[i] = a[i] + float64(place)*b[i]
			}
		}
		shift := t.between(1, n-2)
		q := t.between(1, n-1-shift)
		t.equal(minus(affine, q+shift, q), minus(affine, shift, 0))
		t.number(plain.Dot(waves[q], waves[q+shift]), plain.Dot(waves[0], waves[shift]))
		off := gap(minus(waves, q+shift, q), minus(waves, shift, 0))
		t.differs(off, 0.1, "sinusoids of %d numbers: P_%d - P_%d and P_%d - P_0 differ by %.2g of the largest", dim, q+shift, q, shift, off)

		even := plain.Normal(t.rng, n, dim, 1) // with all first differences made equal it is affine
		for place := 2; place < n; place++ {
			for i := range even[place] {
				even[place][i] = even[place-1][i] + even[1][i] - even[0][i]
			}
		}
		for place := range even {
			for i := range even[place] {
				t.number(even[place][i], even[0][i]+float64(place)*(even[1][i]-even[0][i]))
			}
		}
	}
}

// edgeDetectors has images of two channels: brightness, and which of two detectors each pixel wants, 1 or -1. Two heads look at
// (-1, g) and (1, -g) from a query that shows g: in the score -α‖δ - Δ‖² that is the term 2α·g·δ₂, a product of what the
// query shows and the shift.
func edgeDetectors(t *trial) {
	const side, samples = 5, 30
	inner := (side - 2) * (side - 2)
	patches, wanted := mat.NewDense(samples*inner, 2*9+1, nil), mat.NewDense(samples*inner, 1, nil)
	for s := range samples {
		bright, gate := t.normal(side*side), make([]float64, side*side)
		for i := range gate {
			gate[i] = float64(2*t.rng.IntN(2) - 1)
		}
		row := s * inner
		for r := 1; r < side-1; r++ {
			for c := 1; c < side-1; c++ {
				q := r*side + c
				var y float64
				for _, sign := range []float64{1, -1} { // head (-1, g) with weight 1, head (1, -g) with weight -1
					scores := make([]float64, side*side)
					for k := range scores {
						down, right := float64(k/side-r), float64(k%side-c)
						scores[k] = Hard[float64]() * (-down*down - right*right - 2*sign*down + 2*sign*gate[q]*right)
					}
					for k, p := range plain.Softmax(scores) {
						y += sign * p * bright[k]
					}
				}
				rising := bright[(r-1)*side+c+1] - bright[(r+1)*side+c-1]  // +45°
				falling := bright[(r-1)*side+c-1] - bright[(r+1)*side+c+1] // -45°
				want := rising
				if gate[q] < 0 {
					want = falling
				}
				t.number(y, want)
				for e := range 9 {
					k := (r+e/3-1)*side + c + e%3 - 1
					patches.Set(row, 2*e, bright[k])
					patches.Set(row, 2*e+1, gate[k])
				}
				patches.Set(row, 18, 1)
				wanted.Set(row, 0, want)
				row++
			}
		}
	}
	residual := solve(patches, wanted).Residual
	t.differs(residual, 0.5, "two heads are both detectors, as each pixel chooses; the best 3 × 3 convolution of brightness and choice leaves "+
		"%.2f of it", residual)
}

func discs(t *trial) {
	for range min(t.n, 6) {
		radius := 1 + t.rng.Float64()
		g := square(9, Circular)
		l := &Layer[float64]{Geometry: g, In: 2, Out: 2}
		for range t.between(1, 4) {
			row, col := t.between(-2, 2), t.between(-2, 2)
			disc := Table[float64]{}
			for _, s := range g.Shifts() {
				if y, x := float64(s[0]-row), float64(s[1]-col); y*y+x*x <= radius*radius {
					disc.Shifts, disc.Scores = append(disc.Shifts, s), append(disc.Scores, 0)
				}
			}
			l.Heads, l.Weights = append(l.Heads, disc), append(l.Weights, t.normal(4))
		}
		c, residual := ToConv(l, []int{9, 9})
		t.number(residual, 0)
		t.compare(l, c, []int{9, 9})
		cut := &Layer[float64]{Geometry: square(9, Replicate), In: 1, Out: 1, Weights: [][]float64{{1}}, Heads: []Head[float64]{
			HeadFunc[float64](func(d []int) float64 {
				if float64(d[0]*d[0]+d[1]*d[1]) <= radius*radius {
					return 0
				}
				return -Hard[float64]()
			})}}
		off := cut.zeroPadded([]int{5, 5})
		t.differs(off, 0.05, "discs of radius %.2f on 5 × 5 pixels: the nearest convolution with zeros around is off by %.2g of the norm", radius,
			off)
	}
	// of all Gaussians on whole shifts, the one nearest to a disc of nine
	least := math.Inf(1)
	for alpha := 0.01; alpha < 5; alpha *= 1.02 {
		var sum, off float64
		for d := range positions([]int{9, 9}) {
			sum += math.Exp(-alpha * float64((d[0]-4)*(d[0]-4)+(d[1]-4)*(d[1]-4)))
		}
		for d := range positions([]int{9, 9}) {
			y, x := d[0]-4, d[1]-4
			p := math.Exp(-alpha*float64(y*y+x*x)) / sum
			if y*y+x*x <= 2 {
				p -= 1. / 9
			}
			off += math.Abs(p) / 2
		}
		least = min(least, off)
	}
	t.true(least > 0.15, "a Gaussian comes within %.3f of the weight of an even disc", least)
}

// zeroPadded is how far a layer, whose keys are the pixels, is from the nearest convolution as large as its kernel with zeros
// around: a share of the layer's norm.
func (l *Layer[F]) zeroPadded(size []int) float64 {
	n := volume(size)
	e := mat.NewDense(n*n, l.Entries(), nil)
	p := mat.NewDense(n*n, len(l.Heads), nil)
	l.Attend(size, func(h, q int, _ []int, w []F) {
		for k, v := range w {
			p.Set(q*n+k, h, float64(v))
		}
	})
	for t, s := range l.Shifts() {
		for q := range n {
			row, col := q/size[1]+s[0], q%size[1]+s[1]
			if row >= 0 && row < size[0] && col >= 0 && col < size[1] {
				e.Set(q*n+row*size[1]+col, t, 1)
			}
		}
	}
	var off mat.Dense
	off.Mul(e, solve(e, p).Phi)
	off.Sub(p, &off)
	return math.Sqrt(max(0, l.square(&off)) / l.square(p))
}

func rotations(t *trial) {
	turned := func(x []float64, n int) []float64 { // by 90°: what stood at (row, col) stands at (col, n-1-row)
		y := make([]float64, len(x))
		each := len(x) / (n * n)
		for at := range n * n {
			to := at%n*n + n - 1 - at/n
			copy(y[to*each:(to+1)*each], x[at*each:(at+1)*each])
		}
		return y
	}
	for range t.n {
		n, alpha := t.between(3, 6), 0.2+t.rng.Float64()
		size, x := []int{n, n}, t.normal(n*n*2)
		layer := func(w []float64, heads ...Head[float64]) *Layer[float64] {
			l := &Layer[float64]{Geometry: square(1, Replicate), In: 2, Out: 2, Heads: heads}
			for range heads {
				l.Weights = append(l.Weights, w)
			}
			return l
		}
		both := func(l *Layer[float64]) (first, then []float64) {
			return l.Forward(size, turned(x, n))[0], turned(l.Forward(size, x)[0], n)
		}
		w, y, z := t.normal(4), 4*t.rng.Float64()-2, 4*t.rng.Float64()-2
		t.equal(both(layer(w, Gaussian[float64]{[]float64{0, 0}, alpha})))
		t.equal(both(layer(w, Gaussian[float64]{[]float64{y, z}, alpha}, Gaussian[float64]{[]float64{z, -y}, alpha},
			Gaussian[float64]{[]float64{-y, -z}, alpha}, Gaussian[float64]{[]float64{-z, y}, alpha})))
		long := func(a, b float64) Elliptic[float64] {
			return Elliptic[float64]{[]float64{0, 0}, [][]float64{{2 * a, 0}, {0, 2 * b}}}
		}
		wide, tall := layer(w, long(alpha, 4*alpha)), layer(w, long(4*alpha, alpha))
		t.equal(tall.Forward(size, turned(x, n))[0], turned(wide.Forward(size, x)[0], n))
		d := gap(both(wide))
		t.differs(d, 0.05, "a head four times as narrow along the columns, %d × %d pixels: off by %.2g of the largest output", n, n, d)
	}
}
