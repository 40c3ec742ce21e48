package runs

import (
	"fmt"
	"math"
	"slices"

	"github.com/attnconv/attnconv/internal/table"
	"github.com/attnconv/attnconv/model"
	"github.com/attnconv/attnconv/model/heads"
	"github.com/attnconv/attnconv/null"
	"github.com/attnconv/attnconv/posenc"
	"github.com/attnconv/attnconv/run"
	"github.com/attnconv/attnconv/study/stats"
)

// The null distribution is over the initial values of the nullSeeds seeds from firstNull on. Hardly any run has one of
// these seeds: the null must not contain a run's own initial values.
const (
	nullSeeds = 200
	firstNull = 1 << 32
)

// local is the largest r50 of a local head, in tokens: the radius of the disc with half of its attention.
const local = 2

// headQuantities lists the statistics of all heads of a network; a new one is a line here.
// Distances leave out uniform heads (posenc.Head), whose center means nothing.
var headQuantities = []struct {
	key, name string // for programs, for people
	of        func(heads []posenc.Head) float64
}{
	{"heads_local", fmt.Sprintf("heads with half within %d tokens", local), func(heads []posenc.Head) float64 {
		n := 0.0
		for _, h := range heads {
			if r50, _ := h.Axes(0.5); r50 <= local {
				n++
			}
		}
		return n
	}},
	{"r50_median", "r50, tokens: median", func(heads []posenc.Head) float64 {
		return median(heads, func(h posenc.Head) float64 { r50, _ := h.Axes(0.5); return r50 })
	}},
	{"distance_query_median", "center to query, tokens: median", func(heads []posenc.Head) float64 {
		return median(dropUniform(heads), func(h posenc.Head) float64 { return math.Hypot(h.Center[0], h.Center[1]) })
	}},
	{"distance_shift_median", "center to nearest shift: median", func(heads []posenc.Head) float64 {
		return median(dropUniform(heads), func(h posenc.Head) float64 {
			return math.Hypot(h.Center[0]-math.Round(h.Center[0]), h.Center[1]-math.Round(h.Center[1]))
		})
	}},
}

// dropUniform returns the heads that are not uniform.
func dropUniform(heads []posenc.Head) []posenc.Head {
	return slices.DeleteFunc(slices.Clone(heads), posenc.Head.Uniform)
}

func median(heads []posenc.Head, of func(posenc.Head) float64) float64 {
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

// HeadNulls compares statistics of heads, by layer, with those of their initial values (nil: unknown), and with their
// null distribution: those of the initial values of spec for 200 other seeds. It returns none for a model without
// Gaussian heads.
func HeadNulls(spec model.Spec, now, start [][]posenc.Head) ([]HeadNull, error) {
	nulls := []HeadNull{}
	if now == nil {
		return nulls, nil
	}
	trained, initial := flat(now), flat(start)
	values := make([][]float64, len(headQuantities))
	for seed := range uint64(nullSeeds) {
		layers, err := model.InitialHeads(spec, firstNull+seed)
		if err != nil {
			return nil, err
		}
		untrained := flat(layers)
		for i, q := range headQuantities {
			values[i] = append(values[i], q.of(untrained))
		}
	}
	for i, q := range headQuantities {
		x := values[i]
		slices.Sort(x)
		tail := len(x) / 40 // 2.5 %
		n := HeadNull{Name: q.key, Heads: len(trained), Now: null.Float(q.of(trained)),
			Mean: null.Float(stats.Average(x)),
			Lo:   null.Float(x[tail]), Hi: null.Float(x[len(x)-1-tail]), Seeds: nullSeeds}
		if n.Start = null.Unknown; start != nil {
			n.Start = null.Float(q.of(initial))
		}
		nulls = append(nulls, n)
	}
	return nulls, nil
}

// recordedNulls is HeadNulls of the last epoch that a run of the model spec has recorded. It returns none if there is
// none, or if its heads cannot be read.
func recordedNulls(e run.Entry, spec model.Spec) []HeadNull {
	none, status, d := []HeadNull{}, e.Status, run.Dir{Path: e.Path}
	if status.Epoch < 1 {
		return none
	}
	now, err := run.ReadHeads(d.HeadsPath(status.Epoch))
	if err != nil {
		return none
	}
	start, err := run.ReadHeads(d.HeadsPath(0))
	if err != nil || status.From != "" {
		start.Layers = nil // it began with the weights of another run
	}
	nulls, err := HeadNulls(spec, heads.Recorded(now), heads.Recorded(start))
	if err != nil {
		return none
	}
	return nulls
}

func flat(layers [][]posenc.Head) (all []posenc.Head) {
	for _, heads := range layers {
		all = append(all, heads...)
	}
	return all
}

// NullTable returns a table of nulls, a row each; without nulls it is empty.
func NullTable(nulls []HeadNull) *table.Table {
	if len(nulls) == 0 {
		return &table.Table{}
	}
	t := &table.Table{
		Title: fmt.Sprintf("trained heads and their null: the same statistics of untrained heads, for %d seeds",
			nulls[0].Seeds),
		Columns: []table.Column{{Head: fmt.Sprintf("of %d heads", nulls[0].Heads), Name: true},
			{Head: "now", Right: true},
			{Head: "at the start", Right: true}, {Head: "null: mean [95 %]", Right: true}},
	}
	for _, n := range nulls {
		name := n.Name
		for _, q := range headQuantities {
			if q.key == n.Name {
				name = q.name
			}
		}
		t.Add(table.Words(name), short(n.Now), short(n.Start),
			table.Words(fmt.Sprintf("%s [%s, %s]", short(n.Mean).Text, short(n.Lo).Text, short(n.Hi).Text)))
	}
	return t
}

// short formats a value with three significant digits; an unknown one is a dash.
func short(x null.Float) table.Cell {
	return table.Float(x, func(v float64) string {
		if v == math.Trunc(v) {
			return fmt.Sprintf("%.0f", v)
		}
		return fmt.Sprintf("%.3g", v)
	})
}
