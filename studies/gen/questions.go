package main

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/attnconv/attnconv/null"
)

// A question is a line of a study of the second plan: a number, the runs that it comes from, what was predicted of it,
// and what a planned test says.
type question struct {
	prediction
	predicted string   // the prediction in words; "": none was made
	arms      []string // whose runs it needs: of this study, or STUDY/ARM
	part      int      // of the runs of its arm, how many it needs; 0: all
	digits    int      // of a number other than an accuracy; -1: as many as it has; 0: points
	test      func(n Number) string
	exact     bool // a count or a choice, which has no interval
	zero      bool // predicted is an interval that holds 0
}

// free is what a question without a prediction, or with one that no range says, begins with.
func free(says, surprise, id string) prediction {
	return prediction{says: says, surprise: surprise, id: id, lo: -inf, hi: inf}
}

// questions are those of each study, in the order of studies/README.md. What it predicts is in its words.
var questions = map[string][]question{
	"rates": {
		bestPosition(0.003), bestPosition(0.01), bestPosition(0.03),
		tapsAlong("fewest taps of 54 heads along the rates of positions, at any rate of matrices", "taps-fewest",
			"fewer than 10", 0, 10),
		tapsAlong("most taps along the rates of positions, at any rate of matrices", "taps-most", "more than 18", 18, 54),
		tapsAlong("largest change of the taps along the rates of matrices, at any rate of positions", "taps-change",
			"less than 8", 0, 8),
	},
	"compute": {
		equalCost("conv-twin-e4", "at equal steps", "", "", -inf, inf, nil),
		equalCost("conv-twin-e7", "at equal time", "+3 to +8", "quadratic ahead", 0.03, 0.08, below(0)),
		equalCost("conv-twin-e10", "at equal operations by the equations", "+6 to +12", "below +3", 0.06, 0.12,
			below(0.03)),
		equalCost("resnet18-e4", "at equal steps", "", "", -inf, inf, nil),
		equalCost("resnet18-e5", "at equal time", "", "", -inf, inf, nil),
		equalCost("resnet18-e12", "at equal operations by the equations", "+9 to +17", "below +6", 0.09, 0.17,
			below(0.06)),
	},
	"outward": slices.Concat(cellQuestions(), []question{
		{prediction: prediction{says: "cells of learned heads with a mean τ above 0.5, of seven", id: "cells-above", lo: 6,
			hi: 7}, predicted: "at least 6", arms: cellArms(), digits: -1, exact: true},
		lowestCell(), frozenTrend("quadratic-frozen", "6"), frozenTrend("quadratic-frozen-l12", "12"),
		{prediction: free("τ of the 3 × 3 grid", "", "trend-shift/quadratic-grid"), arms: []string{"quadratic-grid"},
			digits: 2},
		betterBorder("table", "`table`"), betterBorder("table-l12", "`table`, 12 layers"),
		betterBorder("quadratic-general", "`quadratic-general`"),
		repeatedEdge("table", "`table`"), repeatedEdge("table-l12", "`table`, 12 layers"), zerosCost(5), zerosCost(6),
		{prediction: free("τ of `quadratic` with 16 × 16 tokens, which explores only", "", "trend-shift/quadratic-pool2"),
			arms: []string{"quadratic-pool2"}, digits: 2},
	}),
	"places": {
		moved("transplanted", "frozen", "+3 to +7", "below +2", 0.03, 0.07, below(0.02), 0.02),
		moved("widths", "frozen", "0 to +3", "above +4", 0, 0.03, above(0.04), 0.02),
		moved("rotated", "transplanted", "−4 to 0", "above 0", -0.04, 0, above(0), 0.015),
		moved("reversed", "transplanted", "−6 to −1", "above −0.5", -0.06, -0.01, above(-0.005), 0.015),
		{prediction: prediction{says: "transplanted places − `learned`", surprise: "below −2", lo: -0.01, hi: inf,
			id: "not-inferior/transplanted-minus-learned", surprising: below(-0.02)}, predicted: "above −1",
			arms: []string{"transplanted", "learned"}, test: notWorse},
		moved("centers", "frozen", "", "", -inf, inf, nil, 0),
		moved("learned", "grid", "0 to +3", "grid ahead", 0, 0.03, below(0), 0),
	},
	"dilated": {
		moved("twin-112233", "twin-111111", "−0.5 to +2", "below −1", -0.005, 0.02, below(-0.01), 0.01),
		moved("twin-112233", "twin-222222", "0 to +2", "below 0", 0, 0.02, below(0), 0.01),
		moved("twin-332211", "twin-112233", "", "", -inf, inf, nil, 0),
		moved("dcls", "compute/quadratic", "−2 to +2", "more than 3 apart", -0.02, 0.02, beyond(0.03), 0),
	},
	"marks": {
		learns("attention", "≥ 95 %", 0.95, 1), learns("convnet", "30 to 50 %", 0.3, 0.5),
		learns("resnet10", "30 to 70 %", 0.3, 0.7), learns("conv-twin", "30 to 37 %", 0.3, 0.37),
		learns("conv-far", "30 to 70 %", 0.3, 0.7), aheadOf("convnet"), aheadOf("resnet10"), aheadOf("conv-twin"),
		aheadOf("conv-far"),
	},
	"control-full": {
		moved("quadratic", "quadratic-grid", "−0.5 to +3", "grid ahead by more than 1", -0.005, 0.03, below(-0.01), fullEffect),
		moved("quadratic", "conv-twin", "−1 to +3", "matched network ahead by more than 1", -0.01, 0.03, below(-0.01),
			fullEffect),
		moved("quadratic", "conv-twin-e24", "−3 to +1", "more than 4 apart", -0.03, 0.01, beyond(0.04), fullEffect),
		moved("quadratic", "quadratic-frozen", "+1 to +6", "frozen heads at or above learned ones", 0.01, 0.06,
			func(n Number) bool { return n.Value <= 0 }, 0),
		moved("resnet18", "quadratic", "+3 to +8", "less than 2", 0.03, 0.08, below(0.02), 0),
		moved("resnet18-e26", "quadratic", "+4 to +9", "less than 3", 0.04, 0.09, below(0.03), 0),
	},
	"zoo": {
		reaches("vit", "58 to 72 %", 0.58, 0.72), reaches("mixer", "58 to 74 %", 0.58, 0.74),
		reaches("convit", "64 to 78 %", 0.64, 0.78), reaches("swin", "68 to 78 %", 0.68, 0.78),
		reaches("nat", "68 to 78 %", 0.68, 0.78), reaches("quadratic", "72 to 82 %", 0.72, 0.82),
		reaches("coatnet", "72 to 84 %", 0.72, 0.84), reaches("cct", "78 to 86 %", 0.78, 0.86),
		reaches("convnext", "70 to 84 %", 0.70, 0.84), reaches("convmixer", "78 to 86 %", 0.78, 0.86),
		reaches("resnet18", "82 to 91 %", 0.82, 0.91),
		moved("cct", "vit", "above 0", "ViT above CCT", 0, inf, below(0), 0),
		moved("convnext", "convmixer", "below 0", "ConvNeXt above ConvMixer", -inf, 0, above(0), 0),
	},
}

