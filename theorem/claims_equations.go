package theorem

import (
	"github.com/attnconv/attnconv/theorem/plain"
)

// The paper's numbered equations, and what they expand to.
var equations = []Claim{
	{
		ID: "eq-4",
		Statement: "Heads put side by side and mapped by W_out are a sum over heads, Σ_h softmax(A_h)·X·W_val(h)·W_out(h) + b: " +
			"only the products W_h = W_val(h)·W_out(h) count.",
		Source: "Cordonnier et al. 2020, eq. 4", Verdict: Holds, Tolerance: 1e-12,
		check: func(t *trial) {
			for range t.n {
				layer, x, _ := t.attention()
				layer.Bias = t.normal(6)
				sum := make(plain.Matrix, len(x))
				for q := range sum {
					sum[q] = layer.Bias
				}
				for h, head := range layer.Heads {
					_, weights := head.Look(x, x, layer.Score, nil)
					sum = sum.Plus(weights.Times(x).Times(head.Value.Times(layer.Out[3*h : 3*h+3])))
				}
				t.equal(layer.Forward(x, x, nil).Flat(), sum.Flat())
			}
		},
	},
	{
		ID: "eq-5",
		Statement: "A convolution is a sum over shifts, Σ_δ X[q+δ]·W_δ + b, and one matrix product: the patches around the pixels " +
			"times the kernel's matrices one below another.",
		Source: "Cordonnier et al. 2020, eq. 5", Verdict: Holds, Tolerance: 1e-12,
		check: func(t *trial) {
			for range t.n {
				size := []int{t.between(2, 6), t.between(2, 6)}
				c := t.conv(square(3, Zero), 2, 3)
				x := t.normal(volume(size) * 2)
				t.equal(patches(c, size, x).Flat(), c.exact(size, x))
			}
		},
	},
	{
		ID: "eq-6",
		Statement: "Attention over the pixels of an image is attention over a sequence of them, whatever the order in which they " +
			"are written down, if the scores are written down in the same order.",
		Source: "Cordonnier et al. 2020, eq. 6", Verdict: Holds, Tolerance: 1e-12,
		check: func(t *trial) {
			for range t.n {
				size := []int{t.between(2, 4), t.between(2, 4)}
				n := volume(size)
				x, order := plain.Normal(t.rng, n, 3, 1), t.rng.Perm(n)
				a := plain.New(n, n)
				head := Gaussian[float64]{t.normal(2), 0.5}
				for q := range a {
					for k := range a {
						a[q][k] = plain.Dot(x[q], x[k]) + head.Score([]int{k/size[1] - q/size[1], k%size[1] - q%size[1]})
					}
				}
				y := plain.SoftmaxRows(a).Times(x)
				reordered := permuted(permuted(a, order).T(), order).T()
				t.equal(plain.SoftmaxRows(reordered).Times(permuted(x, order)).Flat(), permuted(y, order).Flat())
			}
		},
	},
	{
		ID: "eq-7",
		Statement: "The score with absolute encodings, (X_q + P_q)·W_qry·W_keyᵀ·(X_k + P_k)ᵀ, expands into four terms: " +
			"content and position of the query with content and position of the key.",
		Source: "Cordonnier et al. 2020, eq. 7", Verdict: Holds, Tolerance: 1e-12,
		check: func(t *trial) {
			for range t.n {
				x, p := plain.Normal(t.rng, 5, 4, 1), plain.Normal(t.rng, 5, 4, 1)
				wq, wk := plain.Normal(t.rng, 4, 3, 1), plain.Normal(t.rng, 4, 3, 1)
				score := func(a, b plain.Matrix) plain.Matrix { return a.Times(wq).Times(b.Times(wk).T()) }
				four := score(x, x).Plus(score(x, p)).Plus(score(p, x)).Plus(score(p, p))
				t.equal(score(x.Plus(p), x.Plus(p)).Flat(), four.Flat())
			}
		},
	},
	{
		ID: "eq-8",
		Statement: "The relative score, with r_δ in place of the key's position and vectors u, v in place of the query's, is " +
			"(X_q·W_qry + u)·X_k·W_key + (X_q·W_qry + v)·r_δ·Ŵ_key, and depends on where the two stand by δ = k - q alone.",
		Source: "Cordonnier et al. 2020, eq. 8, after Transformer-XL", Verdict: Holds, Tolerance: 1e-12,
		check: relativeScore,
	},
	{
		ID: "eq-9",
		Statement: "The quadratic encoding, v = -α(1, -2Δ), r_δ = (‖δ‖², δ) and W_qry = W_key = 0, gives the scores -α‖δ - Δ‖² up to " +
			"the constant α‖Δ‖², which the softmax does not see.",
		Source: "Cordonnier et al. 2020, eq. 9", Verdict: Holds, Tolerance: 1e-11,
		check: func(t *trial) {
			for range t.n {
				axes := t.between(1, 3)
				head := Gaussian[float64]{t.normal(axes), 0.1 + 2*t.rng.Float64()}
				var factored, expanded []float64
				square := head.Alpha * plain.Dot(head.Center, head.Center)
				for range 6 {
					shift := make([]int, axes)
					for a := range shift {
						shift[a] = t.between(-4, 4)
					}
					v, r := head.Vectors(shift)
					factored, expanded = append(factored, head.Score(shift)), append(expanded, plain.Dot(v, r))
					t.number(plain.Dot(v, r)-square, head.Score(shift))
				}
				t.equal(plain.Softmax(expanded), plain.Softmax(factored))
			}
		},
	},
}

