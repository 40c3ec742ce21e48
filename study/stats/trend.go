package stats

import "cmp"

// Trend returns Kendall's τ of values and their places in the list, in -1..1: the part of all pairs that rise less the
// part that fall. Equal values do neither, so a constant has exactly 0. It is NaN for fewer than two values.
func Trend(values []float64) float64 {
	sum, pairs := 0, 0
	for i, v := range values {
		for _, earlier := range values[:i] {
			sum += cmp.Compare(v, earlier)
			pairs++
		}
	}
	return float64(sum) / float64(pairs)
}
