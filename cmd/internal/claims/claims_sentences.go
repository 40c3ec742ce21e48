package claims

import (
	"math"
	"slices"

	"github.com/attnconv/attnconv/internal/plain"
	"github.com/attnconv/attnconv/theorem"
)

// Common sentences about attention and convolution.
var sentences = []Claim{
	{
		ID:        "dense-qk",
		Statement: "A dense layer is self-attention with Q·Kᵀ = I and W_V = I and with as many heads as tokens.",
		By:        Article, Verdict: FalseAsWritten, Tolerance: 1e-12,
		Condition: "each head then returns the token itself, and the heads add up to one map that all tokens share, " +
			"for which one head suffices. That is so without a softmax, as the source writes it, and with α·I for a " +
			"large α. With the softmax of I each of n tokens gives itself only e/(e + n - 1). A dense layer over all " +
			"tokens, Σ_k x_k·W_k, needs for each k a head that attends to token k from every query, by absolute " +
			"position",
		check: denseQK,
	},
	{
		ID: "flattened-window",
		Statement: "On an image written as one row of pixels, k² heads are a k × k convolution if head by head w_ij " +
			"= 1 at j = i - (k² - 1)/2 to i + (k² - 1)/2.",
		By: Article, Verdict: FalseAsWritten, Tolerance: 1e-13,
		Condition: "the kernel's shifts are dy·W + dx, from -(k - 1)/2·(W + 1) to (k - 1)/2·(W + 1). They are the k² " +
			"neighbors in the row only if the image is as wide as the kernel, and even then they wrap into the next " +
			"row except in the middle column",
		check: flattenedWindow,
	},
	{
		ID:        "dominated",
		Statement: "Without maps, y₁ is dominated by x₁: a token gives itself the largest weight.",
		By:        Article, Verdict: HoldsIf, Tolerance: 0,
		Condition: "no other token has a larger norm: x₁·x_k ≤ ‖x₁‖·‖x_k‖. A token with a larger norm and a similar " +
			"direction gets more weight",
		check: dominated,
	},
	{
		ID:        "d-out",
		Statement: "For D_h free filters, the layer needs D_out = N_h·D_h output channels.",
		By:        Ours, Verdict: False, Tolerance: 1e-12,
		Reason: "a reading of the recommendation on the slides",
		Condition: "D_out = D_h suffices, as in the theorem. N_h·D_h is the input dimension of W_out, and D_out is " +
			"free. With D_out = N_h·D_h no more channels are free than D_h (see channels-no-more)",
		check: outputChannels,
	},
	{
		ID:        "split-parameters",
		Statement: "Heads that split the channels have as many parameters as one head, 4·D².",
		By:        Article, Verdict: HoldsIf, Tolerance: 0,
		Construction: "the parameters are counted",
		Condition:    "N_h divides D. Heads of dimension D each, as the theorem needs them, have N_h times as many",
		check:        splitParameters,
	},
	{
		ID: "path-lengths",
		Statement: "The path from one of n tokens to another is 1 layer of self-attention, n steps of recurrence, " +
			"n/k layers of convolution and log_k n dilated ones.",
		By: Article, Verdict: HoldsIf, Tolerance: 0,
		Condition: "these are orders of growth. Exactly they are n - 1, ⌈(n - 1)/(k - 1)⌉ and ⌈log_k n⌉, the last " +
			"with dilations 1, k, k², …",
		check: pathLengths,
	},
	{
		ID:        "position-difference",
		Statement: "The difference of two absolute encodings, P_k - P_q, depends only on δ = k - q.",
		By:        Notes, Verdict: HoldsIf, Tolerance: 1e-12,
		Condition: "P is affine, P_t = a + t·b, and for no other: P_1 - P_0 = P_2 - P_1 = … For sinusoids the dot " +
			"product P_q·P_k depends only on δ",
		check: positionDifference,
	},
}

