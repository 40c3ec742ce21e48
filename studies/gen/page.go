package main

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/attnconv/attnconv/null"
)

// A part of a page is between <!-- NAME --> and <!-- end of NAME -->.
type part struct {
	name string
	of   func(*verdict) string
}

// results is the table of accuracies and costs.
var results = part{"results", inPart(ownPrefix, resultTable)}

// parts lists the parts of each page, besides what it quotes. All of findingsFile is quoted.
var parts = map[string][]part{findingsFile: nil, attentionFile: nil, slidesFile: nil, readmeFile: {results}, pageFile: {
	{"state", state}, {"claims", claimTable}, {"predictions", outcomes(predictions)}, {"search", searchTable},
	{"accuracy", accuracyTable}, {"differences", differenceTable}, {"layers", layerTable}, {"curves", curveTable},
	{"encodings", encodingTable}, {"data", dataTable}, {"relations", relationTable}, {"robust", robustTable},
	{"heads", headTable}, {"half predictions", inPart(halfPrefix, outcomes(halfPredictions))},
	{"later predictions", inPart(halfPrefix, outcomes(laterPredictions))},
	{"prune predictions", inPart(halfPrefix, outcomes(prunePredictions))},
	{"own predictions", inPart(ownPrefix, outcomes(ownPredictions))},
	{"replication predictions", inPart(ownPrefix, outcomes(replicationPredictions))},
	{"own replication", inPart(ownPrefix, replicationTable)},
	{"half search", inPart(halfPrefix, halfSearchTable)}, {"half accuracy", inPart(halfPrefix, halfTable)},
	{"half differences", inPart(halfPrefix, halfDifferenceTable)}, {"half added", inPart(halfPrefix, addedTable)},
	{"half retuned", inPart(halfPrefix, retunedTable)}, {"half pruning", inPart(halfPrefix, pruneTable)},
	{"own accuracy", inPart(ownPrefix, halfTable)}, {"own differences", inPart(ownPrefix, halfDifferenceTable)},
	{"own layers", inPart(ownPrefix, layerTable)}, {"own heads", inPart(ownPrefix, headTable)},
	{"own curves", inPart(ownPrefix, halfCurveTable)}, {"own encodings", inPart(ownPrefix, halfEncodingTable)},
	{"own hybrids", inPart(ownPrefix, hybridTable)}, {"own robust", inPart(ownPrefix, robustTable)},
	{"trends", trendTable}, {"second search", rateTable}, {"second rates", secondTable("rates")},
	{"second compute", secondTable("compute")}, {"second outward", secondTable("outward")},
	{"second places", secondTable("places")}, {"second dilated", secondTable("dilated")},
	{"second marks", secondTable("marks")}, {"second control-full", fullTable},
	{"second zoo", secondTable("zoo")}, {"zoo", zooTable}, results,
}}

// inPart makes a table of the numbers whose ids begin with prefix.
func inPart(prefix string, of func(*verdict) string) func(*verdict) string {
	return func(v *verdict) string { return of(v.at(prefix)) }
}

// withTables returns the text of the page of that name with all its parts, and with what it quotes.
func withTables(name, page string, words map[string]string, v *verdict) (string, error) {
	all := slices.Clone(parts[name])
	for title, text := range words {
		if title != "" {
			all = append(all, part{title, func(*verdict) string { return text }})
		}
	}
	for _, t := range all {
		begin, end := "<!-- "+t.name+" -->\n", "<!-- end of "+t.name+" -->"
		before, rest, begins := strings.Cut(page, begin)
		_, after, ends := strings.Cut(rest, end)
		if !begins || !ends {
			return "", fmt.Errorf("%s: want a table between %q and %q", name, strings.TrimSpace(begin), end)
		}
		page = before + begin + t.of(v) + end + after
	}
	return page, nil
}

// count is a number of runs.
func count(n int) string {
	if n == 0 {
		return noRun
	}
	return strconv.Itoa(n)
}

// measured is a number of runs that were analyzed.
func measured(n int) string {
	if n == 0 {
		return "not measured"
	}
	return strconv.Itoa(n)
}

// rows lays out a table in Markdown: heads with a colon at the end are right-aligned.
func rows(heads []string, lines [][]string) string {
	var b strings.Builder
	var rule []string
	for i, h := range heads {
		if rule = append(rule, "---"); strings.HasSuffix(h, ":") {
			rule[i], heads[i] = "---:", strings.TrimSuffix(h, ":")
		}
	}
	for _, line := range append([][]string{heads, rule}, lines...) {
		b.WriteString("| " + strings.Join(line, " | ") + " |\n")
	}
	return b.String()
}