func bestPosition(w float64) question {
	return question{prediction: prediction{says: fmt.Sprintf("best rate of positions where that of matrices is %v", w),
		surprise: "0.003 or 0.3", id: fmt.Sprintf("position/%v", w), lo: 0.03, hi: 0.1,
		surprising: func(n Number) bool { return n.Value == 0.003 || n.Value == 0.3 }},
		predicted: "0.03 to 0.1", digits: -1, exact: true}
}

func tapsAlong(says, id, predicted string, lo, hi float64) question {
	return question{prediction: prediction{says: says, surprise: "the reverse", id: id, lo: lo, hi: hi},
		predicted: predicted, digits: 1, exact: true}
}

// equalCost is a question of study compute: an arm against quadratic.
func equalCost(arm, equal, predicted, surprise string, lo, hi float64, surprising func(Number) bool) question {
	name, _, _ := strings.Cut(arm, "-e")
	name = map[string]string{"conv-twin": "matched network", "resnet18": "ResNet18"}[name]
	return question{prediction: prediction{says: fmt.Sprintf("%s − `quadratic` %s", name, equal), surprise: surprise,
		id: "difference/" + contrast{arm, "quadratic"}.name(), lo: lo, hi: hi, surprising: surprising},
		predicted: predicted, arms: []string{arm, "quadratic"}, test: decided(0.03, "3 points")}
}

