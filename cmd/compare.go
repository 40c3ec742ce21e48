package cmd

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/attnconv/attnconv/configs"
	"github.com/attnconv/attnconv/internal/invalid"
	"github.com/attnconv/attnconv/internal/table"
	"github.com/attnconv/attnconv/model"
	"github.com/attnconv/attnconv/posenc"
	"github.com/attnconv/attnconv/study"
)

// compareOptions is what `attnconv compare` was told.
type compareOptions struct {
	Refs     []string // runs; nil: all that fit
	Baseline string
	Models   []string
	Seeds    []uint64
	Metric   study.Metric
	Levels   []float64
	Sources  configs.Sources // of the runs to be trained; also what runs at hand must fit

	NoTrain, DryRun, Mixed bool
	Paired                 bool
	Paper                  bool
	Format                 string
	Columns                []string // of the table; nil: those that fit where it goes
	Require                []requirement
	Output                 []string
	Force                  bool

	models, seeds, metric, levels string // as typed
}

// newCompare is the compare command.
func newCompare(c *console, body func(context.Context, *console, compareOptions) error) *cobra.Command {
	var o compareOptions
	cmd := &cobra.Command{
		Use:   "compare [RUN...] [flags]",
		Short: "Train what is missing, and put models side by side",
		Long: "Put models side by side, with statistics over seeds: runs that differ in nothing\n" +
			"but the seed are one model. Without RUN, all finished runs that fit the flags\n" +
			"and have the data and the budget of the newest count. What is missing, the\n" +
			"baseline above all, is trained on that data, with that budget and the preset of\n" +
			"its kind; the plan comes first. Stopped or killed, the same command goes on.\n" +
			"Intervals allow for other test images and, from two runs on, for other seeds.",
		Example: `attnconv compare --baseline resnet18
attnconv compare --baseline resnet18 --models quadratic,learned --seeds 0..2
attnconv compare k3f9 p8d2 --no-train --format latex -o table.tex
attnconv compare --baseline quadratic --paper`,
		ValidArgsFunction: c.completeRuns(1 << 20),
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 {
				o.Refs = args
			}
			o.Sources.Env = c.env
			if err := o.check(c); err != nil {
				return err
			}
			return body(cmd.Context(), c, o)
		},
	}
	o.flags(c, cmd)
	return cmd
}

func (o *compareOptions) flags(c *console, cmd *cobra.Command) {
	f := flags{cmd.Flags(), "Comparison"}
	f.text(&o.Baseline, "baseline", "", "NAME", "model that the others are compared with, or a run", modelNames())
	f.text(&o.models, "models", "", "LIST", "models to have beside it, trained if they are missing", nil)
	f.text(&o.seeds, "seeds", "", "LIST", "seeds that every model is to have, such as 0..2 or 0,3", nil)
	f.text(&o.metric, "metric", study.Metrics[0].Name, "NAME", "number to compare", metricNames())
	f.text(&o.levels, "reach", "", "LIST", "accuracies whose epoch and time are shown, such as 0.6,0.7", nil)
	f.boolean(&o.Paired, "paired", "", "take differences seed by seed, where both models have the same seeds")
	f.boolean(&o.Paper, "paper", "", "put the paper's numbers beside")
	f.boolean(&o.NoTrain, "no-train", "", "take the runs that there are")
	f.boolean(&o.DryRun, "dry-run", "", "say what would be trained, and how long it takes")
	f.boolean(&o.Mixed, "allow-mixed", "", "compare runs of different data or budget all the same")
	sourceFlags(cmd, &o.Sources, "encoding", "model", "seed", "overfit-batches")
	c.deviceFlag(flags{cmd.Flags(), "Training"})
	f = flags{cmd.Flags(), "Output"}
	f.text(&o.Format, "format", "text", "NAME", "of the table on standard output", formatNames())
	f.value(list{&o.Columns}, "columns", "", "LIST", "of the table, or all (default: those that fit a page, and all on a terminal and in CSV): "+
		strings.Join(study.ColumnNames, ", "), nil)
	f.value(requirements{&o.Require, compareMetrics(), true}, "require", "", "[MODEL:]NUMBER>=N",
		"exit with code 5 unless this holds in every row, or in that of MODEL, such as resnet18:test_acc>=0.80; may be repeated", nil)
	f.texts(&o.Output, "output", "o", "FILE", "table to write: .txt, .md, .csv, .tex, .json; or the curves: .svg, .png, .pdf; several may be given")
	f.boolean(&o.Force, "force", "", "write over files given with -o")
}

// modelNames are the names by which models are compared: an encoding of self-attention, or another kind of network.
func modelNames() []string {
	names := posenc.Kinds.Names()
	for _, kind := range model.Kinds.Names() {
		if kind != model.Default().Kind {
			names = append(names, kind)
		}
	}
	return names
}