func state(v *verdict) string {
	done, planned := 0, 0
	var lines [][]string
	for _, c := range v.Runs {
		done, planned = done+c.Done, planned+c.Planned
		lines = append(lines, []string{c.Study, count(c.Done), strconv.Itoa(c.Planned)})
	}
	words := verdicts(v)
	return fmt.Sprintf("%d of %d runs are done. Verdicts on %d sentences: %d supported, %d refuted, %d depends, %d open.\n\n",
		done, planned, len(claims), words["supported"], words["refuted"], words["depends"], words["open"]) +
		rows([]string{"study", "runs:", "planned:"}, lines)
}

func claimTable(v *verdict) string {
	var lines [][]string
	for i, c := range claims {
		word, evidence := c.judge(v)
		lines = append(lines, []string{fmt.Sprintf(`<a id="sentence-%d"></a>`, i+1) + c.says, c.source, word, evidence,
			c.study, c.change})
	}
	return rows([]string{"sentence, in our words", "where", "verdict", "what our runs say", "study",
		"what would change our mind"}, lines)
}

// outcomes makes the table of predictions and what became of them.
func outcomes(predictions []prediction) func(*verdict) string {
	return func(v *verdict) string {
		var lines [][]string
		for _, p := range predictions {
			n := v.find(p.id)
			lines = append(lines, []string{p.says, orDash(p.surprise), form(n), count(n.N), p.outcome(n)})
		}
		return rows([]string{"prediction", "would surprise us", "result", "n:", "outcome"}, lines)
	}
}

func searchTable(v *verdict) string { return searchLines(v, slices.Concat(controlled, encodings)) }

func halfSearchTable(v *verdict) string { return searchLines(v, arms) }

func searchLines(v *verdict, arms []string) string {
	var lines [][]string
	for _, arm := range arms {
		line := []string{"`" + arm + "`"}
		for _, rate := range rates {
			line = append(line, form(v.find(fmt.Sprintf("search/val/%s/%v", arm, rate))))
		}
		chosen := noRun
		if n := v.find("search/rate/" + arm); n.N > 0 {
			chosen = fmt.Sprint(float64(n.Value))
		}
		lines = append(lines, append(line, chosen))
	}
	return rows([]string{"model", "0.003:", "0.01:", "0.03:", "chosen:"}, lines)
}

func accuracyTable(v *verdict) string { return accuracyLines(v, "control/accuracy/", controlled) }

func accuracyLines(v *verdict, id string, arms []string) string {
	var lines [][]string
	for _, arm := range arms {
		n := v.find(id + arm)
		lines = append(lines, []string{"`" + arm + "`", form(n), count(n.N)})
	}
	return rows([]string{"model", "test accuracy:", "n:"}, lines)
}

func differenceTable(v *verdict) string {
	var lines [][]string
	for _, c := range controls {
		n := v.find("control/difference/" + c.name())
		lines = append(lines, []string{c.label(), form(n), pText(n.P), pText(n.Holm), count(n.N)})
	}
	return rows([]string{"difference", "points:", "p:", "p, corrected:", "n:"}, lines)
}

// addedTable has the contrasts of the seeds that were planned, of those that were added, and of all.
func addedTable(v *verdict) string {
	var lines [][]string
	for _, c := range controls {
		at := func(what string) string { return form(v.find("control/" + what + "/" + c.name())) }
		lines = append(lines, []string{c.label(), at("first"), at("added"),
			at("difference")})
	}
	return rows([]string{"difference", "seeds 0 to 2:", "seeds 3 and 4:", "all five:"}, lines)
}

// replicationTable has the contrasts of the replication, and what they were in the seeds before.
func replicationTable(v *verdict) string {
	var lines [][]string
	for _, c := range replications {
		n := v.find("replication/difference/" + c.name())
		lines = append(lines, []string{c.label(), form(v.find("control/difference/" + c.name())), form(n), pText(n.P),
			pText(n.Holm), count(n.N), form(v.find("replication/both/" + c.name()))})
	}
	return rows([]string{"difference", "seeds 0 to 4:", "seeds 5 to 9:", "p:", "p, corrected:", "n:", "all ten, an estimate:"},
		lines)
}

// retunedTable has what the rates of half width change.
func retunedTable(v *verdict) string {
	var lines [][]string
	for _, arm := range controlled {
		id := "retuned/difference/" + contrast{arm + tuned, arm}.name()
		if n := v.find(id); n.N > 0 {
			lines = append(lines, []string{"`" + arm + "`", counted(v.find(id + "/1000")), form(n), pText(n.P),
				count(n.N)})
		}
	}
	return rows([]string{"model", "gain, 1,000 images:", "45,000:", "p:", "n:"}, lines)
}

