package main

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/attnconv/attnconv/analyse"
	"github.com/attnconv/attnconv/study/stats"
)

// A cell of study outward is learned heads and the frozen heads of as many layers, STUDY/ARM each.
type cell struct{ arm, frozen string }

// cells are the seven cells of learned heads. quadratic of six layers is in study compute.
var cells = []cell{
	{"compute/quadratic", "outward/quadratic-frozen"}, {"outward/quadratic-l12", "outward/quadratic-frozen-l12"},
	{"outward/table", "outward/quadratic-frozen"}, {"outward/table-l12", "outward/quadratic-frozen-l12"},
	{"outward/quadratic-general", "outward/quadratic-frozen"},
	{"outward/quadratic-shapes32", "outward/quadratic-frozen"}, {"outward/table-shapes32", "outward/quadratic-frozen"},
}

// outwardNumbers are Kendall's τ of layers and their mean shifts, the differences from frozen heads, the shares of one
// convolution, and what hard taps lose with zeros around the grid.
func outwardNumbers(all *runs) (numbers []Number, err error) {
	taus := map[string][]float64{}
	names := []string{"outward/quadratic-frozen", "outward/quadratic-frozen-l12", "outward/quadratic-grid",
		"outward/quadratic-pool2"}
	for _, c := range cells {
		names = append(names, c.arm)
	}
	for _, name := range names {
		study, arm := cut(name)
		for _, r := range all.planned(study, arm) {
			tau, err := r.shiftTrend()
			if err != nil {
				return nil, fmt.Errorf("study %s, trial %s: %w", study, r.Trial, err)
			}
			taus[name] = append(taus[name], tau)
		}
		if len(taus[name]) > 0 {
			numbers = append(numbers, limitedOverSeeds("trend-shift/"+arm, taus[name], -1))
		}
	}
	var tests []Number
	above, least := 0.0, math.Inf(1)
	for _, c := range cells {
		_, arm := cut(c.arm)
		if n, ok := welch("trend-difference/"+arm, taus[c.arm], taus[c.frozen]); ok {
			tests = append(tests, n)
		}
		if tau := stats.Average(taus[c.arm]); len(taus[c.arm]) > 0 {
			least = min(least, tau)
			if tau > 0.5 {
				above++
			}
		}
	}
	correct(tests)
	numbers = append(append(numbers, tests...), plain("cells-above", len(cells), above),
		plain("trend-least", len(cells), least))
	for _, arm := range []string{"table", "table-l12", "quadratic-general"} {
		of, err := leastShares(arm, all.planned("outward", arm))
		if err != nil {
			return nil, err
		}
		numbers = append(numbers, of...)
	}
	return append(numbers, all.zerosCosts()...), nil
}

// zerosCosts are what zeros cost hard taps in layers 5 and 6, of the donors of study places with replaced layers, which
// are quadratic at the rates of study compute.
func (all *runs) zerosCosts() (numbers []Number) {
	for _, layer := range []int{5, 6} {
		costs := each(all.planned("places", "learned"),
			func(r *result) (float64, bool) { return tapsWithZeros(r, layer-1) })
		if len(costs) == replacedRuns {
			numbers = append(numbers, overSeeds(fmt.Sprintf("zeros-cost/%d", layer), costs))
		}
	}
	return numbers
}

// replacedRuns are how many donors of study places have replaced layers.
const replacedRuns = 8

// tapsWithZeros is the accuracy that hard taps of a layer lose if zeros are around the grid instead of its edge.
func tapsWithZeros(r *result, layer int) (float64, bool) {
	if r.Analyse == nil || layer >= len(r.Analyse.Layers) {
		return 0, false
	}
	edge, zeros := r.Analyse.Layers[layer].Function["taps"], r.Analyse.Layers[layer].Function["taps_zeros"]
	if edge == nil || zeros == nil {
		return 0, false
	}
	return edge.Acc - zeros.Acc, true
}

