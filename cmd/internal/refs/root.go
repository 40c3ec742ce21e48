package refs

import (
	"cmp"
	"strings"

	"github.com/attnconv/attnconv/cmd/internal/term"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// Commands makes the commands of a program.
type Commands func(*term.Console) []*cobra.Command

// NewRoot returns the program with these commands. The error comes from Finish.
func NewRoot(c *term.Console, commands Commands) (*cobra.Command, error) {
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
			return resolveGlobals(c)
		},
	}
	root.SetIn(c.In)
	root.SetOut(c.Out)
	root.SetErr(c.Err)
	root.SetFlagErrorFunc(FlagError)
	root.SetHelpFunc(func(cmd *cobra.Command, _ []string) { term.Help(cmd.OutOrStdout(), cmd, all) })
	term.GlobalFlags(c, root, &all)
	term.FlagsIn(root.Flags(), "Global").Boolean(&version, "version", "", "show the version of the program")
	root.AddCommand(commands(c)...)
	root.SetHelpCommand(NewHelp(root))
	root.InitDefaultCompletionCmd()
	return root, Finish(c, root)
}

// NewVersion returns the command version.
func NewVersion(c *term.Console) *cobra.Command {
	return &cobra.Command{
		Use:     "version",
		Short:   "Show the versions of the program and its libraries",
		Example: "attnconv version\nattnconv version --json",
		Args:    Arguments(0),
		RunE:    func(*cobra.Command, []string) error { return c.Version() },
	}
}

// Finish adds the flags of registered kinds to all commands, registers completions, and adapts the commands that cobra
// adds. The error names an option of a registered kind whose flag a command has already.
func Finish(c *term.Console, cmd *cobra.Command) error {
	cmd.Flags().SortFlags, cmd.PersistentFlags().SortFlags = false, false // in the order in which they were added
	err := ownFlags(cmd)
	completeFlags(c, cmd)
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		if _, done := cmd.GetFlagCompletionFunc(f.Name); !done && term.HelpedChoices(f) != nil {
			cmd.RegisterFlagCompletionFunc(f.Name, cobra.FixedCompletions(term.HelpedChoices(f),
				cobra.ShellCompDirectiveDefault))
		}
	})
	for _, sub := range cmd.Commands() {
		err = cmp.Or(err, Finish(c, sub))
		if sub.Name() == "completion" {
			finishCompletion(c, sub)
		}
	}
	return err
}

// NewHelp returns the command help, for the commands and topics below root.
func NewHelp(root *cobra.Command) *cobra.Command {
	return &cobra.Command{
		Use:   "help [COMMAND|TOPIC]",
		Short: "Help on a command or a topic",
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			return commandNames(root), cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(_ *cobra.Command, args []string) error {
			cmd, rest, err := root.Find(args)
			switch path := cmd.CommandPath(); {
			case err == nil && len(rest) > 0 && cmd != root && !cmd.HasSubCommands():
				return term.Usagef(path+" --help", "no help on %q", strings.Join(args, " "))
			case err != nil || len(rest) > 0:
				return unknownTopic(root, args)
			}
			return cmd.Help()
		},
	}
}

func unknownTopic(root *cobra.Command, args []string) error {
	err := unknownCommand(root, args[len(args)-1])
	return term.Usagef(strings.SplitN(err.Error(), "\n  ", 2)[1], "no help on %q", strings.Join(args, " "))
}

// Family returns a command that only groups subcommands.
func Family(name, short, examples string, children ...*cobra.Command) *cobra.Command {
	cmd := &cobra.Command{
		Use:                   name + " COMMAND",
		Short:                 short,
		Example:               examples,
		DisableFlagsInUseLine: true,
		Args:                  KnownCommand,
		RunE:                  func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(children...)
	return cmd
}