// halfEncodingTable has the accuracy of other encodings, and what they are ahead.
func halfEncodingTable(v *verdict) string {
	var lines [][]string
	for _, arm := range encodings {
		at := func(base string) string {
			return counted(v.find("encodings/difference/" + contrast{arm, base}.name()))
		}
		n := v.find("encodings/accuracy/" + arm)
		lines = append(lines, []string{"`" + arm + "`", form(n), at("quadratic"), at("learned"), count(n.N)})
	}
	return rows([]string{"model", "test accuracy:", "− `quadratic`:", "− `learned`:", "n:"}, lines)
}

// hybridTable has the accuracy of hybrids, and their contrasts.
func hybridTable(v *verdict) string {
	return accuracyLines(v, "hybrids/accuracy/", hybrids) + "\n" + contrastLines(v, "hybrids/difference/", mixtures)
}

func contrastLines(v *verdict, id string, contrasts []contrast) string {
	var lines [][]string
	for _, c := range contrasts {
		n := v.find(id + c.name())
		lines = append(lines, []string{c.label(), form(n), pText(n.P), count(n.N)})
	}
	return rows([]string{"difference", "points:", "p:", "n:"}, lines)
}

// pruneTable has the accuracy of pruned networks, and their contrasts.
func pruneTable(v *verdict) string {
	return accuracyLines(v, "pruning/accuracy/", prunings) + "\n" + contrastLines(v, "pruning/difference/", prunedBy)
}

func layerTable(v *verdict) string {
	var lines [][]string
	for i := 1; i <= 6; i++ {
		at := func(what string) Number { return v.find(fmt.Sprintf("layers/%s/quadratic/%d", what, i)) }
		share := at("share")
		line := []string{strconv.Itoa(i), form(share), base(share, percent), form(at("canonical"))}
		for _, by := range []string{"k3", "k5", "constant"} {
			line = append(line, form(at("cost-"+by)),
				form(v.find(fmt.Sprintf("layers/cost-%s/quadratic-frozen/%d", by, i))))
		}
		lines = append(lines, line)
	}
	text := rows([]string{"layer", "share:", "untrained:", "canonical:", "3 × 3 costs:", "frozen:", "5 × 5 costs:",
		"frozen:", "mean costs:", "frozen:"}, lines)
	lines = nil
	for _, arm := range controlled[:4] {
		line := []string{"`" + arm + "`"}
		for _, by := range []string{"k3", "k5", "uniform", "constant"} {
			line = append(line, form(v.find("layers/left/"+arm+"/"+by)))
		}
		line = append(line, form(v.find("layers/trend-share/"+arm)), measured(v.find("layers/left/"+arm+"/k3").N))
		lines = append(lines, line)
	}
	return text + "\n" + rows([]string{"all layers replaced", "3 × 3:", "5 × 5:", "uniform heads:", "mean outputs:",
		"τ of depth and share:", "n:"}, lines)
}

func headTable(v *verdict) string {
	var lines [][]string
	for i := 1; i <= 6; i++ {
		at := func(what string) Number { return v.find(fmt.Sprintf("layers/%s/quadratic/%d", what, i)) }
		with := func(what string, text func(float64) string) string {
			if at(what).N == 0 {
				return "–"
			}
			return text(float64(at(what).Value)) + " (" + base(at(what), text) + ")"
		}
		lines = append(lines, []string{strconv.Itoa(i), short(float64(at("profiles").Value)), with("taps", short),
			with("overlap", percent), with("width", short), with("width-spread", percent), with("shift", short),
			count(at("taps").N)})
	}
	return rows([]string{"layer", "profiles:", "taps:", "overlap:", "width:", "spread of widths:", "mean shift:", "n:"},
		lines)
}

func curveTable(v *verdict) string { return curves(v, fullTarget) }

func halfCurveTable(v *verdict) string { return curves(v, halfTarget) }

func curves(v *verdict, target float64) string {
	var lines [][]string
	for _, arm := range controlled {
		at := fmt.Sprintf("%s/%g", arm, target)
		area := v.find("curves/area/" + arm)
		lines = append(lines, []string{"`" + arm + "`", form(area), amount(v.find("curves/steps/"+at), 0),
			amount(v.find("curves/tflop/"+at), 1), amount(v.find("curves/seconds/"+at), 0), count(area.N)})
	}
	steps := fmt.Sprintf("steps to %g %%:", 100*target)
	return rows([]string{"model", "mean accuracy:", steps, "TFLOP:", "seconds:", "n:"}, lines)
}

func encodingTable(v *verdict) string { return accuracyLines(v, "encodings/accuracy/", encodings) }

// dataArms are the models of study data.
var dataArms = []string{"quadratic", "quadratic-frozen", "conv-twin", "resnet18"}

