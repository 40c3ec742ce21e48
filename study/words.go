package study

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/attnconv/attnconv/analyse"
	"github.com/attnconv/attnconv/internal/table"
)

// title names the settings that all rows share.
func (c *Comparison) title() string {
	if len(c.Rows) == 0 {
		return ""
	}
	epochs := c.shared("train.epochs", "several numbers of") + " epochs"
	if epochs == "1 epochs" {
		epochs = "1 epoch"
	}
	chosen := map[string]string{
		"holdout": "best epoch by one validation split",
		"paper":   "best epoch by the test set, as in the paper",
	}[c.shared("data.protocol", "")]
	if chosen == "" {
		chosen = "best epoch by several protocols"
	}
	words := []string{"data " + c.shared("data.name", "of several sets"), epochs, chosen}
	for _, s := range c.Rows[0].Runs[0].Settings {
		switch {
		case !Question(s.Key) || s.Key == "data.name" || s.Key == "data.protocol" || s.Key == "train.epochs":
		case s.Value != "0" && s.Value != "[]" || c.shared(s.Key, "") != s.Value:
			words = append(words, s.Key[strings.LastIndexByte(s.Key, '.')+1:]+" "+c.shared(s.Key, "of several values"))
		}
	}
	return strings.Join(words, ", ")
}

// shared returns the value of a setting if all runs have the same, else otherwise.
func (c *Comparison) shared(key, otherwise string) string {
	if len(c.Rows) == 0 {
		return otherwise
	}
	value := c.Rows[0].Runs[0].Value(key)
	for _, r := range c.Rows {
		if slices.ContainsFunc(r.Runs, func(run Run) bool { return run.Value(key) != value }) {
			return otherwise
		}
	}
	return value
}

// most is how many models a sentence compares with the baseline; the table has all.
const most = 3

// Sentence says which models are ahead of the baseline, by how much, and whether that is significant. Without one, it
// names the best model.
func (c *Comparison) Sentence() string {
	metric := Metrics.Find(c.Metric).Help
	if c.Baseline == nil {
		best, text := c.Rows[0], "%s has an %s of %.2f %%"
		if len(c.Rows) > 1 {
			text = "Of " + table.Count(len(c.Rows), "model") + ", %s has the highest %s: %.2f %%"
		}
		text = fmt.Sprintf(text, best.Name, metric, 100*best.Mean)
		if best.CI.Known() {
			text += " " + inPercent(best.CI, "%.2f") + mark(best.CICovers)
		}
		return fmt.Sprintf("%s (n = %d). Without a baseline, no difference is tested.", text, best.N)
	}
	var clauses []string
	compared, note := 0, ""
	for _, r := range c.Rows {
		if r.PHolm.Known() {
			compared++
		}
		if mark(r.DiffCovers) != "" {
			note = " Intervals with * do not cover other seeds."
		}
		if !r.baseline {
			clauses = append(clauses, r.clause())
		}
	}
	if len(clauses) == 0 {
		return fmt.Sprintf("There is no run to compare with %s.", *c.Baseline)
	}
	if more := len(clauses) - most; more > 0 {
		clauses = append(clauses[:most], fmt.Sprintf("%d more in the table", more))
	}
	if compared > 1 {
		note += fmt.Sprintf(" p is corrected for %d comparisons.", compared)
	}
	return fmt.Sprintf("In %s, compared with %s (n = %d): %s.%s", metric, *c.Baseline, c.Rows[0].N,
		strings.Join(clauses, "; "), note)
}

// clause compares a model with the baseline.
func (r Row) clause() string {
	points, p := math.Abs(100*float64(r.Diff)), pText(float64(r.PHolm))
	interval := ""
	if r.DiffCI.Known() {
		interval = " " + inPercent(r.DiffCI, "%+.2f") + mark(r.DiffCovers)
	}
	switch {
	case !r.PHolm.Known():
		return fmt.Sprintf("%s differs by %+.2f points%s, which is not tested (n = %d)", r.Name, 100*r.Diff, interval,
			r.N)
	case float64(r.PHolm) >= analyse.Level:
		return fmt.Sprintf("%s does not differ significantly, by %+.2f points%s (n = %d, p %s)", r.Name, 100*r.Diff,
			interval, r.N, p)
	case r.Diff < 0:
		return fmt.Sprintf("%s is %.2f points behind%s (n = %d, p %s)", r.Name, points, interval, r.N, p)
	}
	return fmt.Sprintf("%s is %.2f points ahead%s (n = %d, p %s)", r.Name, points, interval, r.N, p)
}

