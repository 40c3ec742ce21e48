package study

import (
	"fmt"
	"math"
	"slices"

	"github.com/attnconv/attnconv/model"
	"github.com/attnconv/attnconv/null"
	"github.com/attnconv/attnconv/posenc/geometry"
	"github.com/attnconv/attnconv/study/stats"
)

// A HeadNull compares a statistic of trained heads with its null distribution: that of untrained heads.
type HeadNull struct {
	Name  string     `json:"name"`  // of the statistic
	Words string     `json:"-"`     // that name it in a table
	Heads int        `json:"heads"` // that it is taken over
	Now   null.Float `json:"now"`   // of the trained heads
	Start null.Float `json:"start"` // of the same heads before the first step; null: unknown
	Mean  null.Float `json:"mean"`  // over the untrained heads of seeds seeds
	Lo    null.Float `json:"lo"`    // lower end of the central 95 %
	Hi    null.Float `json:"hi"`    // upper end
	Seeds int        `json:"seeds"` // drawn
}

// The null distribution is over the initial values of the nullSeeds seeds from firstNull on. Hardly any run has one of
// these seeds: the null must not contain a run's own initial values.
const (
	nullSeeds = 200
	firstNull = 1 << 32
)

// local is the largest r50 of a local head, in tokens: the radius of the disc with half of its attention.
const local = 2

// headQuantities lists the statistics of all heads of a network; a new one is a line here.
// Distances leave out uniform heads (geometry.Head), whose center means nothing.
var headQuantities = []struct {
	key, name string // for programs, for people
	of        func(heads []geometry.Head) float64
}{
	{"heads_local", fmt.Sprintf("heads with half within %d tokens", local), func(heads []geometry.Head) float64 {
		n := 0.0
		for _, h := range heads {
			if r50, _ := h.Axes(0.5); r50 <= local {
				n++
			}
		}
		return n
	}},
	{"r50_median", "r50, tokens: median", func(heads []geometry.Head) float64 {
		return median(heads, func(h geometry.Head) float64 { r50, _ := h.Axes(0.5); return r50 })
	}},
	{"distance_query_median", "center to query, tokens: median", func(heads []geometry.Head) float64 {
		return median(dropUniform(heads), func(h geometry.Head) float64 { return math.Hypot(h.Center[0], h.Center[1]) })
	}},
	{"distance_shift_median", "center to nearest shift: median", func(heads []geometry.Head) float64 {
		return median(dropUniform(heads), func(h geometry.Head) float64 {
			return math.Hypot(h.Center[0]-math.Round(h.Center[0]), h.Center[1]-math.Round(h.Center[1]))
		})
	}},
}

// dropUniform returns the heads that are not uniform.
func dropUniform(heads []geometry.Head) []geometry.Head {
	return slices.DeleteFunc(slices.Clone(heads), geometry.Head.Uniform)
}

func median(heads []geometry.Head, of func(geometry.Head) float64) float64 {
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
func HeadNulls(spec model.Spec, now, start [][]geometry.Head) ([]HeadNull, error) {
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
		n := HeadNull{Name: q.key, Words: q.name, Heads: len(trained), Now: null.Float(q.of(trained)),
			Mean: null.Float(stats.Average(x)),
			Lo:   null.Float(x[tail]), Hi: null.Float(x[len(x)-1-tail]), Seeds: nullSeeds}
		if n.Start = null.Unknown; start != nil {
			n.Start = null.Float(q.of(initial))
		}
		nulls = append(nulls, n)
	}
	return nulls, nil
}

func flat(layers [][]geometry.Head) (all []geometry.Head) {
	for _, heads := range layers {
		all = append(all, heads...)
	}
	return all
}
