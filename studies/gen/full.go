package main

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"
)

// Study control-full: its arms are a model, and -eN behind it where it trains for N epochs instead of 15. How often
// those of sizedArms are repeated depends on study places.
var (
	sizedArms = []string{"quadratic", "quadratic-grid", "conv-twin", "conv-twin-e24"}
	fewArms   = []string{"quadratic-frozen", "resnet18", "resnet18-e26"}

	fullTests     = []contrast{{"quadratic", "quadratic-grid"}, {"quadratic", "conv-twin"}, {"quadratic", "conv-twin-e24"}}
	fullEstimates = []contrast{{"quadratic", "quadratic-frozen"}, {"resnet18", "quadratic"}, {"resnet18-e26", "quadratic"}}
)

const (
	mostSized  = 8
	fullEffect = 0.015 // a difference of accuracy that matters
	fullEpochs = 15
)

var fullModels = []string{"quadratic", "conv-twin", "quadratic-grid", "quadratic-frozen", "resnet18"}

// fullSearch are the arms of the search of a model.
func fullSearch(model string) []string {
	switch model {
	case "quadratic":
		return pairs("search-quadratic", positionRates)
	case "resnet18":
		return atRates("search-resnet18", resNetRates...)
	}
	return atRates("search-" + model)
}

func fullGroups() []group {
	var searched []string
	for _, model := range fullModels {
		searched = append(searched, fullSearch(model)...)
	}
	return slices.Concat(groups(200, 2, searched...), groups(20, mostSized, sizedArms...), groups(20, 3, fewArms...))
}

// groupsOf are the planned runs of a study. Those of control-full are fewer where study places says that they suffice.
func (all *runs) groupsOf(study string) []group {
	planned := slices.Clone(planOf(study).groups)
	for i, g := range planned {
		if study == "control-full" && slices.Contains(sizedArms, g.arm) {
			planned[i].count, _ = all.sized()
		}
	}
	return planned
}

// sized is the smallest number of runs of two arms, from 3 to 8, with a power of 80 % for fullEffect at the smallest of
// three corrected p-values, or else 8; and its power. The standard deviations are those of learned and grid in study
// places. Before that study is done, it is 8 and unknown.
func (all *runs) sized() (n int, power float64) {
	if !all.finished(planOf("places")) {
		return mostSized, math.NaN()
	}
	x, base := testAccuracies(all.planned("places", "learned")), testAccuracies(all.planned("places", "grid"))
	for n = least; ; n++ {
		power = powerOf(stat.StdDev(x, nil), stat.StdDev(base, nil), n, fullEffect, 0.05/float64(len(fullTests)))
		if power >= 0.8 || n == mostSized {
			return n, power
		}
	}
}

// powerOf is how often Welch's two-sided test at a level finds a difference, with n runs of each arm and standard
// deviations s and r. T has Student's distribution, and the non-central one is approximated by a shift:
//
//	P(T ≤ d/√v - t(1 - level/2)),  v = (s² + r²)/n,  ν = (n-1)·(s² + r²)²/(s⁴ + r⁴)
func powerOf(s, r float64, n int, d, level float64) float64 {
	t := distuv.StudentsT{Sigma: 1, Nu: float64(n-1) * math.Pow(s*s+r*r, 2) / (math.Pow(s, 4) + math.Pow(r, 4))}
	return t.CDF(d/math.Sqrt((s*s+r*r)/float64(n)) - t.Quantile(1-level/2))
}

// fullRuns are the runs of control-full that follow the search of a model, as the best of the search for more epochs.
func fullRuns(all *runs, planned []entry, best, model string) (more []entry) {
	for _, arm := range append(slices.Clone(sizedArms), fewArms...) {
		of, epochs := armEpochs(arm)
		if of == model {
			more = append(more, again(all, planned, "control-full", best, arm, epochs)...)
		}
	}
	return more
}

// armEpochs are the model of an arm and for how many epochs it trains.
func armEpochs(arm string) (model string, epochs int) {
	model, text, longer := strings.Cut(arm, "-e")
	if !longer {
		return arm, fullEpochs
	}
	epochs, _ = strconv.Atoi(text)
	return model, epochs
}

func fullNumbers(all *runs) ([]Number, error) {
	n, power := all.sized()
	numbers := []Number{plain("power", n, power)}
	for _, model := range fullModels {
		numbers = append(numbers, all.searchedIn("control-full", fullSearch(model))...)
	}
	numbers = append(numbers, all.accuracyNumbers("control-full", append(slices.Clone(sizedArms), fewArms...)...)...)
	return append(numbers, all.testedNumbers("control-full", fullTests, fullEstimates)...), nil
}

// fullTable is the table of questions, with the power that the spread of study places leaves.
func fullTable(v *verdict) string {
	text := "The number of runs of `quadratic`, of the grid and of the matched network follows from study places.\n"
	if n := v.find("control-full/power"); n.N > 0 {
		text = fmt.Sprintf("With the spread of study places, %d runs have a power of %s for 1.5 points", n.N,
			percent(float64(n.Value))+" %")
		if n.Value < 0.8 {
			text += ", which is below 80 %"
		}
		text += ".\n"
	}
	return text + secondTable("control-full")(v)
}
