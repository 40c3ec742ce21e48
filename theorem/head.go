package theorem

import (
	"fmt"
	"math"
	"slices"
)

// A Head scores a key by its shift from the query alone.
type Head[F Float] interface {
	Score(shift []int) F
}

// HeadFunc is a Head that is a function.
type HeadFunc[F Float] func(shift []int) F

// Score returns f(shift).
func (f HeadFunc[F]) Score(shift []int) F { return f(shift) }

// Gaussian is the head of Lemma 2, with score -α‖δ-Δ‖²: its softmax is a Gaussian around Δ. With D_p = axes + 1 the
// score is v·r_δ - α‖Δ‖² for v = -α(1, -2Δ) and r_δ = (‖δ‖², δ), eq. 9; the constant cancels in the softmax.
type Gaussian[F Float] struct {
	Center []F // Δ
	Alpha  F   // α
}

// Score returns -α‖δ-Δ‖². The expanded form would subtract large terms.
func (g Gaussian[F]) Score(shift []int) F {
	var d2 F
	for a, c := range g.Center {
		d := F(shift[a]) - c
		d2 += d * d
	}
	return -g.Alpha * d2
}

// Vectors returns v and r_δ, so that Score is v·r - α‖Δ‖².
func (g Gaussian[F]) Vectors(shift []int) (v, r []F) {
	v, r = []F{-g.Alpha}, []F{0}
	for a, c := range g.Center {
		v = append(v, 2*g.Alpha*c)
		r = append(r, F(shift[a]))
		r[0] += F(shift[a] * shift[a])
	}
	return v, r
}

// Elliptic is a Gaussian head of any shape, with score -½(δ-Δ)ᵀΣ⁻¹(δ-Δ).
type Elliptic[F Float] struct {
	Center    []F
	Precision [][]F // Σ⁻¹, symmetric and positive definite
}

// Score returns -½(δ-Δ)ᵀΣ⁻¹(δ-Δ).
func (e Elliptic[F]) Score(shift []int) F {
	var sum F
	for a, row := range e.Precision {
		for b, p := range row {
			sum += (F(shift[a]) - e.Center[a]) * p * (F(shift[b]) - e.Center[b])
		}
	}
	return -sum / 2
}

// Table has a score for each listed shift, and -∞ for all others: local attention, or a learned relative encoding.
type Table[F Float] struct {
	Shifts [][]int
	Scores []F
}

// Score returns the score of a listed shift, else -∞.
func (t Table[F]) Score(shift []int) F {
	for i, s := range t.Shifts {
		if slices.Equal(s, shift) {
			return t.Scores[i]
		}
	}
	return F(math.Inf(-1))
}

// Windowed returns h restricted to the listed shifts.
func Windowed[F Float](h Head[F], shifts [][]int) Table[F] {
	t := Table[F]{Shifts: shifts}
	for _, s := range shifts {
		t.Scores = append(t.Scores, h.Score(s))
	}
	return t
}

// Softmax replaces scores by their softmax. It sums in the order of the keys.
func Softmax[F Float](scores []F) {
	top := slices.Max(scores)
	if math.IsInf(float64(top), -1) {
		panic(fmt.Sprintf("theorem: all %d keys of a query are masked: there is no softmax", len(scores)))
	}
	var sum F
	for i, s := range scores {
		scores[i] = F(math.Exp(float64(s - top)))
		sum += scores[i]
	}
	for i := range scores {
		scores[i] /= sum
	}
}