// armNames are what the arms of studies places, dilated and control-full are, where their name does not say it.
var armNames = map[string]string{"transplanted": "transplanted places", "frozen": "frozen random places",
	"widths": "random centers with trained widths", "centers": "trained centers with initial widths",
	"rotated": "rotated places", "reversed": "reversed places", "grid": "3 × 3 grid",
	"twin-111111": "dilations 1 × 6", "twin-112233": "dilations 1 1 2 2 3 3", "twin-332211": "dilations 3 3 2 2 1 1",
	"twin-222222": "dilations 2 × 6", "dcls": "DCLS", "conv-twin": "matched network",
	"conv-twin-e24": "matched network at equal time", "resnet18-e26": "`resnet18` at equal time"}

// moved is a question of a difference. An effect of 0 is that of an estimate without a test.
func moved(x, base, predicted, surprise string, lo, hi float64, surprising func(Number) bool, effect float64) question {
	name := base[strings.Index(base, "/")+1:]
	says := func(arm string) string { return cmp.Or(armNames[arm], "`"+arm+"`") }
	q := question{prediction: prediction{says: says(x) + " − " + says(name), surprise: surprise,
		id: "difference/" + contrast{x, name}.name(), lo: lo, hi: hi, surprising: surprising},
		predicted: predicted, arms: []string{x, base}}
	if effect > 0 {
		q.test = decided(effect, strings.Replace(short(100*effect)+" points", "1 points", "1 point", 1))
	}
	return q
}

// cellQuestions are the seven cells of study outward, each with its τ and the difference from frozen heads.
func cellQuestions() (all []question) {
	for _, c := range cells {
		_, arm := cut(c.arm)
		name, long := strings.CutSuffix(arm, "-l12")
		name, built := strings.CutSuffix(name, "-shapes32")
		name = "`" + name + "`"
		if long {
			name += ", 12 layers"
		}
		if built {
			name += ", built-in images"
		}
		all = append(all,
			question{prediction: free("τ of depth and mean shift, "+name, "", "trend-shift/"+arm),
				arms: []string{c.arm}, digits: 2},
			question{prediction: free("the same − frozen heads", "", "trend-difference/"+arm),
				arms: []string{c.arm, c.frozen}, digits: 2, test: decided(0.5, "0.5")})
	}
	return all
}

func cellArms() (arms []string) {
	for _, c := range cells {
		arms = append(arms, c.arm)
	}
	return arms
}

func lowestCell() question {
	q := question{prediction: free("smallest mean τ of the seven cells", "below 0", "trend-least"), arms: cellArms(),
		digits: 2, exact: true}
	q.surprising = below(0)
	return q
}

func frozenTrend(arm, layers string) question {
	return question{prediction: free("τ of frozen heads, "+layers+" layers", "it does not", "trend-shift/"+arm),
		predicted: "the interval holds 0", arms: []string{arm}, digits: 2, zero: true}
}

// leastShare is what the least share of one convolution over the layers of a network begins with.
const leastShare = "least share of one convolution over the layers, "

func betterBorder(arm, name string) question {
	return question{prediction: prediction{says: leastShare + "better border, " + name, surprise: "below 80 %",
		id: "share-better/" + arm, lo: 0.9, hi: 1, surprising: below(0.8)}, predicted: "≥ 90 % in every layer",
		arms: []string{arm}}
}

func repeatedEdge(arm, name string) question {
	return question{prediction: prediction{says: leastShare + "repeated edge, " + name, id: "share-repeated/" + arm,
		lo: 0, hi: 0.9}, predicted: "< 90 % in some layer", arms: []string{arm}}
}

