package main

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"

	"github.com/attnconv/attnconv/analyse"
	"github.com/attnconv/attnconv/null"
	"github.com/attnconv/attnconv/study/stats"
)

// grid is that of the small presets: 32 × 32 pixels in patches of 4 × 4.
var grid = analyse.Grid{Rows: 8, Cols: 8}

const chance = 0.1 // accuracy of guessing one of ten classes

// layered is what each layer of the control became: its share of one convolution of at most 3 × 3, with the same of
// untrained networks, what replacing it costs, its profiles, and what the network keeps with all layers replaced.
func layered(all *runs) (numbers []Number, err error) {
	for _, arm := range controlled[:5] {
		list := all.ofArm("control", arm, 0)
		if len(list) == 0 {
			continue
		}
		layers := 0
		for _, r := range list {
			layers = max(layers, r.depth())
		}
		for i := range layers {
			n, err := ofLayer(arm, i, list)
			if err != nil {
				return nil, err
			}
			numbers = append(numbers, n...)
		}
		taps, err := allTaps(arm, layers, list)
		if err != nil {
			return nil, err
		}
		numbers = append(numbers, taps...)
		for _, by := range []string{"k1", "k3", "k5", "uniform", "constant"} {
			left := each(list, func(r *result) (float64, bool) {
				if r.Analyse == nil || r.Analyse.Unchanged == nil || r.Analyse.All[by] == nil {
					return 0, false
				}
				return (r.Analyse.All[by].Acc - chance) / (r.Analyse.Unchanged.Acc - chance), true
			})
			if len(left) > 0 {
				numbers = append(numbers, overSeeds("layers/left/"+arm+"/"+by, left))
			}
		}
		n, err := trends(arm, list)
		if err != nil {
			return nil, err
		}
		numbers = append(numbers, n...)
	}
	learned, err := learnedProfiles(all.ofArm("control", "learned", 0))
	if err != nil {
		return nil, err
	}
	return slices.Concat(numbers, learned, positional(all.atHalf("content", 0))), nil
}

// allTaps is how many heads of the whole network have more than half of their attention at one shift.
func allTaps(arm string, layers int, list []*result) ([]Number, error) {
	var sums, before []float64
	for i := range layers {
		kept, err := gaussians(list, i)
		if err != nil || len(kept) != len(list) {
			return nil, err
		}
		if i == 0 {
			sums, before = make([]float64, len(list)), make([]float64, len(list))
		}
		for j, l := range kept {
			sums[j] += l.after.taps
			before[j] += l.before.taps
		}
	}
	if len(sums) == 0 {
		return nil, nil
	}
	n := overSeeds("layers/taps/"+arm, sums)
	n.Baseline = new(null.Float(stat.Mean(before, nil)))
	return []Number{n}, nil
}

// positional are the least content bits of the heads of each layer: a head with none uses only positions.
func positional(list []*result) (numbers []Number) {
	for i := 0; ; i++ {
		bits := each(list, func(r *result) (float64, bool) { return leastContent(r.Analyse, i) })
		if len(bits) == 0 {
			return numbers
		}
		n := overSeeds(fmt.Sprintf("layers/content-least/content/%d", i+1), bits)
		before := each(list, func(r *result) (float64, bool) { return leastContent(r.Untrained, i) })
		if len(before) == len(bits) {
			n.Baseline = new(null.Float(stat.Mean(before, nil)))
		}
		numbers = append(numbers, n)
	}
}

// leastContent returns the fewest content bits of any head of a layer. It returns false if no head has content bits.
func leastContent(m *measures, i int) (float64, bool) {
	least := math.Inf(1)
	if m != nil && i < len(m.Layers) {
		for _, h := range m.Layers[i].Heads {
			if h.Content != nil {
				least = min(least, *h.Content)
			}
		}
	}
	return least, !math.IsInf(least, 1)
}

