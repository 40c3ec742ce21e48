package plot

import (
	"fmt"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/attnconv/attnconv/cmd/internal/figures"
	"github.com/attnconv/attnconv/cmd/internal/output"
	"github.com/attnconv/attnconv/cmd/internal/refs"
	"github.com/attnconv/attnconv/cmd/internal/term"
	"github.com/attnconv/attnconv/option"
	"github.com/attnconv/attnconv/run"
	"github.com/attnconv/attnconv/session/trained"
	"github.com/attnconv/attnconv/study"
)

// curvesOptions holds the flags and arguments of `attnconv plot-curves`.
type curvesOptions struct {
	output.Options
	Refs     []string
	X        string
	Show     string
	Targets  string
	Separate bool

	shown   []string  // of figures.Quantities, from Show; nil: the default
	targets []float64 // from Targets
}

// axes lists the values of --x.
var axes = option.List[option.Word]{"epoch", "time"}

// NewCurves returns the command plot-curves.
func NewCurves(c *term.Console) *cobra.Command {
	o := curvesOptions{}
	cmd := &cobra.Command{
		Use:   "plot-curves [RUN...] [flags]",
		Short: "Draw accuracy, loss and learning rate of runs",
		Long: "Draw accuracy and loss over the epochs of runs, or over training time. Runs that\n" +
			"differ only in the seed are one curve, their mean, with a band. A word, such as\n" +
			"quadratic, means the latest run of its kind with all its seeds (attnconv help\n" +
			"references). The default is the latest run that has finished an epoch.",
		Example: `attnconv plot-curves
attnconv plot-curves quadratic learned
attnconv plot-curves k3f9 p8d2 --x time -o curves.svg
attnconv plot-curves quadratic resnet18 --x time --targets 70,80,85,90
attnconv plot-curves k3f9 --show class-acc
attnconv plot-curves k3f9 --show weights,gradients
attnconv plot-curves runs/*-s[0-4]-* --show acc,lr --values curves.csv`,
		ValidArgsFunction: refs.CompleteRuns(c, 1<<20),
		RunE: func(cmd *cobra.Command, args []string) error {
			o.Refs = o.TakeFiles(args)
			if err := o.Check(); err != nil {
				return err
			}
			if err := o.parse(cmd.Flags().Changed("show")); err != nil {
				return err
			}
			return drawCurves(c, o)
		},
	}
	f := term.FlagsIn(cmd.Flags(), "Figure")
	term.Choice(f, &o.X, "x", axes.Default(), "AXIS", "horizontal axis of the curves", axes)
	f.Text(&o.Show, "show", "acc,loss", "LIST", "quantities to draw, of "+strings.Join(figures.Quantities.Names(),
		", "), nil)
	f.Text(&o.Targets, "targets", "", "LIST",
		"draw lines at these validation accuracies in per cent, such as "+study.DefaultTargets+", and mark where each "+
			"run first reaches them; of acc, which is then all that is shown", nil)
	f.Boolean(&o.Separate, "separate", "", "a curve for every run, even if they differ only in the seed")
	f = term.FlagsIn(cmd.Flags(), "Output")
	o.Flags(f, "figure to write", "figures/curves.svg in the run; of several, curves.svg in --runs")
	return cmd
}

// parse reads the lists. Without --show, what is drawn depends on the targets.
func (o *curvesOptions) parse(show bool) (err error) {
	if o.Targets != "" {
		if o.targets, err = study.Targets("--targets", o.Targets); err != nil {
			return err
		}
	}
	if !show {
		return nil
	}
	for name := range strings.SplitSeq(o.Show, ",") {
		o.shown = append(o.shown, strings.TrimSpace(name))
		if err := figures.Quantities.Check("--show", strings.TrimSpace(name)); err != nil {
			return err
		}
	}
	return nil
}

func drawCurves(c *term.Console, o curvesOptions) error {
	curves, err := readCurves(c, o)
	if err != nil {
		return err
	}
	figure, err := figures.Curves(curves, figures.CurvesOptions{Show: o.shown, Time: o.X == "time", Targets: o.targets,
		Width: o.Width})
	if err != nil {
		return term.NameFlag(err)
	}
	if o.X == "time" {
		warnOfMachines(c, curves)
	}
	own := filepath.Join(c.Runs, "curves.svg")
	if len(curves) == 1 && len(curves[0].Runs) == 1 {
		own = filepath.Join(curves[0].Runs[0].Path, "figures", "curves.svg")
	}
	rows, parts := figures.CurveDocuments(curves), figures.PartDocuments(curves, o.shown)
	text := "\n" + figures.CurveText(rows)
	if len(parts) > 0 {
		text += "\n" + figures.PartText(parts)
	}
	return o.Finish(c, figure, own, text, func(files []string) any {
		return CurveFigures{V: 1, Files: files, Curves: rows, Parts: parts}
	})
}

// warnOfMachines warns if the times of curves do not compare.
func warnOfMachines(c *term.Console, curves []figures.Curve) {
	var timed []study.TimedRun
	for _, curve := range curves {
		for _, r := range curve.Runs {
			timed = append(timed, study.TimedRun{ID: r.Status.ID, Machines: r.Machines})
		}
	}
	if words := study.MixedMachines(timed); words != "" {
		c.Warn(words)
	}
}

// readCurves reads the runs that o names, as curves in that order.
func readCurves(c *term.Console, o curvesOptions) ([]figures.Curve, error) {
	names := o.Refs
	if len(names) == 0 {
		names = []string{""}
	}
	found, err := refs.FindRuns(c, names, refs.NeedCurves, study.SeedsOf)
	if err != nil {
		return nil, err
	}
	var runs []figures.CurveRun
	for _, f := range found {
		r, err := readRun(f.Entry, c.DataDir)
		if err != nil {
			return nil, err
		}
		if runs = append(runs, r); len(r.Epochs) == 0 {
			c.Warn(fmt.Sprintf("%s: no epoch is finished yet, so there is nothing to draw", r.Path))
		}
	}
	curves := figures.Each(runs...)
	if !o.Separate {
		var leftOut [][2]figures.CurveRun
		curves, leftOut = figures.Together(runs...)
		for _, pair := range leftOut {
			c.Warn(fmt.Sprintf("run %s is left out: run %s has the same settings and seed, and is newer\n  "+
				"--separate draws both", pair[0].Status.ID, pair[1].Status.ID))
		}
	}
	if len(curves) == 0 {
		return nil, term.Usagef("", "nothing to draw: no epoch is finished yet")
	}
	return curves, nil
}

func readRun(e run.Entry, dataDir string) (r figures.CurveRun, err error) {
	dir, err := e.Open()
	if err != nil {
		return r, err
	}
	defer dir.Close()
	if r, err = figures.ReadRun(dir); err != nil {
		return r, err
	}
	if names, known := trained.OriginOf(dir, r.Config.Data, r.Config.Model).ClassNames(dataDir); known {
		r.Classes = names
	}
	return r, nil
}
