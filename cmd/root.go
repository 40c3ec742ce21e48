package cmd

import (
	"context"
	"io"
	"strings"

	"github.com/attnconv/attnconv/cmd/internal/analyse"
	"github.com/attnconv/attnconv/cmd/internal/bench"
	"github.com/attnconv/attnconv/cmd/internal/cli"
	"github.com/attnconv/attnconv/cmd/internal/compare"
	"github.com/attnconv/attnconv/cmd/internal/config"
	"github.com/attnconv/attnconv/cmd/internal/data"
	"github.com/attnconv/attnconv/cmd/internal/demo"
	"github.com/attnconv/attnconv/cmd/internal/doctor"
	"github.com/attnconv/attnconv/cmd/internal/eval"
	"github.com/attnconv/attnconv/cmd/internal/inspect"
	"github.com/attnconv/attnconv/cmd/internal/manual"
	"github.com/attnconv/attnconv/cmd/internal/plot"
	"github.com/attnconv/attnconv/cmd/internal/predict"
	"github.com/attnconv/attnconv/cmd/internal/prove"
	"github.com/attnconv/attnconv/cmd/internal/runs"
	"github.com/attnconv/attnconv/cmd/internal/sweep"
	"github.com/attnconv/attnconv/cmd/internal/topics"
	"github.com/attnconv/attnconv/cmd/internal/train"
	"github.com/attnconv/attnconv/cmd/internal/weights"
	"github.com/spf13/cobra"
)

// newRoot returns the commands. The error is that of cli.Finish.
func newRoot(c *cli.Console) (*cobra.Command, error) {
	var version bool
	root := &cobra.Command{
		Use:   "attnconv",
		Short: "Train self-attention networks that can act as convolutions",
		Long: "attnconv trains image classifiers made of self-attention, after Cordonnier,\n" +
			"Loukas and Jaggi: On the Relationship between Self-Attention and Convolutional\n" +
			"Layers (arXiv:1911.03584).",
		Example: `attnconv demo
attnconv train --encoding quadratic
attnconv eval runs/latest
attnconv help train`,
		SilenceErrors: true,
		SilenceUsage:  true,
		Args:          cli.KnownCommand,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if version {
				return c.Version()
			}
			return cmd.Help()
		},
		PersistentPreRunE: func(*cobra.Command, []string) error {
			return c.ResolveGlobals()
		},
	}
	root.SetIn(c.In)
	root.SetOut(c.Out)
	root.SetErr(c.Err)
	root.SetFlagErrorFunc(cli.FlagError)
	root.SetHelpFunc(func(cmd *cobra.Command, _ []string) { cli.Help(cmd.OutOrStdout(), cmd) })
	cli.GlobalFlags(c, root)
	cli.FlagsIn(root.Flags(), "Global").Boolean(&version, "version", "", "show the version of the program")
	root.AddCommand(
		demo.New(c, func(ctx context.Context, c *cli.Console, args []string) error {
			root, err := newRoot(c)
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
		prove.New(c),
		runs.New(c),
		sweep.New(c),
		config.New(c),
		data.New(c),
		doctor.New(c),
		bench.New(c),
		bench.NewPoint(c),
		cli.NewVersion(c),
	)
	root.AddCommand(topics.New()...)
	root.SetHelpCommand(cli.NewHelp(root))
	root.InitDefaultCompletionCmd()
	return root, cli.Finish(c, root)
}

// Manual returns the manual pages of all commands and topics.
func Manual() []manual.Page { return manual.Pages(documentedRoot()) }

// Reference returns the help of all commands and topics as one Markdown file.
func Reference() string { return manual.Markdown(documentedRoot()) }

// documentedRoot returns the commands without a user.
func documentedRoot() *cobra.Command {
	root, _ := newRoot(cli.NewConsole(strings.NewReader(""), io.Discard, io.Discard, nil)) // Main reports the error
	return root
}