func denseQK(t *trial) {
	for range t.n { // as written, without a softmax; with the softmax of I; and with that of α·I
		n, in, out := t.between(2, 6), t.between(1, 3), t.between(1, 3)
		x, alpha := plain.Normal(t.rng, n, in, 1), theorem.Hard[float64]()
		maps := make([]plain.Matrix, n) // a head's W_out
		written, soft, hard := plain.New(n, out), plain.New(n, out), plain.New(n, out)
		want, shared := plain.New(n, out), plain.New(in, out)
		global, dense := plain.New(n, out), make([]float64, out) // global: head k attends to token k from every query
		for h := range maps {
			maps[h] = plain.Normal(t.rng, in, out, 1)
			shared = shared.Plus(maps[h])
			diagonal, column := plain.Identity(n), plain.New(n, n)
			written = written.Plus(diagonal.Times(x).Times(maps[h]))
			soft = soft.Plus(plain.SoftmaxRows(diagonal).Times(x).Times(maps[h]))
			for q := range n {
				diagonal[q][q], column[q][h] = alpha, alpha
			}
			hard = hard.Plus(plain.SoftmaxRows(diagonal).Times(x).Times(maps[h]))
			global = global.Plus(plain.SoftmaxRows(column).Times(x).Times(maps[h]))
			for o := range dense {
				for i, v := range x[h] {
					dense[o] += v * maps[h][i][o]
				}
			}
		}
		for q := range want {
			want[q] = x[q : q+1].Times(shared)[0]
			t.equal(global[q], dense)
		}
		t.equal(written.Flat(), want.Flat())
		t.equal(hard.Flat(), want.Flat())
		own := plain.Softmax(plain.Identity(n)[0])[0]
		t.scalar(own, math.E/(math.E+float64(n)-1))
		off := min(gap(soft[0], dense), gap(written[0], dense))
		t.differs(off, 0.1, "%d tokens, %d heads: with I, or with its softmax, which gives a token %.3f of itself, "+
			"the result is off by at least %.2g of the dense layer's largest", n, n, own, off)
	}
}

func flattenedWindow(t *trial) {
	for range t.n {
		k := 1 + 2*t.between(1, 2)
		half := []int{k / 2, k / 2}
		c := t.conv(theorem.Geometry{Kernel: []int{k, k}, Before: half, After: half}, 1, 1)
		// a head for each of the k² neighbors in the row, zero padding
		window := func(rows, cols int, x []float64) []float64 {
			l := &theorem.Layer[float64]{In: 1, Out: 1, Bias: c.Bias,
				Geometry: theorem.Geometry{Kernel: []int{k * k}, Before: []int{k * k / 2}, After: []int{k * k / 2}}}
			for h := range k * k {
				l.Heads = append(l.Heads, theorem.Gaussian[float64]{Center: []float64{float64(h - k*k/2)},
					Alpha: theorem.Hard[float64]()})
				l.Weights = append(l.Weights, c.Weight[h:h+1])
			}
			return l.Forward([]int{rows * cols}, x)[0]
		}
		// In the middle column of an image as wide as the kernel nothing wraps into the next row.
		rows := t.between(k, k+2)
		x := t.normal(rows * k)
		got, want := window(rows, k, x), exact(c, []int{rows, k}, x)
		for r := range rows {
			t.scalar(got[r*k+k/2], want[r*k+k/2])
		}
		cols := k + t.between(1, 4)
		x = t.normal(rows * cols)
		got, want = window(rows, cols, x), exact(c, []int{rows, cols}, x)
		middle := (rows/2)*cols + cols/2
		t.differs(math.Abs(got[middle]-want[middle]), 0.1,
			"%d × %d kernel, %d × %d pixels: the pixel in the middle becomes %.3f, by the "+
				"convolution %.3f", k, k, rows, cols, got[middle], want[middle])
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
			t.true(slices.Max(row) == row[q], "of tokens of one norm, token %d gives itself %.3g of %.3g", q+1, row[q],
				slices.Max(row))
		}
	}
	x := plain.Matrix{{1, 0}, {3, 1}}
	_, weights := plain.Attend(x, x, x, plain.Dot, nil)
	t.differs(weights[0][1]-weights[0][0], 0.5, "x₁ = (1, 0), x₂ = (3, 1): y₁ has %.3f of x₁ and %.3f of x₂",
		weights[0][0], weights[0][1])
}

