package study

import (
	"fmt"
	"slices"
	"strings"
)

// title says what all rows have in common.
func (c *Comparison) title() string {
	if len(c.Rows) == 0 {
		return ""
	}
	epochs := c.shared("train.epochs", "several numbers of") + " epochs"
	if epochs == "1 epochs" {
		epochs = "1 epoch"
	}
	chosen := map[string]string{
		"holdout": "best epoch by held-out pictures",
		"paper":   "best epoch by the test set, as in the paper",
	}[c.shared("data.protocol", "")]
	if chosen == "" {
		chosen = "best epoch by several protocols"
	}
	words := []string{"data " + c.shared("data.name", "of several sets"), epochs, chosen}
	for _, s := range c.Rows[0].Runs[0].Settings {
		switch {
		case !Question(s.Key) || s.Key == "data.name" || s.Key == "data.protocol" || s.Key == "train.epochs":
		case s.Value != "0" || c.shared(s.Key, "") != s.Value:
			words = append(words, s.Key[strings.LastIndexByte(s.Key, '.')+1:]+" "+c.shared(s.Key, "of several values"))
		}
	}
	return strings.Join(words, ", ")
}

// shared is the value that a setting has in all runs, or else the other text.
func (c *Comparison) shared(key, otherwise string) string {
	value := c.Rows[0].Runs[0].Value(key)
	for _, r := range c.Rows {
		if slices.ContainsFunc(r.Runs, func(run Run) bool { return run.Value(key) != value }) {
			return otherwise
		}
	}
	return value
}

// notes say how to read the table, and what in it is not as it seems.
func (c *Comparison) notes(withPaper bool) []string {
	var notes []string
	var paired, welch, single []string
	for _, r := range c.Rows {
		switch {
		case len(r.Runs) < 2:
			single = append(single, r.Name)
		case r.Paired:
			paired = append(paired, r.Name)
		case r.Diff == r.Diff:
			welch = append(welch, r.Name)
		}
	}
	add := func(format string, args ...any) { notes = append(notes, "note   "+fmt.Sprintf(format, args...)) }
	if len(single) < len(c.Rows) {
		add("intervals are those of Student's t; ± is the standard deviation between seeds")
	}
	if len(paired) > 0 && len(welch) > 0 {
		add("differences seed by seed for %s; by Welch for %s", strings.Join(paired, ", "), strings.Join(welch, ", "))
	} else if len(paired) > 0 {
		add("differences are taken seed by seed")
	} else if len(welch) > 0 {
		add("intervals of differences are Welch's: the seeds of the models are not the same")
	}
	if len(single) > 0 {
		add("one run says nothing about chance: %s (more with --seeds 0..2)", strings.Join(single, ", "))
	}
	add("MAC/img counts attention over all pairs of pixels; computed is what this program does in evaluation")
	if len(c.Levels) > 0 {
		add("“to” counts epochs and training time until the validation accuracy was that high")
	}
	if m := c.machines(); m > 1 {
		add("the runs were timed on %d kinds of machine or numbers of threads: times do not compare", m)
	}
	if recipe := c.recipe(); recipe != "" {
		add("the models were trained differently in %s", recipe)
	}
	if withPaper {
		add("the paper's models had CIFAR-10, 300 epochs at full width and one seed: compare them with this budget's with care")
	}
	return notes
}

// machines counts the processors and numbers of threads that the times come from.
func (c *Comparison) machines() int {
	seen := map[string]bool{}
	for _, r := range c.Rows {
		for _, run := range r.Runs {
			seen[fmt.Sprint(run.Environment.CPU, run.Environment.Threads)] = true
		}
	}
	return len(seen)
}

// recipe lists the settings of training in which the models differ.
func (c *Comparison) recipe() string {
	var keys []string
	for _, s := range c.Rows[0].Runs[0].Settings {
		isTraining := strings.HasPrefix(s.Key, "train.") || s.Key == "data.augment"
		if !isTraining || Question(s.Key) || slices.Contains(silent, s.Key) {
			continue
		}
		if slices.ContainsFunc(c.Rows, func(r Row) bool { return r.Runs[0].Value(s.Key) != s.Value }) {
			keys = append(keys, s.Key[strings.LastIndexByte(s.Key, '.')+1:])
		}
	}
	return strings.Join(keys, ", ")
}