func dataTable(v *verdict) string {
	var lines [][]string
	for _, arm := range dataArms {
		line, n := []string{"`" + arm + "`"}, 0
		for _, size := range sizes {
			a := v.find(fmt.Sprintf("data/accuracy/%s/%d", arm, size))
			line, n = append(line, form(a)), max(n, a.N)
		}
		lines = append(lines, append(line, form(v.find("control/accuracy/"+arm)), count(n)))
	}
	return rows([]string{"model", "1,000 images:", "5,000:", "15,000:", "45,000 (control):", "n at most:"}, lines)
}

// halfTable is the accuracy of networks of half the width, by the number of training images.
func halfTable(v *verdict) string {
	var lines [][]string
	for _, arm := range controlled {
		line := []string{"`" + arm + "`"}
		for _, id := range []string{"data/accuracy/%s/1000", "data/accuracy/%s/5000", "control/accuracy/%s"} {
			line = append(line, counted(v.find(fmt.Sprintf(id, arm))))
		}
		lines = append(lines, line)
	}
	return rows([]string{"model", "1,000 images:", "5,000:", "45,000:"}, lines)
}

// halfDifferenceTable has the same differences at three numbers of training images.
func halfDifferenceTable(v *verdict) string {
	var lines [][]string
	for _, c := range controls {
		n := v.find("control/difference/" + c.name())
		few := func(size string) string { return counted(v.find("data/difference/" + c.name() + "/" + size)) }
		lines = append(lines, []string{c.label(), few("1000"), few("5000"), counted(n),
			pText(n.P), pText(n.Holm)})
	}
	return rows([]string{"difference", "1,000 images:", "5,000:", "45,000:", "p:", "p, corrected:"}, lines)
}

// counted is a number with its interval, and the number of its runs where it is below three.
func counted(n Number) string {
	if n.N == 0 || n.N >= least {
		return form(n)
	}
	return fmt.Sprintf("%s (n = %d)", form(n), n.N)
}

func relationTable(v *verdict) string {
	var lines [][]string
	for _, arm := range relationArms {
		n := v.find("relations/accuracy/" + arm)
		trained := v.find("relations/train/" + arm)
		lines = append(lines, []string{"`" + arm + "`", form(n), form(trained), count(n.N)})
	}
	return rows([]string{"model", "test accuracy:", "training accuracy:", "n:"}, lines)
}

func robustTable(v *verdict) string {
	var lines [][]string
	for _, arm := range controlled {
		at := func(what string) Number { return v.find("robust/" + what + "/" + arm) }
		lines = append(lines, []string{"`" + arm + "`", form(at("shifted")), form(at("same")), form(at("permuted")),
			form(at("ece")), form(at("ece-after")), count(at("ece").N)})
	}
	return rows([]string{"model", "moved by 2 columns:", "same prediction:", "permuted:", "calibration error:",
		"with temperature:", "n:"}, lines)
}

// form is a fraction in percent with its interval.
func form(n Number) string {
	switch {
	case n.N == 0 || !n.Value.Known():
		return "–"
	case strings.Contains(n.ID, "/trend-"), strings.Contains(n.ID, "/content-least/"):
		return amount(n, 2)
	case !n.CI.Known():
		return percent(float64(n.Value))
	}
	return fmt.Sprintf("%s [%s, %s]", percent(float64(n.Value)), percent(n.CI.Lo), percent(n.CI.Hi))
}

// amount is a number with its interval.
func amount(n Number, digits int) string {
	if n.N == 0 {
		return "–"
	}
	if !n.CI.Known() {
		return fixed(float64(n.Value), digits)
	}
	return fmt.Sprintf("%s [%s, %s]", fixed(float64(n.Value), digits), fixed(n.CI.Lo, digits), fixed(n.CI.Hi, digits))
}

func percent(v float64) string { return fixed(100*v, 1) }

func fixed(v float64, digits int) string { return minus(strconv.FormatFloat(v, 'f', digits, 64)) }

// short is a number with at most one digit behind the point.
func short(v float64) string {
	if math.IsNaN(v) {
		return "–"
	}
	return minus(strconv.FormatFloat(math.Round(10*v)/10, 'g', -1, 64))
}

func minus(text string) string {
	if text = strings.Replace(text, "-", "−", 1); strings.Trim(text, "−0.") == "" {
		return strings.TrimPrefix(text, "−")
	}
	return text
}

func base(n Number, form func(float64) string) string {
	if n.Baseline == nil {
		return "–"
	}
	return form(float64(*n.Baseline))
}

func pText(p null.Float) string {
	switch {
	case !p.Known():
		return "–"
	case p < 0.001:
		return "< 0.001"
	}
	return strconv.FormatFloat(float64(p), 'f', 3, 64)
}

func orDash(text string) string {
	if text == "" {
		return "–"
	}
	return text
}
