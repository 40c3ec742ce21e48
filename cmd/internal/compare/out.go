package compare

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/attnconv/attnconv/cmd/internal/refs"
	"github.com/attnconv/attnconv/cmd/internal/term"
	"github.com/attnconv/attnconv/internal/table"
	"github.com/attnconv/attnconv/run"
	"github.com/attnconv/attnconv/study"
)

// mostNamed is the largest number of runs that advice names.
const mostNamed = 8

// tabulate compares the selected runs. It prints the table, and writes it in all formats, with the accuracy curves, to
// the subfolder comparison of the runs.
func (o options) tabulate(ctx context.Context, c *term.Console, s *selection) error {
	groups := study.Groups(s.Runs())
	if o.Baseline != "" && study.Baseline(groups, o.Baseline) < 0 || len(groups) == 0 {
		return o.nothing(c)
	}
	for _, name := range o.Models {
		if study.Baseline(groups, name) < 0 {
			c.Note("note   no finished run of %s", name)
		}
	}
	result, err := study.Compare(groups, study.Options{Metric: o.Metric, Baseline: o.Baseline, Levels: o.Levels,
		Paired: o.Paired, Paper: o.Paper})
	if err != nil {
		return err
	}
	for i := range result.Rows {
		if s, ok := o.stepS[result.Rows[i].Base]; ok {
			result.Rows[i].Timed(s)
		}
	}
	if err := o.layers(ctx, c, s, result); err != nil {
		return err
	}
	folder := filepath.Join(c.Runs, "comparison")
	if err := result.Save(folder, o.Output,
		study.Output{Columns: o.Columns, Figure: o.Figure, Theme: o.Theme}); err != nil {
		return err
	}
	if c.JSON {
		return errors.Join(c.Result(*result), require(result, o.Require))
	}
	t := result.TableFor(o.Format, o.Columns)
	if o.Format == "text" && c.OutWidth() > 0 && o.Columns == nil {
		t = result.Table(nil) // Formatted breaks it into blocks
	}
	text := c.Formatted(t, o.Format)
	if o.Format == "text" {
		text = c.Paragraph(result.Sentence()) + "\n" + text
	}
	if err := c.WriteText(text); err != nil {
		return err
	}
	for _, name := range append([]string{folder}, o.Output...) {
		c.Wrote(name)
	}
	o.advise(c, s)
	return require(result, o.Require)
}

// advise lists commands to try next, by the names of the runs if these are not too many to read.
func (o options) advise(c *term.Console, s *selection) {
	if len(s.Compared) > mostNamed {
		c.Next([2]string{term.Command("serve", "--runs", c.Runs), "curves and heads in the browser"})
		return
	}
	var names []string
	for _, e := range s.Compared {
		names = append(names, refs.RunName(c, e.Path, e.Status.ID))
	}
	report := slices.Concat([]string{"report"}, names, []string{"-o", "report.html"})
	if o.Baseline != "" {
		report = append(report, "--baseline", o.Baseline)
	}
	c.Next([2]string{term.Command(slices.Insert(names, 0, "serve")...), "curves and heads in the browser"},
		[2]string{term.Command(report...), "the same as a page to mail"})
}

// nothing returns the error for a baseline without finished runs, or for no runs at all.
func (o options) nothing(c *term.Console) error {
	missing := &run.NotFoundError{What: "finished run", Root: c.Runs}
	if o.Baseline != "" {
		missing.What += " of " + o.Baseline
	}
	hint := "without --no-train, it is trained"
	if o.Baseline == "" {
		hint = "with --baseline NAME, missing runs are trained"
	} else if !o.NoTrain {
		return missing
	}
	return fmt.Errorf("%w\n  %s", missing, hint)
}

// writable checks the extension of an output file and that the file may be written.
func (o options) writable(name string) error {
	if ext, known := filepath.Ext(name), study.Extensions(); !slices.Contains(known, ext) {
		return term.Usagef("--format says what goes to standard output", "-o %s: want a name that ends in %s", name,
			strings.Join(known, ", "))
	}
	return term.RefuseExisting("-o", name, o.Force)
}

// planText lists what is to be trained.
func planText(plan []plannedTraining) string {
	t := &table.Table{Columns: []table.Column{{Head: "to train"}, {Head: "seed", Right: true},
		{Head: "time", Right: true}, {Head: "from"}}}
	for _, n := range plan {
		from := "the start"
		if n.Resume != nil {
			from = fmt.Sprintf("epoch %d of %d", n.Resume.Status.Epoch+1, n.Config.Train.Epochs)
		}
		t.Add(table.Words(n.Name), table.Words(fmt.Sprint(n.Config.Seed)),
			table.Words(table.Seconds(n.Seconds)), table.Words(from))
	}
	if len(plan) == 0 {
		return "nothing is missing"
	}
	d := plan[0].Config
	each := ", " + table.Count(d.Train.Epochs, "epoch") + " each"
	for _, n := range plan {
		if n.Config.Train.Epochs != d.Train.Epochs { // --equal has said how many
			each = ""
		}
	}
	return t.Text(0) + fmt.Sprintf("%s on %s%s: about %s here (%s)", table.Count(len(plan), "run"), d.Data.Name, each,
		table.Seconds(planDocument(plan).ETA), table.Count(runtime.GOMAXPROCS(0), "thread"))
}

// showMissing prints the plan of a dry run.
func showMissing(c *term.Console, plan []plannedTraining) error {
	if !c.JSON {
		fmt.Fprintln(c.Out, planText(plan))
		c.Note("nothing was written")
		return nil
	}
	return c.Result(planDocument(plan))
}