// ofLayer is what one layer became.
func ofLayer(arm string, i int, list []*result) (numbers []Number, err error) {
	id := func(what string) string { return fmt.Sprintf("layers/%s/%s/%d", what, arm, i+1) }
	has := func(r *result) bool { return r.Analyse != nil && i < len(r.Analyse.Layers) }
	share := each(list, func(r *result) (float64, bool) { return shareOf(r, i) })
	if len(share) > 0 {
		n := fractionOverSeeds(id("share"), share)
		if start := each(list, func(r *result) (float64, bool) {
			if !has(r) || r.Analyse.Layers[i].Null == nil {
				return 0, false
			}
			return r.Analyse.Layers[i].Null.Within.Mean, true
		}); len(start) == len(share) {
			n.Baseline = new(null.Float(stat.Mean(start, nil)))
		}
		numbers = append(numbers, n)
	}
	for _, by := range []string{"k1", "k3", "k5", "constant"} {
		if cost := each(list, func(r *result) (float64, bool) { return costOf(r, i, by) }); len(cost) > 0 {
			numbers = append(numbers, overSeeds(id("cost-"+by), cost))
		}
	}
	kept, err := gaussians(list, i)
	if err != nil || len(kept) == 0 {
		return numbers, err
	}
	for _, m := range gaussianMeasures {
		var after, before []float64
		for _, l := range kept {
			after = append(after, m.of(l.after))
			if m.baseline {
				before = append(before, m.of(l.before))
			}
		}
		n := m.over(id(m.name), after)
		if m.baseline {
			n.Baseline = new(null.Float(stat.Mean(before, nil)))
		}
		numbers = append(numbers, n)
	}
	return numbers, nil
}

// shareOf is k1 + k3 of the weights as they are.
func shareOf(r *result, i int) (float64, bool) {
	if r.Analyse == nil || i >= len(r.Analyse.Layers) || r.Analyse.Layers[i].Shares == nil {
		return 0, false
	}
	s := r.Analyse.Layers[i].Shares
	return s.K1 + s.K3, true
}

// costOf is the accuracy that is lost on 1,000 validation images if layer i is replaced.
func costOf(r *result, i int, by string) (float64, bool) {
	if r.Analyse == nil || r.Analyse.Unchanged == nil || i >= len(r.Analyse.Layers) ||
		r.Analyse.Layers[i].Function[by] == nil {
		return 0, false
	}
	return r.Analyse.Unchanged.Acc - r.Analyse.Layers[i].Function[by].Acc, true
}

// trends are Kendall's correlations of depth with shares, costs and profiles, from -1 to 1, of each run.
func trends(arm string, list []*result) (numbers []Number, err error) {
	for _, what := range []struct {
		name string
		of   func(*result, int) (float64, bool)
	}{
		{"share", shareOf},
		{"cost-k3", func(r *result, i int) (float64, bool) { return costOf(r, i, "k3") }},
		{"profiles", gaussianValue(&err, func(h heads) float64 { return h.profiles })},
		{"width", gaussianValue(&err, func(h heads) float64 { return h.width })},
		{"width-spread", gaussianValue(&err, func(h heads) float64 { return h.spread })},
		{"shift", gaussianValue(&err, func(h heads) float64 { return h.shift })},
	} {
		taus := each(list, func(r *result) (float64, bool) {
			var values []float64
			for i := range r.depth() {
				if v, ok := what.of(r, i); ok {
					values = append(values, v)
				}
			}
			if len(values) < 2 {
				return 0, false
			}
			return stats.Trend(values), true
		})
		if len(taus) > 0 {
			numbers = append(numbers, limitedOverSeeds("layers/trend-"+what.name+"/"+arm, taus, -1))
		}
	}
	return numbers, err
}

// depth is the number of layers that were measured, or whose heads were kept.
func (r *result) depth() int {
	layers := len(r.Heads["000"].Layers)
	if r.Analyse != nil {
		layers = max(layers, len(r.Analyse.Layers))
	}
	return layers
}
