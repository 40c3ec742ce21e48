// Package report is the command report: flags and words.
package report

import (
	"context"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/attnconv/attnconv/cmd/internal/refs"
	"github.com/attnconv/attnconv/cmd/internal/term"
	"github.com/attnconv/attnconv/run"
	"github.com/attnconv/attnconv/study"
)

// options holds the flags and arguments of `attnconv report`.
type options struct {
	refs     []string
	chosen   refs.Selection
	baseline string
	output   string
	force    bool
}

// New returns the command.
func New(c *term.Console) *cobra.Command {
	var o options
	cmd := &cobra.Command{
		Use:   "report [RUN...] [flags]",
		Short: "Write a report of runs: one HTML file to mail",
		Long: "Write a report of a run, or of a comparison of runs: one HTML file of at most\n" +
			"3 MB that can be mailed or printed, opens without a server, and asks no other\n" +
			"machine for anything. It has the accuracies with their intervals, how\n" +
			"convolutional the layers are and where heads look, next to before training,\n" +
			"curves, settings, commands and machines, and the views of serve. Runs that\n" +
			"differ only in the seed are one model, so that \"quadratic\" means all its seeds\n" +
			"(attnconv help references). The default is the latest run.",
		Example: `attnconv report
attnconv report quadratic learned -o report.html
attnconv report --tag baseline --baseline resnet18`,
		ValidArgsFunction: refs.CompleteRuns(c, 1<<20),
		RunE: func(cmd *cobra.Command, args []string) error {
			o.refs = args
			return o.run(cmd.Context(), c)
		},
	}
	o.chosen.Flags(term.FlagsIn(cmd.Flags(), "Runs"), "the runs")
	f := term.FlagsIn(cmd.Flags(), "Output")
	f.Text(&o.baseline, "baseline", "", "NAME", "model that the others are compared with, or a run's id", nil)
	f.Output(&o.output, "",
		"file to write, or - for standard output (default: figures/report.html in the run; of several, report.html in "+
			"--runs)")
	f.Boolean(&o.force, "force", "", "overwrite FILE")
	return cmd
}

func (o options) run(ctx context.Context, c *term.Console) error {
	if err := term.RefuseExisting("-o", o.output, o.force); err != nil {
		return err
	}
	if o.output == "-" && c.JSON {
		return term.Usagef("", "-o - and --json both write to standard output")
	}
	entries, err := o.entries(c)
	if err != nil {
		return err
	}
	stages, err := c.Stages()
	if err != nil {
		return err
	}
	defer stages.Close()
	b, err := Make(ctx, entries, Options{Runs: c.Runs, Data: c.DataDir, Baseline: o.baseline,
		Tell: stages.Next})
	if err != nil {
		return err
	}
	stages.Close()
	if o.output != "" {
		err = c.WriteNew(o.output, b, o.force)
	} else {
		o.output = own(c, entries)
		err = term.WriteOwn(o.output, b)
	}
	if err != nil || o.output == "-" {
		return err
	}
	return c.ShowFiles([]string{o.output}, "", term.Files{V: 1, Files: []string{o.output}})
}

// own is where a report goes without -o.
func own(c *term.Console, entries []run.Entry) string {
	if len(entries) == 1 {
		return filepath.Join(entries[0].Path, "figures", "report.html")
	}
	return filepath.Join(c.Runs, "report.html")
}

// entries returns the runs that arguments and flags name.
func (o options) entries(c *term.Console) (entries []run.Entry, err error) {
	names := o.refs
	if o.chosen.Given() {
		if names, err = o.chosen.Select(c); err != nil {
			return nil, err
		}
	}
	if len(names) == 0 {
		names = []string{"latest"}
	}
	found, err := refs.FindRuns(c, names, refs.AnyRun, study.SeedsOf)
	for _, f := range found {
		entries = append(entries, f.Entry)
	}
	return entries, err
}
