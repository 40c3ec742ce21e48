package cmd

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

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

// axes are what curves can be drawn over.
var axes = choice.List[choice.Word]{"epoch", "time"}

// A quantity is what is drawn over a run.
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
	{"speed", "images a second", false, func(e run.Epoch) float64 { return e.ImgS }, nil},
}

func newPlotCurves(c *console) *cobra.Command {
	o := curvesOptions{}
	cmd := &cobra.Command{
		Use:   "plot-curves [RUN...] [flags]",
		Short: "Draw accuracy, loss and learning rate of runs",
		Long: "Draw accuracy and loss over the epochs of runs, or over the time that they took.\n" +
			"Runs that are the same but for their seeds give one curve, their mean, with a\n" +
			"band. A word, such as quadratic, means the newest run of its kind with all its\n" +
			"seeds (attnconv help references). Without a run, the newest that has an epoch.",
		Example: `attnconv plot-curves
attnconv plot-curves quadratic learned
attnconv plot-curves k3f9 p8d2 --x time -o curves.svg
attnconv plot-curves runs/*-s[0-4]-* --show acc,lr --data curves.csv`,
		ValidArgsFunction: c.completeRuns(1 << 20),
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
	f := flags{cmd.Flags(), "Figure"}
	f.text(&o.X, "x", axes.Default(), "AXIS", "what the curves are drawn over", axes.Completions())
	f.text(&o.Show, "show", "acc,loss", "LIST", "what is drawn, of "+strings.Join(quantities.Names(), ", "), nil)
	f.boolean(&o.Separate, "separate", "", "a curve for every run, also for those that differ in their seed alone")
	o.flags(flags{cmd.Flags(), "Output"}, "figures/curves.svg in the run; of several, curves.svg in --runs")
	return cmd
}

func runPlotCurves(c *console, o curvesOptions) error {
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
		return c.result(curvesResult(files, groups))
	}
	return printCurves(c, files, groups)
}

// quantities are those of --show.
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

// panels are the curves of one quantity; seconds is the unit of time, or 0 for epochs. What is measured on training
// images lies beside it, dotted; but a training loss with smoothed labels is another quantity, which is larger by what
// the smoothing adds, and has a panel of its own.
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

// smoothedTitle is what the training loss is called if its labels are smoothed in some of the runs, else nothing.
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

// curvesCaption says in one line which runs curves are of, and on which data.
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
		which = count(len(ids), "run")
	case len(ids) > 1:
		which = "runs " + strings.Join(ids, ", ")
	}
	return fmt.Sprintf("%s · %s · to epoch %d", which, strings.Join(sets, ", "), last)
}

// points are the measurements of a run.
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

// timeUnit is the unit in which the longest run has a small number, and its seconds.
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

// curveRow is a curve in numbers.
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

func printCurves(c *console, files []string, groups []curveGroup) error {
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
