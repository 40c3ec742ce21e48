package cli

import (
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/attnconv/attnconv"
)

// NewRoot returns the program with these commands. The error comes from Finish.
func NewRoot(c *Console, commands Commands) (*cobra.Command, error) {
	var version, all bool
	root := &cobra.Command{
		Use:   "attnconv",
		Short: "Train self-attention networks that can act as convolutions",
		Long: "attnconv trains image classifiers made of self-attention, after Cordonnier,\n" +
			"Loukas and Jaggi: On the Relationship between Self-Attention and Convolutional\n" +
			"Layers (arXiv:1911.03584).",
		Example: `attnconv demo
attnconv runs examples
attnconv train --encoding quadratic
attnconv eval runs/latest
attnconv help train`,
		SilenceErrors: true,
		SilenceUsage:  true,
		Args:          KnownCommand,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if version {
				return c.Version()
			}
			return cmd.Help()
		},
		PersistentPreRunE: func(*cobra.Command, []string) error {
			c.TellRenamed()
			return c.ResolveGlobals()
		},
	}
	root.SetIn(c.In)
	root.SetOut(c.Out)
	root.SetErr(c.Err)
	root.SetFlagErrorFunc(FlagError)
	root.SetHelpFunc(func(cmd *cobra.Command, _ []string) { Help(cmd.OutOrStdout(), cmd, all) })
	GlobalFlags(c, root, &all)
	FlagsIn(root.Flags(), "Global").Boolean(&version, "version", "", "show the version of the program")
	root.AddCommand(commands(c)...)
	root.SetHelpCommand(NewHelp(root))
	root.InitDefaultCompletionCmd()
	return root, Finish(c, root)
}

// NewVersion returns the command version.
func NewVersion(c *Console) *cobra.Command {
	return &cobra.Command{
		Use:     "version",
		Short:   "Show the versions of the program and its libraries",
		Example: "attnconv version\nattnconv version --json",
		Args:    Arguments(0),
		RunE:    func(*cobra.Command, []string) error { return c.Version() },
	}
}

// Version prints the versions of the program and its libraries.
func (c *Console) Version() error {
	v := attnconv.ReadBuild()
	return c.Show(v, func(c *Console) error { return c.WriteText(v.String()) })
}

// Program returns how the user calls this program: by name, or with go run.
func Program() string {
	if strings.Contains(filepath.ToSlash(os.Args[0]), "/go-build") && filepath.Base(os.Args[0]) == "attnconv" {
		return "go run ./cmd/attnconv"
	}
	return "attnconv"
}