func zerosCost(layer int) question {
	return question{prediction: prediction{
		says:     fmt.Sprintf("hard taps in layer %d of eight donors: what zeros cost more than repeated edges", layer),
		surprise: "no difference", id: fmt.Sprintf("zeros-cost/%d", layer), lo: 0.01, hi: 0.08,
		surprising: func(n Number) bool { return n.Value <= 0 }}, predicted: "1 to 8 points",
		arms: []string{"places/learned"}, part: replacedRuns}
}

// reaches is the accuracy of an arm.
func reaches(arm, predicted string, lo, hi float64) question {
	return question{prediction: prediction{says: "accuracy of `" + arm + "`", id: "accuracy/" + arm, lo: lo, hi: hi},
		predicted: predicted, arms: []string{arm}}
}

// learns is the accuracy of a network of study marks. Chance is a third.
func learns(arm, predicted string, lo, hi float64) question {
	q := reaches(arm, predicted, lo, hi)
	q.surprise, q.surprising = "above 90 %", above(0.9)
	if arm == "attention" {
		q.surprise, q.surprising = "below 90 %", below(0.9)
	}
	return q
}

func aheadOf(arm string) question {
	return question{prediction: free("`attention` − `"+arm+"`", "", "difference/"+contrast{"attention", arm}.name()),
		arms: []string{"attention", arm}, test: decided(0.1, "10 points")}
}

// decided is what a test says whose p is corrected: if there is a difference, and how it compares with the one that
// matters.
func decided(effect float64, words string) func(Number) string {
	return func(n Number) string {
		text := "not significant"
		if n.Holm < 0.05 {
			text = "**significant**"
		}
		switch {
		case n.clears(effect, 1) || n.clears(-effect, -1):
			return text + ", more than " + words
		case n.CI.Lo > -effect && n.CI.Hi < effect:
			return text + ", less than " + words
		}
		return text
	}
}

// notWorse is what the test of no inferiority says.
func notWorse(n Number) string {
	if n.P < 0.05 {
		return "**not worse** by 1 point or more"
	}
	return "not shown that it is not worse by 1 point or more"
}

// found compares the prediction with its number, if one was made.
func (q question) found(n Number) string {
	switch {
	case q.predicted == "" && q.surprising == nil:
		return "–"
	case q.zero && n.N >= least:
		if !n.CI.Known() && n.Value == 0 || n.CI.Lo <= 0 && n.CI.Hi >= 0 {
			return "as predicted"
		}
		return "**surprising**"
	case q.exact && q.surprising != nil && q.surprising(n):
		return "**surprising**"
	case q.exact && q.predicted == "":
		return "–"
	case q.exact && float64(n.Value) >= q.lo && float64(n.Value) <= q.hi:
		return "as predicted"
	case q.exact:
		return "**wrong**"
	}
	return q.outcome(n)
}

// result is the number in words.
func (q question) result(n Number) string {
	switch {
	case q.digits > 0:
		return amount(n, q.digits)
	case q.digits == 0:
		return form(n)
	}
	return strconv.FormatFloat(float64(n.Value), 'g', -1, 64)
}

// runs says how many of the planned runs of a question are done: "8 of 13", and "8 and 5" once all are. n are those of
// its number, fewer if some diverged.
func (q question) runs(study string, counts []Count, n int) string {
	var each []string
	done, planned, least := 0, 0, 0
	for _, name := range q.arms {
		of, arm := study, name
		if strings.Contains(name, "/") {
			of, arm = cut(name)
		}
		for _, c := range counts {
			for _, a := range c.Arms {
				if c.Study == of && a.Arm == arm {
					done, planned, each = done+a.Done, planned+a.Planned, append(each, strconv.Itoa(a.Planned))
					if len(each) == 1 || a.Planned < least {
						least = a.Planned
					}
				}
			}
		}
	}
	switch {
	case planned == 0:
		return "all"
	case done == 0:
		return fmt.Sprintf("%s, of %d", noRun, planned)
	case done < planned:
		return fmt.Sprintf("%d of %d", done, planned)
	case len(each) > 2:
		return strconv.Itoa(planned)
	}
	text := strings.Join(each, " and ")
	if q.part > 0 {
		text, least = strconv.Itoa(q.part), q.part
	}
	if 0 < n && n < least {
		text += fmt.Sprintf(", without those that diverged (n = %d)", n)
	}
	return text
}