// patches is the convolution of x as one matrix product.
func patches(c *Conv[float64], size []int, x []float64) plain.Matrix {
	all, kernel := plain.New(volume(c.OutSize(size)), c.Entries()*c.In), plain.Matrix{}
	shifts := c.Shifts()
	for t := range shifts {
		w := c.Matrix(t)
		for i := range c.In {
			kernel = append(kernel, w[i*c.Out:(i+1)*c.Out])
		}
	}
	o := 0
	for out := range positions(c.OutSize(size)) {
		for t, shift := range shifts {
			at := c.query(out)
			for a := range at {
				at[a] += shift[a]
			}
			if k, inside := c.Border.resolve(size, at); inside {
				copy(all[o][t*c.In:], x[k*c.In:(k+1)*c.In])
			}
		}
		o++
	}
	y := all.Times(kernel)
	for _, row := range y {
		for j := range row {
			row[j] += c.Bias[j]
		}
	}
	return y
}

// relativeScore expands eq. 8 and moves query and key together.
func relativeScore(t *trial) {
	for range t.n {
		x := plain.Normal(t.rng, 2, 4, 1) // contents of the query and of the key
		wq, wk, wr := plain.Normal(t.rng, 4, 3, 1), plain.Normal(t.rng, 4, 3, 1), plain.Normal(t.rng, 2, 3, 1)
		u, v := t.normal(3), t.normal(3)
		score := func(q, k int) float64 {
			shift := float64(k - q)
			query, key := plain.Matrix{x[0]}.Times(wq)[0], plain.Matrix{x[1]}.Times(wk)[0]
			position := plain.Matrix{{shift * shift, shift}}.Times(wr)[0]
			return plain.Dot(query, key) + plain.Dot(query, position) + plain.Dot(u, key) + plain.Dot(v, position)
		}
		q, k, move := t.between(0, 9), t.between(0, 9), t.between(1, 9)
		t.number(score(q+move, k+move), score(q, k))

		content := plain.Matrix{x[0]}.Times(wq)
		shift := float64(k - q)
		t.number(score(q, k), plain.Dot(content.Plus(plain.Matrix{u})[0], plain.Matrix{x[1]}.Times(wk)[0])+
			plain.Dot(content.Plus(plain.Matrix{v})[0], plain.Matrix{{shift * shift, shift}}.Times(wr)[0]))
	}
}
