package cmd

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/attnconv/attnconv/cmd/internal/cli"
	"github.com/attnconv/attnconv/internal/choice"
	"github.com/attnconv/attnconv/run"
	"github.com/attnconv/attnconv/viz"
)

// curvesOptions holds the flags and arguments of `attnconv plot-curves`.
type curvesOptions struct {
	outputOptions
	Refs     []string
	X        string
	Show     string
	Separate bool
}

// axes lists the values of --x.
var axes = choice.List[choice.Word]{"epoch", "time"}

// A quantity is a measurement of every epoch.
type quantity struct {
	name, title string
	percent     bool
	of          func(run.Epoch) float64
	train       func(run.Epoch) float64 // the same on training images, or nil
}

// Entry implements choice.Choice.
func (m quantity) Entry() (name, help string) { return m.name, m.title }

var quantities = choice.List[quantity]{
	{"acc", "validation accuracy", true, func(e run.Epoch) float64 { return e.ValAcc }, nil},
	{"train-acc", "training accuracy", true, func(e run.Epoch) float64 { return e.TrainAcc }, nil},
	{"loss", "validation loss", false, func(e run.Epoch) float64 { return e.ValLoss },
		func(e run.Epoch) float64 { return e.TrainLoss }},
	{"lr", "learning rate", false, func(e run.Epoch) float64 { return e.LR }, nil},
	{"speed", "images per second", false, func(e run.Epoch) float64 { return e.ImgS }, nil},
}

func newPlotCurves(c *cli.Console) *cobra.Command {
	o := curvesOptions{}
	cmd := &cobra.Command{
		Use:   "plot-curves [RUN...] [flags]",
		Short: "Draw accuracy, loss and learning rate of runs",
		Long: "Draw accuracy and loss over the epochs of runs, or over training time. Runs that\n" +
			"differ only in the seed are one curve, their mean, with a band. A word, such as\n" +
			"quadratic, means the newest run of its kind with all its seeds (attnconv help\n" +
			"references). The default is the newest run that has finished an epoch.",
		Example: `attnconv plot-curves
attnconv plot-curves quadratic learned
attnconv plot-curves k3f9 p8d2 --x time -o curves.svg
attnconv plot-curves runs/*-s[0-4]-* --show acc,lr --data curves.csv`,
		ValidArgsFunction: c.CompleteRuns(1 << 20),
		RunE: func(_ *cobra.Command, args []string) error {
			o.Refs = args
			if err := axes.Check("--x", o.X); err != nil {
				return err
			}
			if err := o.check(); err != nil {
				return err
			}
			return runPlotCurves(c, o)
		},
	}
	f := cli.FlagsIn(cmd.Flags(), "Figure")
	f.Text(&o.X, "x", axes.Default(), "AXIS", "horizontal axis of the curves", axes.Completions())
	f.Text(&o.Show, "show", "acc,loss", "LIST", "quantities to draw, of "+strings.Join(quantities.Names(), ", "), nil)
	f.Boolean(&o.Separate, "separate", "", "a curve for every run, even if they differ only in the seed")
	o.flags(cli.FlagsIn(cmd.Flags(), "Output"), "figures/curves.svg in the run; of several, curves.svg in --runs")
	return cmd
}

func runPlotCurves(c *cli.Console, o curvesOptions) error {
	wanted, err := o.quantities()
	if err != nil {
		return err
	}
	groups, err := readCurves(c, o)
	if err != nil {
		return err
	}
	unit, seconds := "epoch", 0.0
	if o.X == "time" {
		unit, seconds = timeUnit(groups)
	}
	var panels []viz.Panel
	for _, m := range wanted {
		panels = append(panels, m.panels(groups, seconds)...)
	}
	figure, err := viz.Curves(panels, viz.CurvesOptions{X: unit, Width: o.Width})
	if err != nil {
		return cannotDraw(err)
	}
	figure.Caption = curvesCaption(groups)
	own := filepath.Join(c.Runs, "curves.svg")
	if len(groups) == 1 && len(groups[0].runs) == 1 {
		own = filepath.Join(groups[0].runs[0].dir, "figures", "curves.svg")
	}
	files, err := o.write(c, figure, own)
	switch {
	case err != nil || o.toStdout():
		return err
	case c.JSON:
		return c.Result(curvesResult(files, groups))
	}
	return printCurves(c, files, groups)
}

// quantities parses --show.
func (o *curvesOptions) quantities() (wanted []quantity, err error) {
	for name := range strings.SplitSeq(o.Show, ",") {
		m := quantities.Find(strings.TrimSpace(name))
		if m == nil {
			return nil, quantities.Check("--show", name)
		}
		wanted = append(wanted, *m)
	}
	return wanted, nil
}

