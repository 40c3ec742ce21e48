package study

import (
	"fmt"
	"math"
	"slices"

	"github.com/attnconv/attnconv/internal/table"
	"github.com/attnconv/attnconv/model"
	"github.com/attnconv/attnconv/posenc"
	"github.com/attnconv/attnconv/report"
	"github.com/attnconv/attnconv/viz"
)

// The null distribution is over the initial values of the nullSeeds seeds from firstNull on. Hardly any run has one of
// these seeds: the null must not contain a run's own initial values.
const (
	nullSeeds = 200
	firstNull = 1 << 32
)

// local is the largest r50 of a local head, in tokens: the radius of the disc with half of its attention.
const local = 2

// A HeadQuantity is a statistic of all heads of a network.
type HeadQuantity struct {
	Key  string // for programs
	Name string // for people
	of   func(heads []viz.Head) float64
}

// headQuantities lists them; a new one is a line here. Distances leave out uniform heads (viz.Head), whose center means
// nothing.
var headQuantities = []HeadQuantity{
	{"heads_local", fmt.Sprintf("heads with half within %d tokens", local), func(heads []viz.Head) float64 {
		n := 0.0
		for _, h := range heads {
			if r50, _ := h.Axes(0.5); r50 <= local {
				n++
			}
		}
		return n
	}},
	{"r50_median", "r50, tokens: median", func(heads []viz.Head) float64 {
		return median(heads, func(h viz.Head) float64 { r50, _ := h.Axes(0.5); return r50 })
	}},
	{"distance_query_median", "center to query, tokens: median", func(heads []viz.Head) float64 {
		return median(placed(heads), func(h viz.Head) float64 { return math.Hypot(h.Center[0], h.Center[1]) })
	}},
	{"distance_shift_median", "center to nearest shift: median", func(heads []viz.Head) float64 {
		return median(placed(heads), func(h viz.Head) float64 {
			return math.Hypot(h.Center[0]-math.Round(h.Center[0]), h.Center[1]-math.Round(h.Center[1]))
		})
	}},
}

// placed returns the heads that are not uniform.
func placed(heads []viz.Head) []viz.Head {
	return slices.DeleteFunc(slices.Clone(heads), viz.Head.Uniform)
}

func median(heads []viz.Head, of func(viz.Head) float64) float64 {
	var x []float64
	for _, h := range heads {
		x = append(x, of(h))
	}
	slices.Sort(x)
	if n := len(x); n > 0 {
		return (x[(n-1)/2] + x[n/2]) / 2
	}
	return math.NaN()
}

// A HeadNull compares a quantity of trained heads with its null distribution: the same quantity before training. Unknown
// values are NaN.
type HeadNull struct {
	HeadQuantity
	Heads      int
	Now, Start float64  // after and before training of this run
	Mean       float64  // of the null distribution
	Range      Interval // middle 95 % of the null distribution
	Seeds      int      // of the null distribution
}

// HeadNulls compares heads, by layer, with their initial values (nil: unknown) and with the initial values of spec for
// nullSeeds other seeds. It returns nil for a model without Gaussian heads.
func HeadNulls(spec model.Spec, now, start [][]posenc.Head) ([]HeadNull, error) {
	if now == nil {
		return nil, nil
	}
	var nulls []HeadNull
	trained, initial := flat(now), flat(start)
	for _, q := range headQuantities {
		n := HeadNull{HeadQuantity: q, Heads: len(trained), Now: q.of(trained), Start: math.NaN(), Seeds: nullSeeds}
		if start != nil {
			n.Start = q.of(initial)
		}
		nulls = append(nulls, n)
	}
	values := make([][]float64, len(nulls))
	for seed := range uint64(nullSeeds) {
		layers, err := model.InitialHeads(spec, firstNull+seed)
		if err != nil {
			return nil, err
		}
		heads := flat(layers)
		for i, n := range nulls {
			values[i] = append(values[i], n.of(heads))
		}
	}
	for i, x := range values {
		slices.Sort(x)
		tail := len(x) / 40 // 2.5 %
		nulls[i].Mean, nulls[i].Range = mean(x), Interval{x[tail], x[len(x)-1-tail]}
	}
	return nulls, nil
}

func flat(layers [][]posenc.Head) (all []viz.Head) {
	for _, heads := range layers {
		for _, h := range heads {
			all = append(all, viz.Head(h))
		}
	}
	return all
}

// NullDocument returns nulls as they stand in JSON documents.
func NullDocument(nulls []HeadNull) []report.HeadNull {
	rows := []report.HeadNull{}
	for _, n := range nulls {
		rows = append(rows, report.HeadNull{Name: n.Key, Heads: n.Heads, Now: report.Finite(n.Now), Start: report.Finite(n.Start),
			Mean: report.Finite(n.Mean), Lo: report.Finite(n.Range.Lo), Hi: report.Finite(n.Range.Hi), Seeds: n.Seeds})
	}
	return rows
}

// NullTable returns a table of at least one null.
func NullTable(nulls []HeadNull) *table.Table {
	t := &table.Table{
		Title: fmt.Sprintf("trained heads and their null: the same statistics of untrained heads, for %d seeds", nulls[0].Seeds),
		Columns: []table.Column{{Head: fmt.Sprintf("of %d heads", nulls[0].Heads), Name: true}, {Head: "now", Right: true},
			{Head: "at the start", Right: true}, {Head: "null: mean [95 %]", Right: true}},
	}
	for _, n := range nulls {
		t.Add(table.Words(n.Name), short(n.Now), short(n.Start),
			table.Words(fmt.Sprintf("%s [%s, %s]", short(n.Mean).Text, short(n.Range.Lo).Text, short(n.Range.Hi).Text)))
	}
	return t
}

// short formats a value with three significant digits.
func short(x float64) table.Cell {
	switch {
	case math.IsNaN(x):
		return table.Cell{Text: "–"}
	case x == math.Trunc(x):
		return table.Cell{Text: fmt.Sprintf("%.0f", x), Value: x}
	}
	return table.Cell{Text: fmt.Sprintf("%.3g", x), Value: x}
}