func outputChannels(t *trial) {
	for range t.n {
		c := t.conv(square(2, theorem.Zero), 8, 3) // four heads of dimension 3: W_out has twelve inputs, three outputs
		l := must(theorem.FromConv(c, theorem.FromOptions{}))
		f := must(l.Factor(3))
		t.scalar(float64(len(f.Out)*len(f.Out[0])/c.Out), 12)
		t.compare(f.Layer(l), c, []int{4, 4})
		full := t.conv(square(2, theorem.Zero), 8, 8) // D_out = 8 = 4·2
		few := must(must(theorem.FromConv(full, theorem.FromOptions{})).Factor(2))
		t.differs(few.Lost, 0.2, "2 × 2 kernels, 8 channels in: 4 heads with D_h = D_out = 3 are the convolution; "+
			"with D_h = 2, D_out = 8 = N_h·D_h, "+
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
		heads, headDim := t.between(1, 6), t.between(1, 5)
		d := heads * headDim
		t.scalar(float64(count(plain.NewMultiHead(t.rng, d, heads))), float64(4*d*d))
		whole := plain.MultiHead{Out: plain.New(heads*d, d)}
		for range heads {
			whole.Heads = append(whole.Heads, plain.Head{Query: plain.New(d, d), Key: plain.New(d, d),
				Value: plain.New(d, d)})
		}
		t.scalar(float64(count(whole)), float64(4*heads*d*d))
	}
	uneven := count(plain.NewMultiHead(t.rng, 400, 9))
	t.differs(float64(4*400*400-uneven), 1000, "D = 400, 9 heads of 44: %d parameters; one head has %d", uneven,
		4*400*400)
}

// pathLengths counts the layers until a change of the first token reaches the last.
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
		conv := func(dilation int, x []float64) []float64 { // each token and the k - 1 before it
			return plain.Conv{Kernel: []int{k}, Dilation: []int{dilation}, Before: []int{(k - 1) * dilation},
				After: []int{0}, In: 1, Out: 1,
				Weight: slices.Repeat([]float64{1}, k)}.Forward([]int{n}, x)
		}
		t.scalar(float64(layers(func(_ int, x []float64) []float64 {
			p := plain.SoftmaxRows(plain.Normal(t.rng, n, n, 1))
			return p.Times(plain.Matrix{x}.T()).T()[0]
		})), 1)
		recurrent := layers(func(_ int, x []float64) []float64 { return append([]float64{x[0]}, x[:n-1]...) })
		t.scalar(float64(recurrent), float64(n-1))
		plainly := layers(func(_ int, x []float64) []float64 { return conv(1, x) })
		t.scalar(float64(plainly), math.Ceil(float64(n-1)/float64(k-1)))
		dilation, want := 1, 0
		for reach := 1; reach < n; reach *= k {
			want++
		}
		dilated := layers(func(_ int, x []float64) []float64 {
			y := conv(dilation, x)
			dilation *= k
			return y
		})
		t.scalar(float64(dilated), float64(want))
		t.differs(float64(plainly)-float64(n)/float64(k), 0.5,
			"n = %d, k = %d: %d layers of convolution, and n/k is %.1f", n, k, plainly, float64(n)/float64(k))
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
		t.scalar(plain.Dot(waves[q], waves[q+shift]), plain.Dot(waves[0], waves[shift]))
		off := gap(minus(waves, q+shift, q), minus(waves, shift, 0))
		t.differs(off, 0.1, "sinusoids of dimension %d: P_%d - P_%d and P_%d - P_0 differ by %.2g of the largest", dim,
			q+shift, q, shift, off)

		// Only affine: |P_t - (P_0 + t·(P_1 - P_0))| ≤ t·max|first difference - (P_1 - P_0)|, so if first differences
		// are equal, P is affine.
		other := affine.Plus(plain.Normal(t.rng, n, dim, t.rng.Float64()))
		first, apart := minus(other, 1, 0), 0.0
		for place := 1; place < n; place++ {
			step, whole := minus(other, place, place-1), minus(other, place, 0)
			for i := range step {
				apart = max(apart, math.Abs(step[i]-first[i]))
				bent := math.Abs(whole[i] - float64(place)*first[i])
				t.true(bent <= float64(place)*apart+1e-12,
					"P_%d is %.3g from a line, and first differences differ by %.3g", place, bent, apart)
			}
		}
	}
}
