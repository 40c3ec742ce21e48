package main

import (
	"fmt"
	"strings"
)

// verdicts counts the sentences by what our runs say of them.
func verdicts(v *verdict) map[string]int {
	words := map[string]int{}
	for _, c := range claims {
		words[c.word(v)]++
	}
	return words
}

// word is the verdict in one word.
func (c claim) word(v *verdict) string {
	word, _ := c.judge(v)
	word, _, _ = strings.Cut(strings.TrimPrefix(word, "**"), "**")
	return word
}

// marks are the verdicts in the order of the page, with colors that can be read on white and on black.
var marks = []struct{ word, mark, color string }{{"supported", "●", "#00805D"}, {"refuted", "✕", "#C24E00"},
	{"depends", "◐", "#A06A00"}, {"open", "○", "#737373"}}

// sentences is the table of sentences as marks, each with a link to its numbers.
func sentences(v *verdict) string {
	var lines [][]string
	for _, kind := range marks {
		for i, c := range claims {
			if c.word(v) == kind.word {
				mark := fmt.Sprintf(`$\color{%s}{\textsf{%s}}$&nbsp;%s`, kind.color, kind.mark, kind.word)
				lines = append(lines, []string{mark,
					fmt.Sprintf("[%s](../studies/verdict.md#sentence-%d)", strings.TrimSuffix(c.says, "."), i+1),
					c.source})
			}
		}
	}
	return strings.TrimSpace(rows([]string{"our runs", "sentence, in our words", "from"}, lines))
}

// foretold are all predictions that have a range, in the order in which they were written, and what became of them.
func foretold(v *verdict) (all []Foretold) {
	for _, g := range []struct {
		name, prefix string
		of           []prediction
	}{
		{"control", "", predictions}, {"half width", halfPrefix, halfPredictions}, {"more at half width", halfPrefix,
			laterPredictions}, {"pruning, content", halfPrefix, prunePredictions},
		{"rates of half width", ownPrefix, ownPredictions}, {"replication", ownPrefix, replicationPredictions},
	} {
		for _, p := range g.of {
			n := v.find(g.prefix + p.id)
			all = append(all, Foretold{g.name, p.says, plainly(p.outcome(n)), foundIn(n, form(n))})
		}
	}
	for _, study := range second {
		for _, q := range questions[study.study] {
			if n := v.find(study.study + "/" + q.id); q.predicted != "" {
				outcome := "open"
				if n.N > 0 {
					outcome = plainly(q.found(n))
				}
				all = append(all, Foretold{study.study, q.says + ": " + q.predicted, outcome, foundIn(n, q.result(n))})
			}
		}
	}
	return all
}

// foundIn is a number in words, or "" before there are runs.
func foundIn(n Number, text string) string {
	if n.N == 0 {
		return ""
	}
	return text
}

// plainly is an outcome in one word or two.
func plainly(outcome string) string {
	outcome = strings.Trim(outcome, "*")
	switch {
	case strings.HasPrefix(outcome, "open"), outcome == noRun:
		return "open"
	case strings.HasPrefix(outcome, "undecided"):
		return "undecided"
	}
	return outcome
}

// outcomesOf counts the predictions by what became of them.
func outcomesOf(v *verdict) map[string]int {
	counts := map[string]int{}
	for _, f := range v.Predictions {
		counts[f.Outcome]++
	}
	return counts
}

// notAsPredicted lists the predictions that were wrong or surprising.
func notAsPredicted(v *verdict) string {
	var lines []string
	for _, f := range v.Predictions {
		if f.Outcome == "wrong" || f.Outcome == "surprising" {
			lines = append(lines, fmt.Sprintf("- **%s:** %s predicted; %s found (%s).", f.Outcome, f.Says, f.Found,
				f.Group))
		}
	}
	return strings.Join(lines, "\n")
}
