package claims

import (
	"math"
	"slices"

	"github.com/attnconv/attnconv/theorem"
)

// Claims about kernels that reach beyond the image.
var bordering = []Claim{
	{
		ID: "zero-padding",
		Statement: "If the layer pads its input with zeros, which are also keys, and has a query for each pixel " +
			"inside, it is the zero-padded convolution, of the image's size. The unpadded one is smaller by K - 1.",
		By: Paper, Verdict: Holds, Tolerance: 1e-13,
		check: func(t *trial) {
			for range t.n {
				k := t.between(1, 4)
				size := []int{t.between(k, 6), t.between(k, 6)}
				same := t.conv(square(k, theorem.Zero), 2, 2)
				valid := t.conv(theorem.Geometry{Kernel: []int{k, k}}, 2, 2)
				t.keepsSize(same, size)
				t.becomes(valid, size)
				out := valid.OutSize(size)
				t.true(slices.Equal(same.OutSize(size), size) && out[0] == size[0]-k+1, "%v became %v and %v", size,
					same.OutSize(size), out)
			}
		},
	},
	{
		ID: "replicate",
		Statement: "A hard layer without any padding is the convolution with replicate padding, because the softmax " +
			"selects the nearest existing pixel.",
		By: Ours, Verdict: HoldsIf, Tolerance: 1e-13,
		Reason: "score -α‖δ - Δ‖² on the pixels of the image",
		Condition: "the heads are isotropic, or their axes are the axes of the image. For a slanted head the pixel " +
			"that its own metric calls nearest may be elsewhere along the border",
		check: replicates,
	},
	{
		ID:        "circular",
		Statement: "With distances on a torus the layer is the convolution with circular padding.",
		By:        Ours, Verdict: Holds, Tolerance: 1e-13,
		Reason: "score -α‖δ - Δ‖² of the key's nearest image",
		check: func(t *trial) {
			for range t.n {
				t.keepsSize(t.conv(square(t.between(1, 5), theorem.Circular), 2, 2), []int{t.between(2, 5),
					t.between(2, 5)})
			}
		},
	},
	{
		ID:        "reflect",
		Statement: "Reflect padding is impossible with scores that depend only on the shift.",
		By:        Ours, Verdict: HoldsIf, Tolerance: 1e-13,
		Reason: "each query near the border has a different target",
		Condition: "the kernel reaches at least two pixels beyond the border of at least four pixels: then the query " +
			"at the border needs f(2) > f(0), and the next one f(0) > f(2). For one pixel beyond the border, f(-1) > " +
			"f(1) > all others suffices; for two, on three pixels, such scores also exist",
		check: reflects,
	},
	{
		ID: "value-bias",
		Statement: "A bias in the heads' value maps changes nothing but b_out, because the weights of a query add up " +
			"to one.",
		By: Ours, Verdict: HoldsIf, Tolerance: 1e-13,
		Reason: "Σ_k p_k·(x_k·W + b) = (Σ_k p_k·x_k)·W + b",
		Condition: "the layer pads its input, so that the zeros also get the bias. If it pads the values, they do " +
			"not",
		check: valueBias,
	},
	{
		ID: "stacked-padding",
		Statement: "In a stack every layer has to pad its own input, because the first layer does not map padded " +
			"zeros to zeros.",
		By: Ours, Verdict: Holds, Tolerance: 1e-12,
		Reason: "two zero-padded convolutions in sequence",
		check:  stackedPadding,
	},
}

func replicates(t *trial) {
	for range t.n {
		c := t.conv(square(t.between(1, 5), theorem.Replicate), 2, 2)
		size := []int{t.between(2, 6), t.between(2, 6)}
		t.becomes(c, size)
		flat := must(theorem.FromConv(c, theorem.FromOptions{}))
		for h, s := range c.Shifts() {
			a := theorem.Hard[float64]()
			flat.Heads[h] = theorem.Elliptic[float64]{Center: theorem.Center[float64](s),
				Precision: [][]float64{{2 * a, 0}, {0, 6 * a}}}
		}
		t.compare(flat, c, size)
	}
	slanted := theorem.Elliptic[float64]{Center: []float64{-2, 0}, Precision: [][]float64{{2000, 1600}, {1600, 2000}}}
	l := &theorem.Layer[float64]{Geometry: square(5, theorem.Replicate), Heads: []theorem.Head[float64]{slanted}}
	l.Attend([]int{5, 5}, func(_, q int, keys []int, p []float64) {
		if q != 2 { // the middle of the first row
			return
		}
		at := keys[slices.Index(p, slices.Max(p))]
		t.differs(math.Abs(float64(at-2)), 1,
			"Σ⁻¹ = ((10, 8), (8, 10)), Δ = (-2, 0): the query in the middle of the first row of 5 × 5 "+
				"attends to column %d of row %d, not to itself", at%5+1, at/5+1)
	})
}

