package cmd

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/attnconv/attnconv/configs"
)

const (
	helpWidth  = 80 // columns of the text
	helpIndent = 32 // where the words about a flag begin
)

var groups = []string{"Model", "Data", "Training", "Measurement", "Figure", "Output", "Global"}

// help writes the help of a command: what it is for, examples, then its commands or flags.
func help(w io.Writer, cmd *cobra.Command) {
	var b strings.Builder
	text := cmd.Long
	if text == "" {
		text = cmd.Short
	}
	b.WriteString(strings.TrimSpace(text) + "\n")
	if cmd.Example != "" {
		b.WriteString("\nExamples:\n")
		for line := range strings.Lines(cmd.Example) {
			b.WriteString("  " + strings.TrimSpace(line) + "\n")
		}
	}
	if cmd.Runnable() {
		fmt.Fprintf(&b, "\nUsage:\n  %s\n", strings.TrimPrefix(cmd.UseLine(), "  "))
	}
	listCommands(&b, cmd)
	for _, g := range groups {
		if cmd.Runnable() { // a topic has none
			listFlags(&b, cmd, g)
		}
	}
	if !cmd.HasParent() {
		b.WriteString("\nattnconv help COMMAND or TOPIC says more.\n")
	}
	io.WriteString(w, b.String())
}

// listCommands writes the commands below cmd, and the topics of help.
func listCommands(b *strings.Builder, cmd *cobra.Command) {
	for _, part := range []struct {
		title string
		topic bool
	}{{"Commands", false}, {"Topics", true}} {
		title := "\n" + part.title + ":\n"
		for _, c := range cmd.Commands() {
			if c.Hidden || c.IsAdditionalHelpTopicCommand() != part.topic {
				continue
			}
			fmt.Fprintf(b, "%s  %-14s%s\n", title, c.Name(), c.Short)
			title = ""
		}
	}
}

// listFlags writes one group of flags, in the order in which they were added.
func listFlags(b *strings.Builder, cmd *cobra.Command, group string) {
	title := "\n" + group + ":\n"
	for _, set := range []*pflag.FlagSet{cmd.NonInheritedFlags(), cmd.InheritedFlags()} {
		set.SortFlags = false
		set.VisitAll(func(f *pflag.Flag) {
			if f.Hidden || note(f, groupNote) != group {
				return
			}
			b.WriteString(title + flagLine(f))
			title = ""
		})
	}
}

// flagLine is "  --lr RATE    peak learning rate", with the choices of the value behind it, broken into lines.
func flagLine(f *pflag.Flag) string {
	left := "      --" + f.Name
	if f.Shorthand != "" {
		left = "  -" + f.Shorthand + ", --" + f.Name
	}
	if meta := note(f, metaNote); meta != "" {
		left += " " + meta
	}
	right := f.Usage
	if choices := f.Annotations[choiceNote]; len(choices) > 0 {
		if right != "" {
			right += ": "
		}
		right += strings.Join(choices, ", ")
	}
	if d := f.DefValue; d != "" && d != "false" && d != "0" && d != "[]" && !strings.Contains(right, "(default") {
		right += " (default " + d + ")"
	}
	lines := wrap(right, helpWidth-helpIndent)
	if len(left) > helpIndent-2 {
		lines = slices.Insert(lines, 0, "")
	}
	return fmt.Sprintf("%-*s", helpIndent, left) + strings.Join(lines, "\n"+strings.Repeat(" ", helpIndent)) + "\n"
}

// wrap breaks text into lines of at most width characters.
func wrap(text string, width int) []string {
	var lines []string
	for _, word := range strings.Fields(text) {
		if n := len(lines); n > 0 && len(lines[n-1])+1+len(word) <= width {
			lines[n-1] += " " + word
		} else {
			lines = append(lines, word)
		}
	}
	return lines
}

// note is an annotation of a flag.
func note(f *pflag.Flag, name string) string {
	if v := f.Annotations[name]; len(v) > 0 {
		return v[0]
	}
	return ""
}

// newHelp is the help command.
func newHelp(root *cobra.Command) *cobra.Command {
	return &cobra.Command{
		Use:   "help [COMMAND|TOPIC]",
		Short: "Say more about a command or a topic",
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			return commandNames(root), cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(_ *cobra.Command, args []string) error {
			cmd, rest, err := root.Find(args)
			if err != nil || len(rest) > 0 {
				return unknownTopic(root, args)
			}
			return cmd.Help()
		},
	}
}

func unknownTopic(root *cobra.Command, args []string) error {
	err := unknownCommand(root, args[len(args)-1])
	return usagef(strings.SplitN(err.Error(), "\n  ", 2)[1], "no help on %q", strings.Join(args, " "))
}

// tidy gives the commands that cobra adds the look of ours, and completes the choices of flags.
func tidy(root *cobra.Command) {
	unsort(root)
	for _, c := range root.Commands() {
		unsort(c)
		if c.Name() == "completion" {
			c.Short = "Write the completion script of a shell"
			c.Args, c.RunE = arguments(0), func(cmd *cobra.Command, _ []string) error { return cmd.Help() }
			for _, shell := range c.Commands() {
				shell.Short = "Completion of " + shell.Name()
			}
		}
		c.Flags().VisitAll(func(f *pflag.Flag) {
			if choices := f.Annotations[choiceNote]; choices != nil {
				c.RegisterFlagCompletionFunc(f.Name, cobra.FixedCompletions(choices, cobra.ShellCompDirectiveDefault))
			}
		})
	}
}

// unsort keeps the flags in the order in which they were added.
func unsort(c *cobra.Command) {
	c.Flags().SortFlags, c.PersistentFlags().SortFlags = false, false
}

// topics are pages of help that are no commands.
func topics() []*cobra.Command {
	var codes strings.Builder
	codes.WriteString("Exit codes:\n\n")
	for _, c := range exitCodes {
		fmt.Fprintf(&codes, "  %-5s%s\n", c.code, c.meaning)
	}
	return []*cobra.Command{
		{Use: "exit-codes", Short: "What the exit codes mean", Long: codes.String()},
		{Use: "environment", Short: "The environment variables", Long: environment()},
	}
}

func environment() string {
	var b strings.Builder
	b.WriteString("Environment variables:\n\n")
	for _, v := range []struct{ name, meaning string }{
		{"ATTNCONV_DATA", "folder of the data sets"},
		{"ATTNCONV_RUNS", "folder of the runs"},
		{"ATTNCONV_KERNELS", "kernels, such as generic (default: the fastest)"},
		{"NO_COLOR", "no colour, and lines instead of a bar"},
		{"CLICOLOR, CLICOLOR_FORCE", "0: no colour; 1: colour without a terminal, too"},
		{"ACCESSIBLE", "1: lines instead of a bar"},
		{"TERM", "dumb: neither colour nor a bar"},
	} {
		fmt.Fprintf(&b, "  %-26s%s\n", v.name, v.meaning)
	}
	b.WriteString("\nEvery setting of a run has a variable, which wins over files and loses to flags:\n\n")
	for _, key := range configs.Keys() {
		fmt.Fprintf(&b, "  %-36s%s\n", configs.Variable(key), key)
	}
	return b.String()
}
