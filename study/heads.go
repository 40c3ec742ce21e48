package study

import (
	"fmt"
	"math"
	"slices"

	"github.com/attnconv/attnconv/model"
	"github.com/attnconv/attnconv/posenc"
	"github.com/attnconv/attnconv/viz"
)

// A null is taken over nullSeeds seeds of the initial values from firstNull on, which hardly any run has: a run is to be
// compared with others than its own start.
const (
	nullSeeds = 200
	firstNull = 1 << 32
)

// local is the radius, in tokens, within which half of the attention of a local head lies.
const local = 2

// A HeadQuantity is a number that says something of all heads of a network at once.
type HeadQuantity struct {
	Key  string // for programs
	Name string // for people
	of   func(heads []viz.Head) float64
}

// HeadQuantities lists them. To add one, write its line here. A uniform head (viz.Head) has no place of its own.
var HeadQuantities = []HeadQuantity{
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

// placed are the heads that look somewhere.
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

// A HeadNull is a quantity of trained heads beside its null: the same quantity before training. What is not known is
// NaN.
type HeadNull struct {
	HeadQuantity
	Heads      int
	Now, Start float64  // Start is that of the run's own seed
	Mean       float64  // of Seeds seeds' initial values
	Range      Interval // holds the middle 95 % of them
	Seeds      int
}

// HeadNulls puts heads, layer by layer, beside their start (nil: not known) and beside the initial values that spec
// has with nullSeeds other seeds. It is nil for a model without Gaussian heads.
func HeadNulls(spec model.Spec, now, start [][]posenc.Head) ([]HeadNull, error) {
	if now == nil {
		return nil, nil
	}
	var nulls []HeadNull
	trained, initial := flat(now), flat(start)
	for _, q := range HeadQuantities {
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
		out := len(x) / 40
		nulls[i].Mean, nulls[i].Range = mean(x), Interval{x[out], x[len(x)-1-out]}
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
