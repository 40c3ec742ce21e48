package cmd

import (
	"cmp"
	"math"
	"slices"
)

// topClasses returns the most likely classes, with p = softmax(logits).
func (s classifier) topClasses(logits []float32, top int) []classProbability {
	all := make([]classProbability, len(logits))
	most, sum := float64(slices.Max(logits)), 0.0
	for i, x := range logits {
		all[i] = classProbability{s.classes[i], math.Exp(float64(x) - most)}
		sum += all[i].P
	}
	for i := range all {
		all[i].P /= sum
	}
	slices.SortStableFunc(all, func(a, b classProbability) int { return cmp.Compare(b.P, a.P) })
	return all[:min(top, len(all))]
}
