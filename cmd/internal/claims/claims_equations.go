package claims

import (
	"math"
	"strings"

	"github.com/attnconv/attnconv/internal/plain"
	"github.com/attnconv/attnconv/nn"
	"github.com/attnconv/attnconv/nn/op"
	"github.com/attnconv/attnconv/posenc"
	"github.com/attnconv/attnconv/theorem"
)

// The paper's numbered equations, and what they expand to.
var equations = []Claim{
	{
		ID: "eq-4",
		Statement: "Heads that are concatenated and mapped by W_out are a sum over heads, Σ_h " +
			"softmax(A_h)·X·W_val(h)·W_out(h) + b. So only the products W_h = W_val(h)·W_out(h) matter.",
		By: Paper, Verdict: Holds, Tolerance: 1e-12,
		Construction: "a product of block matrices is the sum of the products of their blocks",
		check: func(t *trial) {
			for range t.n {
				layer, x, _ := t.attention()
				layer.Bias = t.normal(6)
				sum := make(plain.Matrix, len(x))
				for q := range sum {
					sum[q] = layer.Bias
				}
				for h, head := range layer.Heads {
					_, weights := head.Attend(x, x, layer.Score, nil)
					sum = sum.Plus(weights.Times(x).Times(head.Value.Times(layer.Out[3*h : 3*h+3])))
				}
				t.equal(layer.Forward(x, x, nil).Flat(), sum.Flat())
			}
		},
	},
	{
		ID: "eq-5",
		Statement: "A convolution is a sum over shifts, Σ_δ X[q+δ]·W_δ + b. It is also one matrix product: the " +
			"patches around the pixels times the stacked matrices of the kernel.",
		By: Paper, Verdict: Holds, Tolerance: 1e-12,
		Reason: "as one matrix product: ours",
		check: func(t *trial) {
			for range t.n {
				size := []int{t.between(2, 6), t.between(2, 6)}
				c := t.conv(square(3, theorem.Zero), 2, 3)
				x := t.normal(theorem.Volume(size) * 2)
				t.equal(patches(c, size, x).Flat(), exact(c, size, x))
			}
		},
	},
	{
		ID: "eq-6",
		Statement: "Attention over the pixels of an image is attention over their sequence in any order, if the " +
			"scores are in the same order.",
		By: Paper, Verdict: Holds, Tolerance: 1e-12,
		Reason: "any order: ours",
		check: func(t *trial) {
			for range t.n {
				size := []int{t.between(2, 4), t.between(2, 4)}
				n := theorem.Volume(size)
				x, order := plain.Normal(t.rng, n, 3, 1), t.rng.Perm(n)
				a := plain.New(n, n)
				head := theorem.Gaussian[float64]{Center: t.normal(2), Alpha: 0.5}
				for q := range a {
					for k := range a {
						a[q][k] = plain.Dot(x[q], x[k]) + head.Score([]int{k/size[1] - q/size[1],
							k%size[1] - q%size[1]})
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
		Statement: "The score with absolute encodings, (X_q + P_q)·W_qry·W_keyᵀ·(X_k + P_k)ᵀ, expands into four " +
			"terms: content and position of the query with content and position of the key.",
		By: Paper, Verdict: Holds, Tolerance: 1e-12,
		Construction: "the four terms are the product, multiplied out",
		check:        absoluteScore,
	},
	{
		ID: "eq-8",
		Statement: "The relative score replaces the key's position by r_δ and the query's position by vectors u and " +
			"v. It is (X_q·W_qry + u)·X_k·W_key + (X_q·W_qry + v)·r_δ·Ŵ_key, and depends on the two positions only " +
			"through δ = k - q.",
		By: Paper, Verdict: Holds, Tolerance: 1e-5,
		Reason: "computed by the program's encoding, in float32",
		check:  relativeScore,
	},
	{
		ID: "eq-9",
		Statement: "The quadratic encoding, v = -α(1, -2Δ), r_δ = (‖δ‖², δ) and W_qry = W_key = 0, gives the scores " +
			"-α‖δ - Δ‖² up to the constant α‖Δ‖², which the softmax cancels.",
		By: Paper, Verdict: Holds, Tolerance: 1e-11,
		check: func(t *trial) {
			for range t.n {
				axes := t.between(1, 3)
				head := theorem.Gaussian[float64]{Center: t.normal(axes), Alpha: 0.1 + 2*t.rng.Float64()}
				var factored, expanded []float64
				square := head.Alpha * plain.Dot(head.Center, head.Center)
				for range 6 {
					shift := make([]int, axes)
					for a := range shift {
						shift[a] = t.between(-4, 4)
					}
					v, r := head.Vectors(shift)
					factored, expanded = append(factored, head.Score(shift)), append(expanded, plain.Dot(v, r))
					t.scalar(plain.Dot(v, r)-square, head.Score(shift))
				}
				t.equal(plain.Softmax(expanded), plain.Softmax(factored))
			}
		},
	},
}

// patches computes the convolution of x as one matrix product (im2col).
func patches(c *theorem.Conv[float64], size []int, x []float64) plain.Matrix {
	all, kernel := plain.New(theorem.Volume(c.OutSize(size)), c.Entries()*c.In), plain.Matrix{}
	shifts := c.Shifts()
	for t := range shifts {
		w := c.Matrix(t)
		for i := range c.In {
			kernel = append(kernel, w[i*c.Out:(i+1)*c.Out])
		}
	}
	o := 0
	for out := range theorem.Positions(c.OutSize(size)) {
		for t, shift := range shifts {
			at := c.Query(out)
			for a := range at {
				at[a] += shift[a]
			}
			if k, inside := c.Border.Resolve(size, at); inside {
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

// absoluteScore expands eq. 7 entry by entry, compares the sum of the four terms with the score, and checks that none
// of them is 0.
func absoluteScore(t *trial) {
	const tokens, in, dim = 5, 4, 3
	for range t.n {
		x, p := plain.Normal(t.rng, tokens, in, 1), plain.Normal(t.rng, tokens, in, 1)
		wq, wk := plain.Normal(t.rng, in, dim, 1), plain.Normal(t.rng, in, dim, 1)
		q, k := t.rng.IntN(tokens), t.rng.IntN(tokens)
		var terms [4]float64 // content to content, content to position, position to content, position to position
		for i := range in {
			for j := range in {
				for c := range dim {
					m := wq[i][c] * wk[j][c]
					terms[0] += x[q][i] * m * x[k][j]
					terms[1] += x[q][i] * m * p[k][j]
					terms[2] += p[q][i] * m * x[k][j]
					terms[3] += p[q][i] * m * p[k][j]
				}
			}
		}
		placed := x.Plus(p)
		score := plain.Dot(placed[q : q+1].Times(wq)[0], placed[k : k+1].Times(wk)[0])
		t.scalar(terms[0]+terms[1]+terms[2]+terms[3], score)
		for i, term := range terms {
			t.true(math.Abs(term) > 1e-9, "term %d of four is 0", i+1)
		}
	}
}

// relativeScore compares the scores of the program's relative encoding with eq. 8; then it moves the contents of two
// tokens to two others at the same shift, and at another shift.
func relativeScore(t *trial) {
	const rows, cols, in, dim = 3, 4, 3, 4
	for range min(t.n, 20) {
		s := nn.NewScope(t.rng.Uint64())
		enc := posenc.Kinds.Find("relative").New(s, posenc.Options{Heads: 1, Dim: in, HeadDim: dim, MaxSide: cols,
			Terms: posenc.TermNames()})
		w := map[string][]float64{}
		for _, p := range s.Params() {
			w[strings.TrimSuffix(strings.TrimPrefix(p.Name, "model."), ".weight")] = widened(p.Data)
		}
		a, b := t.normal(in), t.normal(in) // contents of query and key
		matrix := func(name string, cols int) (m plain.Matrix) {
			for v := w[name]; len(v) > 0; v = v[cols:] {
				m = append(m, v[:cols])
			}
			return m
		}
		of := func(m plain.Matrix, x []float64) []float64 { return plain.Matrix{x}.Times(m.T())[0] }
		query, key := of(matrix("query", in), a), of(matrix("key", in), b)
		want := func(down, right int) float64 { // (X_q·W_qry + u)·X_k·W_key + (X_q·W_qry + v)·r_δ·Ŵ_key
			r := plain.Matrix{of(matrix("row_key", in/2), matrix("row_embeddings", in/2)[down+cols-1])}.
				Plus(plain.Matrix{of(matrix("col_key", in-in/2), matrix("col_embeddings", in-in/2)[right+cols-1])})[0]
			content, position := plain.Matrix{query}.Plus(plain.Matrix{w["key_bias"]})[0],
				plain.Matrix{query}.Plus(plain.Matrix{w["shift_bias"]})[0]
			return (plain.Dot(content, key) + plain.Dot(position, r)) / math.Sqrt(dim)
		}
		score := func(q, k int) float64 { return t.programScore(enc, rows, cols, in, q, k, a, b) }
		first := score(0, 1*cols+2) // one down, two right
		t.scalar(first, want(1, 2))
		t.scalar(score(cols+1, 2*cols+3), first)
		other := score(cols, 2)
		t.scalar(other, want(-1, 2))
		t.true(math.Abs(other-first) > 1e-6, "the same two tokens score %g at the shift (1, 2) and at (-1, 2)", first)
	}
}

// programScore returns the score of the program's encoding, of one head, for query q with content a and key k with
// content b, among random tokens.
func (t *trial) programScore(enc posenc.Encoding, rows, cols, in, q, k int, a, b []float64) float64 {
	x := normal[float32](t.rng, rows*cols*in, 1)
	for i := range in {
		x[q*in+i], x[k*in+i] = float32(a[i]), float32(b[i])
	}
	values := must(nn.Evaluate(func(g *nn.Graph) []*nn.Node {
		terms := enc.Scores(g, posenc.Grid{Rows: rows, Cols: cols}).(posenc.Content).Of(g.Input("x", x, 1, rows*cols,
			in))
		heads := op.Heads{Count: 1, Rows: rows, Cols: cols}
		return []*nn.Node{op.ContentScores(terms, heads), op.ShiftPairScores(terms, heads)}
	}))
	at := q*rows*cols + k
	return float64(values[0][at]) + float64(values[1][at])
}
