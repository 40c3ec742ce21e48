package cmd

import (
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/attnconv/attnconv/cmd/internal/cli"
	"github.com/attnconv/attnconv/internal/kernel/threads"
	"github.com/attnconv/attnconv/internal/progress"
	"github.com/attnconv/attnconv/internal/table"
	"github.com/attnconv/attnconv/report"
	"github.com/attnconv/attnconv/run"
	"github.com/attnconv/attnconv/study"
	"github.com/attnconv/attnconv/viz"
)

// tabulate compares the selected runs. It prints the table, and writes it in all formats, with the accuracy curves, to
// the subfolder comparison of the runs.
func (o compareOptions) tabulate(c *cli.Console, s *study.Selection) error {
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
		Paired: o.Paired})
	if err != nil {
		return err
	}
	document := result.Document(o.Paper)
	own := filepath.Join(c.Runs, "comparison")
	for _, f := range table.Formats {
		o.Output = append(o.Output, filepath.Join(own, "table"+f.Ext))
	}
	for _, name := range append(o.Output, filepath.Join(own, "table.json"), filepath.Join(own, "curves.svg")) {
		b, err := o.render(name, document, result)
		if err != nil {
			return err
		}
		if err := cli.WriteFile(name, b); err != nil {
			return err
		}
	}
	if c.JSON {
		return errors.Join(c.Result(document), o.reached(result))
	}
	t, width := o.tableFor(result, o.Format), c.OutWidth()
	text := table.Named(o.Format).Text(t)
	if o.Format == "text" && width > 0 {
		if o.Columns == nil {
			t = result.Table(o.Paper, nil) // Text breaks it into blocks
		}
		text = t.Text(width)
	}
	if _, err = fmt.Fprint(c.Out, text); err != nil {
		return err
	}
	return o.reached(result)
}

// tableFor returns the table with the requested columns. By default, CSV has all columns, and the other formats have
// those that fit a page.
func (o compareOptions) tableFor(result *study.Comparison, format string) *table.Table {
	names := o.Columns
	switch {
	case slices.Equal(names, []string{"all"}), names == nil && format == "csv":
		names = nil
	case names == nil && format == "latex":
		names = result.Page()
	case names == nil:
		names = result.Narrow()
	}
	if o.Columns == nil && names != nil && o.Paper {
		names = append(names, "paper")
	}
	return result.Table(o.Paper, names)
}

// reached returns an error for every row that fails a requirement. The baseline has neither diff nor p.
func (o compareOptions) reached(result *study.Comparison) error {
	var errs []error
	for _, need := range o.Require {
		found := false
		for _, r := range result.Rows {
			if need.Row != "" && need.Row != r.Name || r.Base && (need.Name == "diff" || need.Name == "p") {
				continue
			}
			found = true
			err := cli.Unmet([]cli.Requirement{need}, map[string]float64{o.Metric.Name: r.Sample.Mean, "diff": r.Diff, "p": r.Holm,
				"n": float64(len(r.Runs)), "params": float64(r.Params), "img_s": r.ImgS, "wall_s": r.WallS})
			if err != nil {
				errs = append(errs, cli.Unmetf("%s", r.Name+": "+err.Error()))
			}
		}
		if !found {
			errs = append(errs, cli.Unmetf("%s", "--require "+need.Text+": the table has no such row"))
		}
	}
	return errors.Join(errs...)
}

// nothing returns the error for a baseline without finished runs, or for no runs at all.
func (o compareOptions) nothing(c *cli.Console) error {
	missing := &run.NotFound{What: "finished run", Root: c.Runs}
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

// accuracyCurves plots validation accuracy over epochs, as in the paper's comparison.
func accuracyCurves(result *study.Comparison) viz.Panel {
	p := viz.Panel{Title: "validation accuracy", Percent: true}
	for _, r := range result.Rows {
		curve := viz.Curve{Name: r.Name}
		for _, one := range r.Runs {
			var points []viz.Point
			for _, at := range one.Curve {
				points = append(points, viz.Point{X: float64(at.Epoch), Y: at.ValAcc})
			}
			curve.Runs = append(curve.Runs, points)
		}
		p.Curves = append(p.Curves, curve)
	}
	return p
}

// render encodes the comparison in the format given by the extension of name.
func (o compareOptions) render(name string, d report.Comparison, result *study.Comparison) ([]byte, error) {
	switch ext := filepath.Ext(name); {
	case ext == ".json":
		b, err := json.MarshalIndent(d, "", "  ")
		return append(b, '\n'), err
	case slices.Contains(viz.Formats, strings.TrimPrefix(ext, ".")):
		figure, err := viz.Curves([]viz.Panel{accuracyCurves(result)}, viz.CurvesOptions{Width: 14})
		if err != nil {
			return nil, err
		}
		return figure.Encode(name, viz.Output{})
	}
	format := table.Named(strings.TrimPrefix(filepath.Ext(name), "."))
	return []byte(format.Text(o.tableFor(result, format.Name))), nil
}

// writable checks the extension of an output file and that the file may be written.
func (o compareOptions) writable(name string) error {
	known := []string{".json"}
	for _, f := range table.Formats {
		known = append(known, f.Ext)
	}
	for _, f := range viz.Formats {
		known = append(known, "."+f)
	}
	if ext := filepath.Ext(name); !slices.Contains(known, ext) {
		return cli.Usagef("--format says what goes to standard output", "-o %s: want a name that ends in %s", name, strings.Join(known, ", "))
	}
	return cli.RefuseExisting("-o", name, o.Force)
}

// planText lists what is to be trained.
func planText(plan []study.Planned) string {
	t := &table.Table{Columns: []table.Column{{Head: "to train"}, {Head: "seed", Right: true}, {Head: "time", Right: true},
		{Head: "from"}}}
	total := 0.0
	for _, n := range plan {
		total += n.Seconds
		from := "the start"
		if n.Resume != nil {
			from = fmt.Sprintf("epoch %d of %d", n.Resume.Status.Epoch+1, n.Config.Train.Epochs)
		}
		t.Add(table.Words(n.Name), table.Words(fmt.Sprint(n.Config.Seed)),
			table.Words(progress.Duration(cli.Seconds(n.Seconds))), table.Words(from))
	}
	if len(plan) == 0 {
		return "nothing is missing"
	}
	d := plan[0].Config
	return t.Text(0) + fmt.Sprintf("%s on %s, %s each: about %s here (%d threads)", cli.Count(len(plan), "run"), d.Data.Name,
		cli.Count(d.Train.Epochs, "epoch"), progress.Duration(cli.Seconds(total)), threads.Limit())
}

// showMissing prints the plan of a dry run.
func showMissing(c *cli.Console, plan []study.Planned) error {
	if !c.JSON {
		fmt.Fprintln(c.Out, planText(plan))
		c.Note("nothing was written")
		return nil
	}
	total, rows := 0.0, []report.PlannedRun{}
	for _, n := range plan {
		total += n.Seconds
		r := report.PlannedRun{Model: n.Name, Seed: n.Config.Seed, Data: n.Config.Data.Name, Preset: n.Config.Preset,
			Epochs: n.Config.Train.Epochs, ETA: n.Seconds}
		if n.Resume != nil {
			r.Resume = n.Resume.Study.ID
		}
		rows = append(rows, r)
	}
	return c.Result(report.ComparisonPlan{V: 1, Plan: rows, ETA: total})
}
