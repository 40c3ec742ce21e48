// Package compare is the command compare.
package compare

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/attnconv/attnconv/cmd/internal/refs"
	"github.com/attnconv/attnconv/cmd/internal/term"
	"github.com/attnconv/attnconv/configs"
	"github.com/attnconv/attnconv/model"
	"github.com/attnconv/attnconv/study"
	"github.com/attnconv/attnconv/viz"
)

// options holds the flags and arguments of `attnconv compare`.
type options struct {
	Refs     []string // runs; nil: all that match Sources
	Baseline string
	Models   []string
	Seeds    []uint64
	Metric   study.Metric
	Levels   []float64
	Sources  configs.Sources // settings of the runs to be trained, which existing runs must match

	NoTrain, DryRun, Mixed bool
	Paired                 bool
	Paper                  bool
	Format                 string
	Columns                []string // of the table; nil: as many as the output has room for
	Require                []term.Requirement
	Output                 []string
	Figure, Theme          string // of figures among Output
	Force                  bool

	models, metric, levels, equal string // as typed

	epochs map[string]int     // of each model, by its short name; nil: the same for all
	stepS  map[string]float64 // of a step of each model, by its short name, where it was measured
}

// New returns the command.
func New(c *term.Console) *cobra.Command {
	return newCommand(c, func(ctx context.Context, c *term.Console, o options) error { return o.run(ctx, c) })
}

func newCommand(c *term.Console, body func(context.Context, *term.Console, options) error) *cobra.Command {
	var o options
	cmd := &cobra.Command{
		Use:   "compare [RUN...] [flags]",
		Short: "Compare models, and train the runs that are missing",
		Long: "Compare models, with statistics over seeds: runs that differ only in the seed\n" +
			"are one model. Without RUN, it takes all finished runs that match the flags and\n" +
			"have the data and budget of the latest. Missing runs, such as those of the\n" +
			"baseline, are trained with that data, that budget and the preset of their kind,\n" +
			"after the plan is shown. After a stop or a kill, the same command goes on.\n" +
			"Intervals cover other test images and, from two runs on, other seeds.",
		Example: `attnconv compare --baseline resnet18
attnconv compare --baseline resnet18 --models quadratic,learned --seeds 0..2
attnconv compare --baseline resnet18 --models quadratic,learned --equal flops`,
		ValidArgsFunction: refs.CompleteRuns(c, 1<<20),
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 {
				o.Refs = args
			}
			o.Sources.Env = c.Env
			if err := o.check(c); err != nil {
				return err
			}
			return body(cmd.Context(), c, o)
		},
	}
	o.flags(c, cmd)
	return cmd
}

func (o *options) flags(c *term.Console, cmd *cobra.Command) {
	f := term.FlagsIn(cmd.Flags(), "Comparison")
	f.Common().Text(&o.Baseline, "baseline", "", "NAME", "model that the others are compared with, or a run",
		model.ShortNames())
	f.Common().Text(&o.models, "models", "", "LIST", "models to compare with it, trained if they are missing", nil)
	term.Flag(f.Common(), &o.Seeds, "seeds", "LIST", "seeds that every model needs, such as 0..2 or 0,3", term.Seeds)
	term.Choice(f.Common(), &o.equal, "equal", budgets.Default(), "NAME", "budget", budgets)
	term.Choice(f, &o.metric, "metric", study.Metrics.Default(), "NAME", "what to compare", study.Metrics)
	f.Text(&o.levels, "reach", "", "LIST", "accuracies whose epoch and time are shown, such as 0.6,0.7", nil)
	f.Boolean(&o.Paired, "paired", "", "take differences seed by seed, where both models have the same seeds")
	f.Boolean(&o.Paper, "paper", "", "add a column with the paper's figures")
	f.Common().Boolean(&o.NoTrain, "no-train", "", "compare only the runs that exist")
	f.Common().Boolean(&o.DryRun, "dry-run", "", "show what would be trained, and how long it takes")
	f.Boolean(&o.Mixed, "allow-mixed", "", "compare runs even if their data or budgets differ")
	refs.SourceFlags(cmd, &o.Sources, "encoding", "model", "seed", "overfit-batches")
	refs.DeviceFlag(c, term.FlagsIn(cmd.Flags(), "Training"))
	f = term.FlagsIn(cmd.Flags(), "Output")
	f.Common().Format(&o.Format, "of the table on standard output")
	last := len(study.LayerColumns) - 1
	f.List(&o.Columns, "columns",
		"of the table, or all (default: those that fit a page, and all on a terminal and in CSV; "+
			strings.Join(study.LayerColumns[:last], ", ")+" and "+study.LayerColumns[last]+
			" are measured only if named, as analyse does): "+strings.Join(study.Columns.Names(), ", "), nil)
	term.Each(f, &o.Require, "require", "[MODEL:]METRIC>=N", "exit with code 5 unless this holds in every row, or in "+
		"the row of MODEL, such as resnet18:test_acc>=0.80; may be repeated",
		func(text string) (term.Requirement, error) {
			return term.ParseRequirement(text, rowValues(), true)
		})
	f.Common().Texts(&o.Output, "output", "o", "FILE",
		"table to write: .txt, .md, .csv, .tex, .json; or the figure: .svg, .png, .pdf; several may be given")
	term.Choice(f, &o.Figure, "figure", study.FigureKinds.Default(), "KIND",
		"figure of -o; both kinds are in the folder comparison of --runs", study.FigureKinds)
	term.Choice(f, &o.Theme, "theme", viz.Themes.Default(), "NAME", "colors of the figure of -o", viz.Themes)
	f.Boolean(&o.Force, "force", "", "overwrite files given with -o")
}

// check parses the flags that are lists, and reports bad flags before anything is trained.
func (o *options) check(c *term.Console) (err error) {
	o.Metric = *study.Metrics.Find(o.metric)
	if o.Columns, err = study.ColumnNames("--columns", o.Columns); err != nil {
		return err
	}
	for _, r := range o.Require {
		if study.Metrics.Has(r.Name) && r.Name != o.Metric.Name {
			return term.Usagef("to compare by it: --metric "+r.Name, "--require %s: the models are compared by %s",
				r.Text, o.Metric.Name)
		}
	}
	o.Baseline = configs.Canonical("model.encoding", o.Baseline)
	if o.models != "" {
		if o.Models, err = modelNames("--models", strings.Split(o.models, ",")); err != nil {
			return err
		}
	}
	if o.DryRun && o.NoTrain {
		return term.Usagef("--no-train writes nothing but the comparison", "--dry-run and --no-train do not go together")
	}
	slices.Sort(o.Seeds)
	for part := range strings.SplitSeq(o.levels, ",") {
		if o.levels == "" {
			break
		}
		level, err := strconv.ParseFloat(part, 64)
		if err != nil || !(level > 0 && level <= 1) {
			return term.Usagef("", "--reach %q: want accuracies above 0 and up to 1, such as 0.6,0.7", o.levels)
		}
		if !slices.Contains(o.Levels, level) {
			o.Levels = append(o.Levels, level)
		}
	}
	for _, f := range o.Sources.Flags {
		if group, name, ok := strings.Cut(f.Text, "/"); ok && f.Key == "preset" {
			return term.Usagef(fmt.Sprintf("a group has a preset for each model: --preset %s", group),
				"--preset %s: these are the settings of %s only", f.Text, name)
		}
	}
	for _, name := range o.Output {
		if err := o.writable(name); err != nil {
			return err
		}
	}
	return o.Sources.Check(c.DataDir)
}
