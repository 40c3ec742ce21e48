package main

import (
	"math"
	"slices"
	"strings"

	"github.com/attnconv/attnconv/null"
	"github.com/attnconv/attnconv/study/stats"
)

// verdict is docs/data/verdict.json.
type verdict struct {
	V       int      `json:"v"` // 1
	Runs    []Count  `json:"runs"`
	Numbers []Number `json:"numbers"`
	// What became of each prediction, in the order in which they were written.
	Predictions []Foretold `json:"predictions"`
}

// A Foretold is a prediction and what became of it: "as predicted", "undecided", "wrong", "surprising" or "open".
type Foretold struct {
	Group   string `json:"group"` // predictions that were written together
	Says    string `json:"says"`
	Outcome string `json:"outcome"`
	Found   string `json:"found,omitempty"`
}

// A Count is how many runs of a study are done.
type Count struct {
	Study   string `json:"study"`
	Done    int    `json:"done"`
	Planned int    `json:"planned"`
	Arms    []Arm  `json:"arms,omitempty"` // of a study of the second plan
}

// A Number is one result. Its id is STUDY/WHAT/MODEL, with the layer, size or rate behind it. In study half, half/
// or own/ comes before it.
type Number struct {
	ID       string         `json:"id"`
	N        int            `json:"n"`                  // runs
	Value    null.Float     `json:"value"`              // null: it cannot be computed
	CI       stats.Interval `json:"ci"`                 // 95 %; null: unknown
	Covers   []string       `json:"covers,omitempty"`   // what the interval accounts for: seeds, images
	P        null.Float     `json:"p"`                  // of no difference; null: no difference, or one run
	Holm     null.Float     `json:"p_holm"`             // p corrected for the differences of the control
	Baseline *null.Float    `json:"baseline,omitempty"` // the same of untrained networks
}

// find returns a number; its N is 0 if there is none.
func (v *verdict) find(id string) Number {
	for _, n := range v.Numbers {
		if n.ID == id {
			return n
		}
	}
	return Number{ID: id, Value: null.Unknown, CI: stats.NoInterval, P: null.Unknown, Holm: null.Unknown}
}

// These begin the ids of study half: at the learning rates of full width, and at those of half width. What follows is
// the id of the same number in the other studies.
const (
	halfPrefix = "half/"
	ownPrefix  = "own/"
)

// at has the numbers whose ids begin with prefix, without it.
func (v *verdict) at(prefix string) *verdict {
	view := &verdict{}
	for _, n := range v.Numbers {
		if id, ok := strings.CutPrefix(n.ID, prefix); ok {
			n.ID = id
			view.Numbers = append(view.Numbers, n)
		}
	}
	return view
}

// plain is a number without an interval.
func plain(id string, n int, value float64) Number {
	return Number{ID: id, N: n, Value: null.Float(value), CI: stats.NoInterval, P: null.Unknown, Holm: null.Unknown}
}

// accuracies are those of runs on the test images.
func accuracies(list []*result) (a stats.Accuracies) {
	for _, r := range list {
		a.Runs = append(a.Runs, r.Test.Acc)
		a.Right = append(a.Right, r.Test.Right)
		a.Images = r.Test.N
	}
	return a
}

// mean is that of accuracies, with an interval for seeds and images.
func mean(id string, list []*result) Number {
	s := stats.Summarize(accuracies(list))
	return Number{ID: id, N: s.N, Value: null.Float(s.Mean), CI: s.CI, Covers: s.Covers.Words(), P: null.Unknown,
		Holm: null.Unknown}
}

// difference is that of two models' accuracies, in pairs of runs with the same seed.
func difference(id string, x, base []*result) (d Number, ok bool) {
	x, base = sameSeeds(x, base)
	if len(x) == 0 || x[0].Test.N != base[0].Test.N {
		return d, false
	}
	c, err := stats.Compare(accuracies(x), accuracies(base), true)
	if err != nil {
		return d, false
	}
	d = Number{ID: id, N: len(x), Value: null.Float(c.Diff), CI: c.CI, Covers: c.Covers.Words(), P: null.Float(c.P),
		Holm: null.Unknown}
	return d, true
}

// sameSeeds returns the runs whose seed both models have.
func sameSeeds(x, base []*result) (xs, bases []*result) {
	for _, a := range x {
		for _, b := range base {
			if a.seed == b.seed {
				xs, bases = append(xs, a), append(bases, b)
			}
		}
	}
	return xs, bases
}

// overSeeds is the mean of a value of runs, with Student's interval over seeds where there are two or more. Equal
// values have none: that they are equal, as counts may be, is not certainty.
func overSeeds(id string, values []float64) Number {
	n := plain(id, len(values), stats.Average(values))
	if len(values) > 1 && slices.Min(values) < slices.Max(values) {
		n.CI, n.Covers = stats.Student(values), []string{"seeds"}
	}
	return n
}

// fractionOverSeeds is overSeeds of fractions: the interval ends at 0 and 1.
func fractionOverSeeds(id string, values []float64) Number { return limitedOverSeeds(id, values, 0) }

// limitedOverSeeds is overSeeds of values from least to 1: the interval ends there as well.
func limitedOverSeeds(id string, values []float64, least float64) Number {
	n := overSeeds(id, values)
	if n.CI.Known() {
		n.CI.Lo, n.CI.Hi = max(least, n.CI.Lo), min(1, n.CI.Hi)
	}
	return n
}

// each collects a value of each run that has one.
func each(list []*result, of func(*result) (float64, bool)) (values []float64) {
	for _, r := range list {
		if v, ok := of(r); ok && !math.IsNaN(v) {
			values = append(values, v)
		}
	}
	return values
}