// reflects checks for every reach and size whether there are scores of shifts by which every query attends to its
// mirrored pixel: whether the relation "this shift must score more than that one" has no cycle. If there are, it builds
// the layer.
func reflects(t *trial) {
	for n := 2; n <= 8; n++ {
		for reach := 1; reach < n; reach++ {
			_, possible := reflecting(n, -reach)
			t.true(possible == (reach == 1 || n == 3), "%d pixels, %d beyond the border: scores that reflect: %t", n,
				reach, possible)
		}
	}
	for range t.n {
		rows, cols := t.between(3, 6), t.between(3, 6)
		c := t.conv(square(3, theorem.Replicate), 1, 1)
		l := must(theorem.FromConv(c, theorem.FromOptions{}))
		x, want := t.normal(rows*cols), theorem.Repeated(c.Bias, rows*cols, 1)
		for h := range 9 {
			down, right := h/3-1, h%3-1
			f, _ := reflecting(rows, down)
			g, _ := reflecting(cols, right)
			l.Heads[h] = theorem.HeadFunc[float64](func(d []int) float64 { return 1000 * (f[d[0]] + g[d[1]]) })
			for q := range want {
				want[q] += c.Weight[h] * x[mirrored(q/cols+down, rows)*cols+mirrored(q%cols+right, cols)]
			}
		}
		t.equal(l.Forward([]int{rows, cols}, x)[0], want)
		least := 1.0
		l.Attend([]int{rows, cols}, func(_, _ int, _ []int, p []float64) { least = min(least, slices.Max(p)) })
		t.differs(least, 0.999999, "3 × 3 kernels on %d × %d pixels: heads whose scores rank -Δ second, after Δ, are "+
			"the convolution with reflect "+
			"padding, and give the mirrored pixel %.6f of the weight", rows, cols, least)
	}
}

// mirrored returns the pixel that reflect padding has at v, which may be outside of n pixels.
func mirrored(v, n int) int {
	if v < 0 {
		v = -v
	}
	return min(v, 2*(n-1)-v)
}

// reflecting returns scores of shifts by which every query of n pixels attends to the pixel that reflect padding has at
// the given shift, by topological sorting. possible is false if there are none.
func reflecting(n, shift int) (score map[int]float64, possible bool) {
	before := map[int]map[int]bool{} // by shift, the shifts that must score more
	for d := 1 - n; d < n; d++ {
		before[d] = map[int]bool{}
	}
	for q := range n {
		best := mirrored(q+shift, n) - q
		for k := range n {
			if k-q != best {
				before[k-q][best] = true
			}
		}
	}
	score = map[int]float64{}
	for next := float64(len(before)); len(score) < len(before); next-- {
		free, found := 0, false
		for d := 1 - n; d < n && !found; d++ {
			_, done := score[d]
			free, found = d, !done && len(before[d]) == 0
		}
		if !found {
			return nil, false
		}
		score[free] = next
		for _, b := range before {
			delete(b, free)
		}
	}
	return score, true
}

func valueBias(t *trial) {
	for range t.n {
		c := t.conv(square(3, theorem.Zero), 2, 3)
		size := []int{t.between(2, 5), t.between(2, 5)}
		l, x := must(theorem.FromConv(c, theorem.FromOptions{Alpha: 0.3 + 3*t.rng.Float64()})),
			t.normal(theorem.Volume(size)*2)
		before := theorem.Repeated(c.Bias, theorem.Volume(size), 3)
		after := theorem.Repeated(c.Bias, theorem.Volume(size), 3)
		absorbed := *l
		absorbed.Bias = slices.Clone(c.Bias)
		biases := t.normal(9 * 3)
		for i, b := range biases {
			absorbed.Bias[i%3] += b
		}
		z := make([]float64, 2)
		l.Attend(size, func(h, q int, keys []int, p []float64) {
			theorem.Mix(z, x, keys, p)
			theorem.AddProduct(before[q*3:q*3+3], z, l.Weights[h])
			theorem.AddProduct(after[q*3:q*3+3], z, l.Weights[h])
			for k, w := range p {
				for o, b := range biases[h*3 : h*3+3] {
					before[q*3+o] += w * b
					if keys[k] >= 0 {
						after[q*3+o] += w * b
					}
				}
			}
		})
		want := absorbed.Forward(size, x)[0]
		t.equal(before, want)
		d := gap(after, want)
		t.differs(d, 1e-3, "padding of the values, %d × %d pixels: off by %.2g of the largest output", size[0], size[1],
			d)
	}
}

func stackedPadding(t *trial) {
	for range t.n {
		a, b := t.conv(square(3, theorem.Zero), 2, 2), t.conv(square(3, theorem.Zero), 2, 2)
		size := []int{t.between(3, 6), t.between(3, 6)}
		x := t.normal(theorem.Volume(size) * 2)
		first := must(theorem.FromConv(a, theorem.FromOptions{}))
		second := must(theorem.FromConv(b, theorem.FromOptions{}))
		want := exact(b, size, exact(a, size, x))
		t.equal(second.Forward(size, first.Forward(size, x)[0])[0], want)

		once, more := *a, *b // pads by two in the first layer only
		once.Before, once.After, more.Before, more.After = []int{2, 2}, []int{2, 2}, nil, nil
		d := gap(exact(&more, once.OutSize(size), exact(&once, size, x)), want)
		t.differs(d, 1e-3, "two 3 × 3 layers, padded by two pixels in the first only: off by %.2g of the largest output", d)
	}
}
