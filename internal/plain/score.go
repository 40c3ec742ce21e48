package plain

import "math"

// A Score is the score of a query with a key, before the softmax.
type Score func(query, key []float64) float64

// Dot returns q·k (Luong, Pham, Manning 2015).
func Dot(q, k []float64) (s float64) {
	for i := range q {
		s += q[i] * k[i]
	}
	return s
}

// Scaled returns q·k/√d (Vaswani et al. 2017): for entries of variance 1, its variance is 1 for any d.
func Scaled(q, k []float64) float64 { return Dot(q, k) / math.Sqrt(float64(len(q))) }

// Cosine returns q·k/(‖q‖‖k‖), from -1 to 1 (Graves, Wayne, Danihelka 2014).
func Cosine(q, k []float64) float64 { return Dot(q, k) / math.Sqrt(Dot(q, q)*Dot(k, k)) }

// General returns the score q·W·k, for which q and k may differ in dimension (Luong, Pham, Manning 2015).
func General(w Matrix) Score {
	return func(q, k []float64) float64 { return Dot(Matrix{q}.Times(w)[0], k) }
}

// Additive returns the score v·tanh(q·W_q + k·W_k) (Bahdanau, Cho, Bengio 2015).
func Additive(wq, wk Matrix, v []float64) Score {
	return func(q, k []float64) float64 {
		hidden := Matrix{q}.Times(wq).Plus(Matrix{k}.Times(wk))[0]
		for i := range hidden {
			hidden[i] = math.Tanh(hidden[i])
		}
		return Dot(v, hidden)
	}
}

// Tempered returns score/T: as T → 0 the best key gets all the weight, as T → ∞ all keys get the same.
func Tempered(score Score, temperature float64) Score {
	return func(q, k []float64) float64 { return score(q, k) / temperature }
}

// Scores returns the scores of every query, a row, with every key, a column.
func Scores(queries, keys Matrix, score Score) Matrix {
	a := New(len(queries), len(keys))
	for i, q := range queries {
		for j, k := range keys {
			a[i][j] = score(q, k)
		}
	}
	return a
}

// A Mask reports whether a query may attend to a key, by their positions.
type Mask func(query, key int) bool

// Causal allows the query's own position and earlier ones.
func Causal(query, key int) bool { return key <= query }

// Window allows up to radius positions to each side of the query.
func Window(radius int) Mask {
	return func(query, key int) bool { return -radius <= key-query && key-query <= radius }
}

// Masked sets the scores of keys that are not allowed to -∞. A nil mask allows all.
func Masked(scores Matrix, allowed Mask) Matrix {
	if allowed == nil {
		return scores
	}
	m := New(len(scores), len(scores[0]))
	for q, row := range scores {
		for k, s := range row {
			if m[q][k] = s; !allowed(q, k) {
				m[q][k] = math.Inf(-1)
			}
		}
	}
	return m
}