// notes explain the table and warn of comparisons that it does not support.
func (c *Comparison) notes(has func(column string) bool) []string {
	var notes []string
	add := func(format string, args ...any) { notes = append(notes, "note   "+fmt.Sprintf(format, args...)) }
	for _, words := range c.statistics(has) {
		add("%s", words)
	}
	if has("acc") {
		var parts []Part
		for _, r := range c.Rows {
			parts = append(parts, c.options.Metric.partOf(r.Group))
		}
		for _, words := range PartNotes(c.options.Metric.split, parts...) {
			add("%s", words)
		}
	}
	if has("macs") || has("macs_run") {
		add("MAC/img and FLOP/run count attention over all pairs of tokens; computed is what this program does in " +
			"evaluation")
	}
	if slices.ContainsFunc(LayerColumns, has) {
		add("%s", c.layersNote())
	}
	if len(c.options.Levels) > 0 && has("reach") {
		add("“to” counts epochs and training time until the validation accuracy was that high")
	}
	if m := c.machines(); m > 1 {
		add("the runs were timed on %d kinds of machine or numbers of threads: times do not compare", m)
	}
	if recipe := Recipe(c.groups(), Question); recipe != "" {
		add("the models were trained differently in %s", recipe)
	}
	if c.options.Paper {
		add("the paper's models had CIFAR-10, 300 epochs at full width and one seed: compare them with this budget's " +
			"with care")
	}
	return notes
}

// statistics explains what the intervals and p-values account for.
func (c *Comparison) statistics(has func(column string) bool) (notes []string) {
	var single, unpaired []string
	var seeds, images, paired, both bool
	compared := 0
	for _, r := range c.Rows {
		if r.N < 2 {
			single = append(single, r.Name)
		}
		if r.P.Known() {
			compared++
			if !r.Paired {
				unpaired = append(unpaired, r.Name)
			}
		}
		ofSeeds, ofImages := slices.Contains(r.CICovers, "seeds"), slices.Contains(r.CICovers, "images")
		seeds, images, both = seeds || ofSeeds, images || ofImages, both || ofSeeds && ofImages
		paired = paired || r.Paired
	}
	add := func(format string, args ...any) { notes = append(notes, fmt.Sprintf(format, args...)) }
	switch {
	case both:
		add("intervals (95 %%) cover other seeds and other test images; ± is the standard deviation over seeds")
	case seeds:
		add("intervals (95 %%) cover other seeds, but not other test images: the runs do not record how many there were")
	}
	if len(single) > 0 && images {
		add("* one run, so the interval covers other test images, but not other seeds: %s (--seeds 0..2 trains more)",
			strings.Join(single, ", "))
	} else if len(single) > 0 {
		add("one run, so no interval: %s (--seeds 0..2 trains more)", strings.Join(single, ", "))
	}
	switch {
	case c.options.Paired && len(unpaired) > 0:
		add("differences are paired by seed, except for %s, whose seeds are not the baseline's",
			strings.Join(unpaired, ", "))
	case paired:
		add("differences are paired by seed")
	}
	if compared > 1 && has("p") {
		add("p: null hypothesis of no difference, corrected for %d comparisons (Holm); intervals are not corrected",
			compared)
	} else if compared == 1 && has("p") {
		add("p: null hypothesis of no difference")
	}
	if c.Metric == "val_acc" {
		add("val acc is the maximum over epochs, and therefore biased upwards, more so with more epochs")
	}
	return notes
}

// machines counts the different processors and numbers of threads of the runs.
func (c *Comparison) machines() int {
	seen := map[string]bool{}
	for _, r := range c.Rows {
		for _, run := range r.Runs {
			seen[fmt.Sprint(run.Environment.CPU, run.Environment.Threads)] = true
		}
	}
	return len(seen)
}
