// Package cmd is the command line: flags, messages and calls of the packages below.
package cmd

import (
	"cmp"
	"context"
	"io"
	"slices"

	"github.com/spf13/cobra"

	"github.com/attnconv/attnconv/cmd/internal/analyse"
	"github.com/attnconv/attnconv/cmd/internal/bench"
	"github.com/attnconv/attnconv/cmd/internal/compare"
	"github.com/attnconv/attnconv/cmd/internal/config"
	"github.com/attnconv/attnconv/cmd/internal/data"
	"github.com/attnconv/attnconv/cmd/internal/demo"
	"github.com/attnconv/attnconv/cmd/internal/doctor"
	"github.com/attnconv/attnconv/cmd/internal/eval"
	"github.com/attnconv/attnconv/cmd/internal/inspect"
	"github.com/attnconv/attnconv/cmd/internal/plot"
	"github.com/attnconv/attnconv/cmd/internal/predict"
	"github.com/attnconv/attnconv/cmd/internal/prove"
	"github.com/attnconv/attnconv/cmd/internal/refs"
	"github.com/attnconv/attnconv/cmd/internal/report"
	"github.com/attnconv/attnconv/cmd/internal/runs"
	"github.com/attnconv/attnconv/cmd/internal/serve"
	"github.com/attnconv/attnconv/cmd/internal/sweep"
	"github.com/attnconv/attnconv/cmd/internal/term"
	"github.com/attnconv/attnconv/cmd/internal/topics"
	"github.com/attnconv/attnconv/cmd/internal/train"
	"github.com/attnconv/attnconv/cmd/internal/weights"
)

// Main runs the command that args name, without the program's own name, and returns the exit code. A program that has
// registered kinds of its own (posenc.Register, model.Register, model.RegisterBlock, sets.Register,
// train.RegisterSolver, train.RegisterSchedule, train.RegisterLoss) and calls Main has them in every command.
func Main(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	return refs.Main(ctx, args, stdin, stdout, stderr, commands)
}

// commands lists all commands and the topics of help.
func commands(c *term.Console) []*cobra.Command {
	return append([]*cobra.Command{
		demo.New(c, func(ctx context.Context, c *term.Console, args []string) error {
			root, err := refs.NewRoot(c, commands)
			if err != nil {
				return err
			}
			root.SetArgs(args)
			return root.ExecuteContext(ctx)
		}),
		train.New(c),
		eval.New(c),
		compare.New(c),
		inspect.New(c),
		analyse.New(c),
		plot.NewHeads(c),
		plot.NewCurves(c),
		plot.NewMaps(c),
		predict.New(c),
		weights.NewExport(c),
		weights.NewImport(c),
		weights.NewConvert(c),
		prove.New(c),
		runs.New(c),
		report.New(c),
		serve.New(c),
		sweep.New(c),
		config.New(c),
		data.New(c),
		doctor.New(c),
		bench.New(c),
		bench.NewPoint(c),
		refs.NewVersion(c),
	}, topics.New()...)
}

// A Document is one kind of document: the Command that writes it, the flag If with which it does so instead of its
// usual one, a zero Value of its type, and those of the other types that it can have, Or.
type Document = term.Document

// Documents lists the documents of --json, by command.
func Documents() []Document { return documents }

var documents = slices.SortedStableFunc(slices.Values(slices.Concat(
	analyse.Documents, bench.Documents, compare.Documents, config.Documents, data.Documents, demo.Documents,
	doctor.Documents, eval.Documents, inspect.Documents, plot.Documents, predict.Documents, prove.Documents,
	report.Documents, runs.Documents, sweep.Documents, train.Documents, weights.Documents, term.Documents)),
	func(a, b term.Document) int { return cmp.Compare(a.Command, b.Command) })