// secondTable has the questions of a study of the second plan. Before its stopping rule is met, it has no results.
func secondTable(study string) func(*verdict) string {
	return func(v *verdict) string {
		i := slices.IndexFunc(v.Runs, func(c Count) bool { return c.Study == study })
		c := v.Runs[i]
		text := fmt.Sprintf("All %d runs are done.", c.Planned)
		switch {
		case c.Done == 0:
			text = fmt.Sprintf("0 of %d runs, so %s; no verdict before the stopping rule.", c.Planned, noRun)
		case c.Done < c.Planned:
			text = fmt.Sprintf("%d of %d runs; no verdict before the stopping rule.", c.Done, c.Planned)
		}
		var lines [][]string
		for _, q := range questions[study] {
			n := v.find(study + "/" + q.id)
			line := []string{q.says, orDash(q.predicted), orDash(q.surprise), q.runs(study, v.Runs, n.N)}
			if n.N == 0 {
				line = append(line, "no verdict yet", "–", "–", "–")
			} else {
				line = append(line, q.result(n), pText(q.p(n)), q.verdict(n), q.found(n))
			}
			lines = append(lines, line)
		}
		return text + searchText(study, v) + "\n\n" + rows([]string{"question", "prediction", "would surprise us", "runs:", "result", "p:", "test",
			"outcome"}, lines)
	}
}

// searchText has the accuracies on validation images by which a study chose its rates, once its runs are done.
func searchText(study string, v *verdict) string {
	var found []string
	for _, n := range v.at(study + "/val/search-").Numbers {
		found = append(found, fmt.Sprintf("`%s` %s", n.ID, form(n)))
	}
	if len(found) == 0 {
		return ""
	}
	return " Accuracy on validation images in the search, in percent: " + strings.Join(found, ", ") + "."
}

// p is that of the test, corrected where several tests share their level.
func (q question) p(n Number) (p null.Float) {
	if n.Holm.Known() {
		return n.Holm
	}
	return n.P
}

func (q question) verdict(n Number) string {
	if q.test == nil {
		return "–"
	}
	return q.test(n)
}

// rateTable has accuracy on validation images and taps, by the rates of matrices and positions.
func rateTable(v *verdict) string {
	heads := []string{"matrices, positions"}
	for _, p := range positionRates {
		heads = append(heads, fmt.Sprintf("%v:", p))
	}
	var lines [][]string
	for _, w := range matrixRates {
		line := []string{fmt.Sprint(w)}
		for _, p := range positionRates {
			arm := fmt.Sprintf("quadratic-w%v-p%v", w, p)
			text := "not run yet"
			if val, taps := v.find("rates/val/"+arm), v.find("rates/taps/"+arm); val.N > 0 && taps.N > 0 {
				text = percent(float64(val.Value)) + " (" + short(float64(taps.Value)) + ")"
			}
			line = append(line, text)
		}
		lines = append(lines, line)
	}
	text := rows(heads, lines)
	lines = nil
	for _, arm := range []string{"conv-twin", "quadratic-grid", "quadratic-frozen"} {
		lines = append(lines, rateLine(v, arm, "0.003", "0.01", "0.03", ""))
	}
	return text + "\n" + rows([]string{"model", "0.003:", "0.01:", "0.03:", "0.06:", "0.12:", "0.24:"},
		append(lines, rateLine(v, "resnet18", "", "", "0.03", "0.06", "0.12", "0.24")))
}

func rateLine(v *verdict, arm string, rates ...string) []string {
	line := []string{"`" + arm + "`", "", "", "", "", "", ""}
	for i, rate := range rates {
		if n := v.find("rates/val/" + arm + "-lr" + rate); rate != "" {
			line[i+1] = form(n)
		}
	}
	return line
}