// modelName is the name of the model that spec describes.
func modelName(spec model.Spec) string {
	if spec.Kind == model.Default().Kind {
		return spec.Encoding
	}
	return spec.Kind
}

func metricNames() (names []string) {
	for _, m := range study.Metrics {
		names = append(names, m.Name)
	}
	return names
}

func formatNames() (names []string) {
	for _, f := range table.Formats {
		names = append(names, f.Name)
	}
	return names
}

// compareMetrics are those of a row of the table, for --require.
func compareMetrics() []string {
	return append(metricNames(), "diff", "p", "n", "params", "img_s", "wall_s")
}

// requireColumns refuses columns that there are not, before anything is trained.
func (o *compareOptions) requireColumns() error {
	if slices.Equal(o.Columns, []string{"all"}) {
		return nil
	}
	for i, name := range o.Columns {
		if slices.Contains(metricNames(), name) {
			o.Columns[i] = "acc"
		} else if !slices.Contains(study.ColumnNames, name) {
			return invalid.Choice("--columns", name, append(slices.Clone(study.ColumnNames), "all"))
		}
	}
	return nil
}

// formatNamed is the name of the format that the user calls name: markdown is also md.
func formatNamed(name string) (string, error) {
	f := table.Named(name)
	if f == nil {
		return "", invalid.Choice("--format", name, formatNames())
	}
	return f.Name, nil
}

// check reads the flags that are lists, and finds what is wrong before anything is done.
func (o *compareOptions) check(c *console) (err error) {
	for _, m := range study.Metrics {
		if m.Name == o.metric {
			o.Metric = m
		}
	}
	switch {
	case o.Metric.Name == "":
		return invalid.Choice("--metric", o.metric, metricNames())
	}
	if o.Format, err = formatNamed(o.Format); err != nil {
		return err
	}
	if err := o.requireColumns(); err != nil {
		return err
	}
	for _, r := range o.Require {
		if slices.Contains(metricNames(), r.name) && r.name != o.Metric.Name {
			return usagef("compare by that: --metric "+r.name, "--require %s: the models are compared by %s", r.text, o.Metric.Name)
		}
	}
	if o.models != "" {
		o.Models = strings.Split(o.models, ",")
	}
	o.Baseline = configs.Canonical("model.encoding", o.Baseline)
	for i, name := range o.Models {
		name = configs.Canonical("model.encoding", name)
		o.Models[i] = name
		if !slices.Contains(modelNames(), name) {
			return invalid.Choice("--models", name, modelNames())
		}
	}
	if o.DryRun && o.NoTrain {
		return usagef("a comparison without training does nothing that a dry run would leave out",
			"--dry-run and --no-train do not go together")
	}
	if o.Seeds, err = parseSeeds(o.seeds); err != nil {
		return err
	}
	for part := range strings.SplitSeq(o.levels, ",") {
		if o.levels == "" {
			break
		}
		level, err := strconv.ParseFloat(part, 64)
		if err != nil || !(level > 0 && level <= 1) {
			return usagef("", "--reach %q: want accuracies above 0 and up to 1, such as 0.6,0.7", o.levels)
		}
		if !slices.Contains(o.Levels, level) {
			o.Levels = append(o.Levels, level)
		}
	}
	for _, f := range o.Sources.Flags {
		if group, name, ok := strings.Cut(f.Text, "/"); ok && f.Key == "preset" {
			return usagef(fmt.Sprintf("each model takes its own of a group: --preset %s", group),
				"--preset %s: has the settings of one model alone, %s", f.Text, name)
		}
	}
	for _, name := range o.Output {
		if err := o.writable(name); err != nil {
			return err
		}
	}
	return c.checkSources(o.Sources)
}

// parseSeeds reads 0..2 or 0,3,7.
func parseSeeds(text string) (seeds []uint64, err error) {
	if text == "" {
		return nil, nil
	}
	wrong := usagef("", "--seeds %q: want numbers from 0 on, such as 0..2 or 0,3", text)
	for part := range strings.SplitSeq(text, ",") {
		first, last, isRange := strings.Cut(part, "..")
		lo, err := strconv.ParseUint(first, 10, 64)
		hi := lo
		if err == nil && isRange {
			hi, err = strconv.ParseUint(last, 10, 64)
		}
		if err != nil || hi < lo || hi-lo >= 1000 {
			return nil, wrong
		}
		for i := range hi - lo + 1 {
			if s := lo + i; !slices.Contains(seeds, s) {
				seeds = append(seeds, s)
			}
		}
	}
	slices.Sort(seeds)
	return seeds, nil
}
