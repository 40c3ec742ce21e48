package main

import (
	"cmp"
	"errors"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"github.com/attnconv/attnconv/analyse"
	"github.com/attnconv/attnconv/internal/null"
)

// grid is that of the small presets: 32 × 32 pixels in patches of 4 × 4.
var grid = analyse.Grid{Rows: 8, Cols: 8}

const chance = 0.1 // accuracy of guessing one of ten classes

// layered is what each layer of the control became: its share of one convolution of at most 3 × 3, with the same of
// untrained networks, what replacing it costs, its profiles, and what the network keeps with all layers replaced.
func layered(all *runs) (numbers []Number, err error) {
	for _, arm := range arms[:5] {
		list := all.ofArm("control", arm, 0)
		if len(list) == 0 {
			continue
		}
		layers := 0
		for _, r := range list {
			if r.Analyse != nil {
				layers = max(layers, len(r.Analyse.Layers))
			}
		}
		for i := range layers {
			n, err := ofLayer(arm, i, list)
			if err != nil {
				return nil, err
			}
			numbers = append(numbers, n...)
		}
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
	return numbers, nil
}

// ofLayer is what one layer became.
func ofLayer(arm string, i int, list []*result) (numbers []Number, err error) {
	id := func(what string) string { return fmt.Sprintf("layers/%s/%s/%d", what, arm, i+1) }
	has := func(r *result) bool { return r.Analyse != nil && i < len(r.Analyse.Layers) }
	share := each(list, func(r *result) (float64, bool) { return shareOf(r, i) })
	if len(share) > 0 {
		n := overSeeds(id("share"), share)
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
	var canonical, profiles, taps, start []float64
	for _, r := range list {
		l, err := gaussian(r, i)
		if err != nil {
			return nil, fmt.Errorf("study control, trial %s, layer %d: %w", r.Trial, i+1, err)
		}
		if l != nil {
			canonical, profiles = append(canonical, l.share), append(profiles, l.profiles)
			taps, start = append(taps, l.taps), append(start, l.start)
		}
	}
	if len(canonical) > 0 {
		n := overSeeds(id("taps"), taps)
		n.Baseline = new(null.Float(stat.Mean(start, nil)))
		numbers = append(numbers, overSeeds(id("canonical"), canonical), overSeeds(id("profiles"), profiles), n)
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
		{"profiles", func(r *result, i int) (float64, bool) {
			l, e := gaussian(r, i)
			if err = errors.Join(err, e); l == nil {
				return 0, false
			}
			return l.profiles, true
		}},
	} {
		taus := each(list, func(r *result) (float64, bool) {
			var depth, values []float64
			if r.Analyse != nil {
				for i := range r.Analyse.Layers {
					if v, ok := what.of(r, i); ok {
						depth, values = append(depth, float64(i)), append(values, v)
					}
				}
			}
			if len(values) < 2 {
				return 0, false
			}
			return kendall(depth, values), true
		})
		if len(taus) > 0 {
			numbers = append(numbers, overSeeds("layers/trend-"+what.name+"/"+arm, taus))
		}
	}
	return numbers, err
}

// kendall is the share of pairs in the same order less that of pairs in the opposite order; equal values are neither.
func kendall(x, y []float64) float64 {
	sum, pairs := 0, 0
	for i := range x {
		for j := range i {
			sum += cmp.Compare(x[i], x[j]) * cmp.Compare(y[i], y[j])
			pairs++
		}
	}
	return float64(sum) / float64(pairs)
}

// A gaussianLayer is a layer with Gaussian heads.
type gaussianLayer struct {
	share    float64 // k1 + k3 of its canonical operator
	profiles float64 // number of its profiles
	taps     float64 // heads with more than half of their attention at one shift
	start    float64 // the same before training
}

// gaussian measures layer i, if it has Gaussian heads whose Gram matrix was kept; else it returns nil. Shares depend on
// the maps only by their Gram matrix, so any maps with that one do.
func gaussian(r *result, i int) (*gaussianLayer, error) {
	first, last := r.Heads["000"].Layers, r.Heads[fmt.Sprintf("%03d", len(r.Epochs))].Layers
	if r.Operator == nil || i >= len(r.Operator.Gram) || i >= len(last) || i >= len(first) {
		return nil, nil
	}
	gram := r.Operator.Gram[i]
	if len(last[i].Alpha) != len(gram) {
		return nil, fmt.Errorf("%d heads and a canonical_gram of %d", len(last[i].Alpha), len(gram))
	}
	l := analyse.Layer{Grid: grid, In: 1, Out: len(gram), Epsilon: 0x1p-23}
	var err error
	if l.Maps, err = mapsWith(gram); err != nil {
		return nil, err
	}
	profiles, taps, err := last[i].profiles()
	if err != nil {
		return nil, err
	}
	_, start, err := first[i].profiles()
	if err != nil {
		return nil, err
	}
	for h, alpha := range last[i].Alpha {
		p, err := analyse.Gaussian(grid, last[i].Centers[h], precision(alpha))
		if err != nil {
			return nil, err
		}
		l.Attention = append(l.Attention, p)
	}
	o, err := analyse.NewOperator(l)
	if err != nil {
		return nil, err
	}
	shares, err := o.Shares(0)
	if err != nil {
		return nil, err
	}
	p, err := analyse.NewProfiles(profiles, o, 0)
	if err != nil {
		return nil, err
	}
	return &gaussianLayer{shares.Within(3), float64(p.Count), taps, start}, nil
}

// precision is that of scores -α·‖δ - Δ‖².
func precision(alpha float64) [2][2]float64 { return [2][2]float64{{2 * alpha, 0}, {0, 2 * alpha}} }

// profiles are those of the heads; taps counts the heads with more than half of their attention at one shift.
func (l layerHeads) profiles() (all []analyse.Profile, taps float64, err error) {
	if len(l.Centers) != len(l.Alpha) {
		return nil, 0, fmt.Errorf("%d centers and %d alpha: want one for each head", len(l.Centers), len(l.Alpha))
	}
	for h, alpha := range l.Alpha {
		p, err := analyse.GaussianProfile(grid, l.Centers[h], precision(alpha))
		if err != nil {
			return nil, 0, err
		}
		if all = append(all, p); most(l.Centers[h], alpha) > 0.5 {
			taps++
		}
	}
	return all, taps, nil
}

// most is the largest part of a head's attention at one shift, far from borders: of exp(-α·‖δ - Δ‖²) over all shifts on
// the grid.
func most(center [2]float64, alpha float64) float64 {
	part := 1.0
	for axis, n := range []int{grid.Rows, grid.Cols} {
		nearest, sum := math.Inf(1), 0.0
		for shift := 1 - n; shift < n; shift++ {
			nearest = min(nearest, math.Abs(float64(shift)-center[axis]))
		}
		for shift := 1 - n; shift < n; shift++ {
			d := float64(shift) - center[axis]
			sum += math.Exp(-alpha * (d*d - nearest*nearest))
		}
		part /= sum
	}
	return part
}

// mapsWith returns vectors with a Gram matrix: the rows of E·√Λ for its eigenvectors E and eigenvalues Λ.
func mapsWith(gram [][]float64) (maps [][]float64, err error) {
	n := len(gram)
	g := mat.NewSymDense(n, nil)
	for i, row := range gram {
		if len(row) != n {
			return nil, fmt.Errorf("canonical_gram: row %d has %d values, want %d", i+1, len(row), n)
		}
		for j := i; j < n; j++ {
			if v := row[j]; v-v != 0 || math.Abs(v-gram[j][i]) > 1e-6*(1+math.Abs(v)) {
				return nil, fmt.Errorf("canonical_gram: element (%d, %d) is %v: want a symmetric matrix of finite numbers",
					i+1, j+1, v)
			}
			g.SetSym(i, j, row[j])
		}
	}
	var eigen mat.EigenSym
	if !eigen.Factorize(g, true) {
		return nil, fmt.Errorf("canonical_gram: its eigenvalues were not found")
	}
	var e mat.Dense
	eigen.VectorsTo(&e)
	for h := range n {
		row := make([]float64, n)
		for k, v := range eigen.Values(nil) {
			row[k] = e.At(h, k) * math.Sqrt(max(0, v))
		}
		maps = append(maps, row)
	}
	return maps, nil
}