// panels draws the curves of one quantity; seconds is the unit of time, or 0 for epochs. Training curves are dotted in
// the same panel. A training loss with smoothed labels has a panel of its own, since the smoothing makes it larger.
func (m quantity) panels(groups []curveGroup, seconds float64) []viz.Panel {
	p := viz.Panel{Title: m.title, Percent: m.percent}
	apart := viz.Panel{}
	if m.train != nil {
		apart.Title = smoothedTitle(groups)
	}
	for _, g := range groups {
		curve := viz.Curve{Name: g.name, Note: g.legend()}
		train := curve
		for _, r := range g.runs {
			curve.Runs = append(curve.Runs, r.points(m.of, seconds))
			if m.train != nil {
				train.Runs = append(train.Runs, r.points(m.train, seconds))
			}
		}
		if apart.Title == "" {
			curve.Dotted = train.Runs
		}
		p.Curves, apart.Curves = append(p.Curves, curve), append(apart.Curves, train)
	}
	if apart.Title == "" {
		return []viz.Panel{p}
	}
	return []viz.Panel{p, apart}
}

// smoothedTitle returns the title of the training loss if some of the runs smooth labels, else "".
func smoothedTitle(groups []curveGroup) string {
	var rates []float64
	for _, g := range groups {
		for _, r := range g.runs {
			rates = append(rates, r.config.Train.LabelSmoothing)
		}
	}
	slices.Sort(rates)
	rates = slices.Compact(rates)
	switch {
	case len(rates) == 0 || rates[len(rates)-1] == 0:
		return ""
	case len(rates) == 1:
		return fmt.Sprintf("training loss (labels smoothed by %g)", rates[0])
	}
	return "training loss (with the runs' label smoothing)"
}

// curvesCaption names runs and data in one line.
func curvesCaption(groups []curveGroup) string {
	const few = 3
	var ids, sets []string
	last := 0
	for _, g := range groups {
		for _, r := range g.runs {
			ids = append(ids, r.status.Name)
			for _, e := range r.epochs {
				last = max(last, e.Epoch)
			}
			if name := r.config.Data.Name; !slices.Contains(sets, name) {
				sets = append(sets, name)
			}
		}
	}
	which := "run " + strings.Join(ids, ", ")
	switch {
	case len(ids) > few:
		which = cli.Count(len(ids), "run")
	case len(ids) > 1:
		which = "runs " + strings.Join(ids, ", ")
	}
	return fmt.Sprintf("%s · %s · to epoch %d", which, strings.Join(sets, ", "), last)
}

func (r curveRun) points(of func(run.Epoch) float64, seconds float64) (points []viz.Point) {
	passed := 0.0
	for _, e := range r.epochs {
		x := float64(e.Epoch)
		if passed += e.WallS; seconds > 0 {
			x = passed / seconds
		}
		points = append(points, viz.Point{X: x, Y: of(e)})
	}
	return points
}

// timeUnit chooses a unit that suits the longest run, and returns its name and length in seconds.
func timeUnit(groups []curveGroup) (string, float64) {
	longest := 0.0
	for _, g := range groups {
		for _, r := range g.runs {
			sum := 0.0
			for _, e := range r.epochs {
				sum += e.WallS
			}
			longest = max(longest, sum)
		}
	}
	switch {
	case longest > 2*3600:
		return "hours of training", 3600
	case longest > 2*60:
		return "minutes of training", 60
	}
	return "seconds of training", 1
}

// A curveRow summarises a curve.
type curveRow struct {
	Name   string   `json:"name"`
	Runs   []string `json:"runs"` // ids
	Epochs int      `json:"epochs"`
	Best   *float64 `json:"best_val_acc"` // mean over the runs
	At     float64  `json:"at_epoch"`     // likewise
	Loss   *float64 `json:"val_loss"`     // of the last epoch, likewise
}

type curvesDocument struct {
	V      int        `json:"v"`
	Files  []string   `json:"files"`
	Curves []curveRow `json:"curves"`
}

func curvesResult(files []string, groups []curveGroup) curvesDocument {
	d := curvesDocument{V: 1, Files: files}
	for _, g := range groups {
		d.Curves = append(d.Curves, g.row())
	}
	return d
}

func printCurves(c *cli.Console, files []string, groups []curveGroup) error {
	printFiles(c, files)
	fmt.Fprintln(c.Out)
	w := tabwriter.NewWriter(c.Out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "curve\truns\tepochs\tbest val acc\tat epoch\tlast val loss")
	for _, g := range groups {
		r := g.row()
		best, loss := "-", "-"
		if r.Best != nil {
			best = fmt.Sprintf("%.2f %%", 100**r.Best)
		}
		if r.Loss != nil {
			loss = fmt.Sprintf("%.4f", *r.Loss)
		}
		fmt.Fprintf(w, "%s\t%d\t%d\t%s\t%.4g\t%s\n", r.Name, len(r.Runs), r.Epochs, best, r.At, loss)
	}
	return w.Flush()
}