// leastShares are, of each run, the smallest share over its layers that one convolution of any size has: with the
// better of two borders, and with repeated edges.
func leastShares(arm string, list []*result) ([]Number, error) {
	var better, repeated []float64
	for _, r := range list {
		b, e := math.Inf(1), math.Inf(1) // shiftTrend has checked that there is an operator
		for i := range r.Operator.Gram {
			attention, err := r.attention(i)
			if err != nil {
				return nil, fmt.Errorf("study outward, trial %s: %w", r.Trial, err)
			}
			o, err := operatorOf(attention, r.Operator.Gram[i])
			if err != nil {
				return nil, fmt.Errorf("study outward, trial %s, layer %d: %w", r.Trial, i+1, err)
			}
			any := 2*grid.Rows - 1
			zeros, edge := o.BorderShares(analyse.Zeros).Within(any), o.BorderShares(analyse.Replicate).Within(any)
			b, e = min(b, max(zeros, edge)), min(e, edge)
		}
		better, repeated = append(better, b), append(repeated, e)
	}
	if len(better) == 0 {
		return nil, nil
	}
	return []Number{fractionOverSeeds("share-better/"+arm, better),
		fractionOverSeeds("share-repeated/"+arm, repeated)}, nil
}

// shiftTrend is Kendall's τ of the layers and the unweighted means over heads of their mean shifts, at the best epoch.
func (r *result) shiftTrend() (float64, error) {
	if r.Operator == nil || len(r.Operator.Gram) < 2 {
		return 0, errors.New("no operator of two layers or more: want a run that was analyzed")
	}
	var shifts []float64
	for i := range r.Operator.Gram {
		maps, err := r.attention(i)
		if err != nil {
			return 0, err
		}
		sum := 0.0
		for _, p := range maps {
			sum += meanShift(gridWith(len(p)), p)
		}
		shifts = append(shifts, sum/float64(len(maps)))
	}
	return stats.Trend(shifts), nil
}

// gridWith is the square grid whose attention maps have so many elements.
func gridWith(elements int) analyse.Grid {
	side := int(math.Round(math.Sqrt(math.Sqrt(float64(elements)))))
	return analyse.Grid{Rows: side, Cols: side}
}

// attention returns the attention maps of layer i at the best epoch, (tokens, tokens) each: of Gaussian heads from
// their centers and precisions, of encoding table from its scores.
func (r *result) attention(i int) (maps [][]float64, err error) {
	at := r.grid()
	if table := r.Operator.Small[fmt.Sprintf("encoder.layer.%d.attention.self.relative_position_bias_table", i)]; table != nil {
		return tableAttention(at, table, len(r.Operator.Gram[i]))
	}
	best := r.Heads[fmt.Sprintf("%03d", int(r.Summary.BestEpoch))].Layers
	if i >= len(best) {
		return nil, fmt.Errorf("layer %d: no heads of epoch %v", i+1, r.Summary.BestEpoch)
	}
	for h, center := range best[i].Centers {
		var p [2][2]float64
		switch {
		case h < len(best[i].Alpha):
			p = precision(best[i].Alpha[h])
		case h < len(best[i].Precision):
			p = best[i].Precision[h]
		default:
			return nil, fmt.Errorf("layer %d: head %d has no width", i+1, h+1)
		}
		m, err := analyse.Gaussian(at, center, p)
		if err != nil {
			return nil, err
		}
		maps = append(maps, m)
	}
	return maps, nil
}

// grid is that of the run's tokens: 16 × 16 if patches have 2 × 2 pixels.
func (r *result) grid() analyse.Grid {
	if r.arm == "quadratic-pool2" {
		return analyse.Grid{Rows: 16, Cols: 16}
	}
	return grid
}

// tableAttention is the softmax over keys of the scores of heads, (heads, (2·max-1)²): each shift has one, row by row.
func tableAttention(at analyse.Grid, table []float64, heads int) (maps [][]float64, err error) {
	side := int(math.Round(math.Sqrt(float64(len(table)) / float64(max(1, heads)))))
	if side*side*heads != len(table) || side%2 == 0 || side < 2*at.Rows-1 {
		return nil, fmt.Errorf("a table of %d scores: want one for each shift of %d heads", len(table), heads)
	}
	tokens, zero := at.Tokens(), (side*side-1)/2 // zero: the place of the shift (0, 0)
	for h := range heads {
		scores := table[h*side*side : (h+1)*side*side]
		p := make([]float64, tokens*tokens)
		for q := range tokens {
			row := p[q*tokens : (q+1)*tokens]
			for k := range row {
				s := at.Shift(q, k)
				row[k] = scores[zero+s[0]*side+s[1]]
			}
			softmax(row)
		}
		maps = append(maps, p)
	}
	return maps, nil
}

func softmax(row []float64) {
	top, sum := slices.Max(row), 0.0
	for i, v := range row {
		row[i] = math.Exp(v - top)
		sum += row[i]
	}
	for i := range row {
		row[i] /= sum
	}
}

// cut separates STUDY/ARM.
func cut(name string) (study, arm string) {
	study, arm, _ = strings.Cut(name, "/")
	return study, arm
}
