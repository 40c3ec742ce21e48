package bench

import (
	"fmt"
	"math"
	"strings"

	"github.com/attnconv/attnconv/internal/table"
	"github.com/attnconv/attnconv/study"
	"github.com/attnconv/attnconv/study/stats"
)

// Table returns the report as a table: minutes to every target, then images to every target.
func (t *TimeToAccuracy) Table() *table.Table {
	columns := []targetColumn{
		table.For(table.Column{Head: "model", Key: "model", Name: true},
			func(r TargetRow) table.Cell { return table.Words(r.Name) }),
		table.For(table.Column{Head: "n", Key: "n", Right: true}, func(r TargetRow) table.Cell {
			return table.Cell{Text: fmt.Sprint(r.N), Value: r.N}
		}),
		table.For(table.Column{Head: "best %", Key: "best_val_acc", Right: true}, func(r TargetRow) table.Cell {
			return table.Cell{Text: fmt.Sprintf("%.1f", 100*r.Best), Value: float64(r.Best)}
		}),
		table.For(table.Column{Head: "min/epoch", Key: "epoch_s", Right: true}, func(r TargetRow) table.Cell {
			return table.Cell{Text: minutes(float64(r.EpochS)), Value: float64(r.EpochS)}
		}),
	}
	if len(t.Machines) > 1 {
		columns = append(columns, table.For(table.Column{Head: "machine", Key: "machine"},
			func(r TargetRow) table.Cell {
				return table.Words(t.letters(machinesOf(r.Runs)))
			}))
	}
	for i, target := range t.Targets {
		columns = append(columns, timeColumns(i, target)...)
	}
	for i, target := range t.Targets {
		columns = append(columns, imageColumns(i, target)...)
	}
	return table.Fill(&table.Table{Title: t.title(), Notes: t.notes()}, columns, t.Rows)
}

// A targetColumn is a column of TimeToAccuracy's table.
type targetColumn = table.Field[TargetRow]

// timeColumns returns the columns of target i in minutes, for programs in seconds.
func timeColumns(i int, target float64) []targetColumn {
	percent := fmt.Sprintf("%.4g", 100*target)
	of := func(r TargetRow) stats.Mean {
		return stats.Mean{Mean: float64(r.Targets[i].Seconds), CI: r.Targets[i].SecondsCI}
	}
	return append([]targetColumn{
		table.For(table.Column{Head: "min to " + percent + " %", Key: "seconds_to_" + percent, Right: true,
			Group: "minutes"},
			func(r TargetRow) table.Cell {
				return r.cell(i, of(r), minutes, func(r TargetRun) float64 { return r.Seconds })
			}),
		table.For(table.Column{Key: "reached_" + percent},
			func(r TargetRow) table.Cell { return table.Cell{Value: r.Targets[i].N} }),
	}, limits("seconds_to_"+percent, of)...)
}

// imageColumns returns the columns of target i in images.
func imageColumns(i int, target float64) []targetColumn {
	percent := fmt.Sprintf("%.4g", 100*target)
	of := func(r TargetRow) stats.Mean {
		return stats.Mean{Mean: float64(r.Targets[i].Images), CI: r.Targets[i].ImagesCI}
	}
	return append([]targetColumn{
		table.For(table.Column{Head: "images to " + percent + " %", Key: "images_to_" + percent, Right: true,
			Group: "images"},
			func(r TargetRow) table.Cell {
				return r.cell(i, of(r), count, func(r TargetRun) float64 { return float64(r.Images) })
			}),
	}, limits("images_to_"+percent, of)...)
}

// limits returns the columns of an interval, for programs.
func limits(key string, of func(r TargetRow) stats.Mean) []targetColumn {
	return []targetColumn{
		table.For(table.Column{Key: key + "_lo"},
			func(r TargetRow) table.Cell { return table.Cell{Value: of(r).CI.Lo} }),
		table.For(table.Column{Key: key + "_hi"},
			func(r TargetRow) table.Cell { return table.Cell{Value: of(r).CI.Hi} }),
	}
}

