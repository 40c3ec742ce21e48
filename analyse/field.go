package analyse

import (
	"math"
	"slices"
)

// A Receptive field is where the energy of a gradient is: of G(k) = E‖∂ Σ_o y_{c,o} / ∂x_k‖² for the token or pixel c.
type Receptive struct {
	Radius50 float64 `json:"radius_50"` // least radius around c that has half of ΣG, in tokens
	Radius90 float64 `json:"radius_90"`
	Side50   int     `json:"side_50"` // least odd K whose K × K around c has half of ΣG
	Side90   int     `json:"side_90"`
}

// ReceptiveField measures a map of gradient energies, (T), around c. It returns an *Error if an energy is negative or
// not finite, or if all are zero.
//
// Source: Luo et al. 2016; the squares, Ding et al. 2022 (RepLKNet).
func ReceptiveField(g Grid, energy []float64, c int) (r Receptive, err error) {
	if err := check(g); err != nil {
		return r, err
	}
	if len(energy) != g.Tokens() || c < 0 || c >= len(energy) {
		return r, wrong("energy", "%d elements around %d: want %d tokens", len(energy), c, g.Tokens())
	}
	total, order := 0.0, make([]int, len(energy))
	sides := make([]float64, g.Side()/2+1)
	for k, v := range energy {
		if !(v >= 0) || math.IsInf(v, 0) {
			return r, wrong("energy", "%v of token %d: want 0 or more", v, k)
		}
		order[k] = k
		total += v
		sides[g.Shift(c, k).Side()/2] += v
	}
	if total == 0 || math.IsInf(total, 0) {
		return r, wrong("energy", "the sum is %v", total)
	}
	away := func(k int) float64 { return g.Shift(c, k).Length() }
	slices.SortStableFunc(order, func(a, b int) int { return compare(away(a), away(b)) })
	sorted := make([]float64, len(order))
	for i, k := range order {
		sorted[i] = energy[k]
	}
	r.Radius50, r.Radius90 = away(order[enough(sorted, 0.5*total)-1]), away(order[enough(sorted, 0.9*total)-1])
	r.Side50, r.Side90 = 2*enough(sides, 0.5*total)-1, 2*enough(sides, 0.9*total)-1
	return r, nil
}
