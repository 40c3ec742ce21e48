package main

import (
	"fmt"
	"strings"
)

// later is what studies of the second plan say of some sentences once their stopping rule is met. Where no test was
// planned it is evidence and no verdict.
var later = map[string]func(*verdict) (word, evidence string){
	"Heads of deeper layers look farther away.": fartherCells,
	learnedPlaces: placesOfBoth,
	"Attention wins if there are many images.": equalTime,
	claims[len(claims)-1].says:                 searchedPatches,
}

const (
	learnedPlaces    = "Learned places are better than the places of a convolution."
	learnedMinusGrid = "control-full/difference/quadratic-minus-quadratic-grid"
)

// placesOfBoth is quadratic − grid at half width, an estimate, and at full width, a test.
func placesOfBoth(v *verdict) (string, string) {
	full := v.find(learnedMinusGrid)
	text := evidence(v.find("places/difference/learned-minus-grid"), "`learned` − heads on a 3 × 3 grid, an estimate")
	if full.N > 0 {
		text = strings.TrimPrefix(text+"; ", noRun+"; ") +
			evidence(full, "at full width `quadratic` − heads on a 3 × 3 grid")
	}
	return open, text
}

// fullWidth is what the tests of study control-full say of a sentence.
func fullWidth(v *verdict, says string) string {
	n := v.find(learnedMinusGrid)
	switch {
	case says != learnedPlaces || n.N == 0 || !(n.Holm < 0.05):
		return open
	case n.Value > 0:
		return supported
	}
	return refuted
}

// fartherCells asks if τ of learned heads is above τ of frozen heads in all cells of study outward.
func fartherCells(v *verdict) (string, string) {
	text, t := "correlation τ − that of frozen heads:", tally{}
	for _, c := range cells {
		_, arm := cut(c.arm)
		n := v.find("outward/trend-difference/" + arm)
		if n.N == 0 {
			return open, noRun
		}
		text += fmt.Sprintf(" `%s` %s,", arm, amount(n, 2))
		t.add(n.N, n.Holm < 0.05 && n.clears(0, 1), n.Holm < 0.05 && n.clears(0, -1))
	}
	return t.verdict(), text + fmt.Sprintf(" n = %d", t.runs)
}

// equalTime is the lead of the matched network in study compute, which planned no test of the sentence.
func equalTime(v *verdict) (string, string) {
	steps, time := v.find("compute/difference/conv-twin-e4-minus-quadratic"),
		v.find("compute/difference/conv-twin-e7-minus-quadratic")
	if steps.N == 0 || time.N == 0 {
		return open, noRun
	}
	return open, fmt.Sprintf("matched network − `quadratic`: %s at equal steps, %s at equal time (n = %d)", form(steps),
		form(time), steps.N)
}

// searchedPatches are the accuracies on far marks with a searched rate for each network. The sentence is about one
// recipe.
func searchedPatches(v *verdict) (string, string) {
	text := "each at a searched rate:"
	for _, arm := range markArms {
		n := v.find("marks/accuracy/" + arm)
		if n.N == 0 {
			return open, noRun
		}
		text += fmt.Sprintf(" `%s` %s,", arm, form(n))
	}
	return open, strings.TrimSuffix(text, ",")
}