// cell returns the mean for target i with its interval or, if there is no mean, how many runs reached it, and each of
// them.
func (r TargetRow) cell(i int, m stats.Mean, text func(float64) string, value func(TargetRun) float64) table.Cell {
	reached := r.Targets[i]
	switch {
	case m.CI.Known():
		return table.Cell{Text: fmt.Sprintf("%s [%s, %s]", text(m.Mean), text(m.CI.Lo), text(m.CI.Hi)), Value: m.Mean}
	case !math.IsNaN(m.Mean):
		return table.Cell{Text: text(m.Mean), Value: m.Mean}
	case reached.N == 0 && reached.Pending == r.N:
		return table.Cell{Text: "not yet"}
	case reached.N == 0:
		return table.Cell{Text: "not reached"}
	}
	var each []string
	for _, run := range reached.Runs {
		each = append(each, text(value(run)))
	}
	return table.Cell{Text: fmt.Sprintf("%d of %d: %s", reached.N, r.N, strings.Join(each, ", "))}
}

// minutes formats seconds in minutes.
func minutes(s float64) string {
	if math.IsNaN(s) {
		return "–"
	}
	return fmt.Sprintf("%.3g", s/60)
}

// title names the data.
func (t *TimeToAccuracy) title() string {
	title := "time to accuracy on validation images, data " + t.Data
	if t.ValN > 0 {
		title += fmt.Sprintf(", %s of them", table.Thousands(t.ValN))
	}
	return title
}

// letters returns the letters that name machines: A for the first of t.
func (t *TimeToAccuracy) letters(machines []study.Machine) string {
	var words []string
	for _, m := range machines {
		words = append(words, letter(t.machine(m)))
	}
	return strings.Join(words, " ")
}

// letter returns A, B, …, Z, AA, …
func letter(i int) string {
	if i >= 26 {
		return letter(i/26-1) + letter(i%26)
	}
	return string(rune('A' + i))
}

// notes name the machines, and say what the figures mean.
func (t *TimeToAccuracy) notes() (notes []string) {
	for i, m := range t.Machines {
		name := "machine"
		if len(t.Machines) > 1 {
			name += " " + letter(i)
		}
		notes = append(notes, fmt.Sprintf("%s  %s: %s", name, m.Machine, strings.Join(m.Runs, " ")))
	}
	add := func(format string, args ...any) { notes = append(notes, "note   "+fmt.Sprintf(format, args...)) }
	add("a target counts at the end of the first evaluated epoch that has it; minutes are of training, evaluations " +
		"and checkpoints included")
	var groups []study.Group
	var started []string
	several, partial, mixed, pending := false, false, false, false
	for _, r := range t.Rows {
		groups = append(groups, r.Group)
		several, mixed = several || r.N > 1, mixed || len(machinesOf(r.Runs)) > 1
		for _, a := range r.Targets {
			partial, pending = partial || a.N > 0 && a.N < r.N, pending || a.Pending > 0
		}
		for _, run := range r.Runs {
			if run.Value(study.From) != "" {
				started = append(started, run.ID)
			}
		}
	}
	if several {
		add("[…] is the 95 %% interval of the mean over seeds; there is none for one run, or if all took the same " +
			"number of epochs")
	}
	if partial {
		add("a target that not all runs of a model reached has no mean: “2 of 3” says how many did, with the value " +
			"of each")
	}
	if mixed {
		add("minutes on different machines have no mean")
	}
	if pending {
		add("some runs are not finished, and may reach more")
	}
	if started != nil {
		add("began with the weights of other runs, whose training does not count: %s", strings.Join(started, " "))
	}
	if words := study.Recipe(groups, ofHeldOut); words != "" {
		add("the models were trained differently in %s", words)
	}
	return notes
}

// count formats a number of images.
func count(n float64) string { return table.SI(n, "") }
