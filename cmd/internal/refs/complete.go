package refs

import (
	"bytes"
	_ "embed"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/attnconv/attnconv/cmd/internal/term"
	"github.com/attnconv/attnconv/configs"
	"github.com/attnconv/attnconv/data/sets"
	"github.com/attnconv/attnconv/internal/table"
	"github.com/attnconv/attnconv/run"
)

// CompletePresets completes a preset as the first argument; first and rest say whether files may also be there.
func CompletePresets(first, rest cobra.ShellCompDirective) Completion {
	return func(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
		if len(args) > 0 {
			return nil, rest
		}
		return describedPresets(), first
	}
}

func describedPresets() []string {
	var all []string
	for _, name := range configs.Presets() {
		all = append(all, name+"\t"+configs.PresetPurpose(name))
	}
	return all
}

// A Completion lists for cobra what may complete an argument.
type Completion = func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective)

// Completing returns a completion that reads the folders that global flags name. cobra runs no PreRun before it.
func Completing(c *term.Console, f Completion) Completion {
	return func(cmd *cobra.Command, args []string, word string) ([]string, cobra.ShellCompDirective) {
		if resolveGlobals(c) != nil {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		return f(cmd, args, word)
	}
}

// CompleteRuns completes up to most runs, newest first.
func CompleteRuns(c *term.Console, most int) Completion {
	return Completing(c, func(_ *cobra.Command, args []string, word string) ([]string, cobra.ShellCompDirective) {
		if len(args) >= most {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		return runCompletions(c, word, args), cobra.ShellCompDirectiveKeepOrder
	})
}

// runCompletions lists the runs whose ids begin with word, each with a description, except those in taken.
func runCompletions(c *term.Console, word string, taken []string) []string {
	list, err := run.List(c.Runs)
	if err != nil {
		return nil
	}
	var all []string
	now := time.Now()
	for _, e := range slices.Backward(list) {
		if e.Err != nil || !strings.HasPrefix(e.Status.ID, word) || slices.Contains(taken, e.Status.ID) {
			continue
		}
		all = append(all, e.Status.ID+"\t"+strings.Join([]string{table.When(e.Status.Started, now), e.State,
			strings.TrimSpace(e.Status.Model + " " + e.Status.Encoding),
			e.Status.Data, table.Percent(e.Status.ValAcc)}, "  "))
	}
	return all
}

// completeSettings completes the key of --set, including the =.
func completeSettings(_ *cobra.Command, _ []string, word string) ([]string, cobra.ShellCompDirective) {
	if strings.Contains(word, "=") {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	var all []string
	for _, key := range configs.Keys() {
		all = append(all, key+"=")
	}
	return all, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveNoSpace
}

// completeFlags registers completions of flags whose values depend on the disk.
func completeFlags(c *term.Console, cmd *cobra.Command) {
	for name, f := range map[string]Completion{
		"from": CompleteRuns(c, 1<<20), "set": completeSettings, "where": completeSettings,
		"tag": completeTags(c), "preset": completeFlagPresets, "data": completeData(c),
		"config":   cobra.FixedCompletions([]string{"yaml", "yml"}, cobra.ShellCompDirectiveFilterFileExt),
		"runs":     cobra.FixedCompletions(nil, cobra.ShellCompDirectiveFilterDirs),
		"out":      cobra.FixedCompletions(nil, cobra.ShellCompDirectiveFilterDirs),
		"data-dir": cobra.FixedCompletions(nil, cobra.ShellCompDirectiveFilterDirs),
	} {
		if cmd.Flags().Lookup(name) != nil || cmd.PersistentFlags().Lookup(name) != nil {
			cmd.RegisterFlagCompletionFunc(name, f)
		}
	}
}

func completeTags(c *term.Console) Completion {
	return Completing(c, func(*cobra.Command, []string, string) (tags []string, _ cobra.ShellCompDirective) {
		list, _ := run.List(c.Runs)
		for _, e := range list {
			tags = append(tags, e.Status.Tags...)
		}
		slices.Sort(tags)
		return slices.Compact(tags), cobra.ShellCompDirectiveNoFileComp
	})
}

//go:embed completion.bash
var completionBash string

// bashCompletion writes cobra's script for bash, with functions that make it work without the package bash-completion.
func bashCompletion(c *term.Console, cmd *cobra.Command) error {
	plain, err := cmd.Flags().GetBool("no-descriptions")
	if err != nil {
		return err
	}
	var b bytes.Buffer
	if err := cmd.Root().GenBashCompletionV2(&b, !plain); err != nil {
		return err
	}
	script := regexp.MustCompile(`\b_filedir\b`).ReplaceAllString(b.String(), "__attnconv_filedir")
	return c.WriteText(script + completionBash)
}

func completeFlagPresets(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	return append(describedPresets(), "small\tthe small preset of the requested model or encoding"),
		cobra.ShellCompDirectiveNoFileComp
}

// completeData completes built-in and imported data sets, and folders.
func completeData(c *term.Console) Completion {
	return func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
		all := sets.Kinds.Completions()
		if resolveGlobals(c) == nil { // cobra runs no PreRun before a completion
			list, _ := sets.Stores(c.DataDir) // damaged sets are not offered
			for _, s := range list {
				if !sets.Kinds.Has(s.Name) {
					all = append(all, s.Name+"\t"+s.Layout)
				}
			}
		}
		return all, cobra.ShellCompDirectiveDefault
	}
}

// installs maps a shell to the line that switches its completion on.
var installs = map[string]string{
	"bash":       "source <(attnconv completion bash)",
	"zsh":        "source <(attnconv completion zsh)",
	"fish":       "attnconv completion fish | source",
	"powershell": "attnconv completion powershell | Out-String | Invoke-Expression",
}

func finishCompletion(c *term.Console, cmd *cobra.Command) {
	cmd.Use, cmd.DisableFlagsInUseLine = "completion SHELL", true
	cmd.Short = "Write the completion script of a shell"
	cmd.Long = "Write the completion script of a shell. It completes commands, flags, and the\n" +
		"names of runs, presets, settings and data sets."
	cmd.Args, cmd.RunE = KnownCommand, func(cmd *cobra.Command, _ []string) error { return cmd.Help() }
	for _, shell := range cmd.Commands() {
		shell.Short = "Completion of " + shell.Name()
		shell.Long = shell.Short + ". For this session:\n\n  " + installs[shell.Name()] +
			"\n\nFor all sessions, put that line into the file that the shell reads at its start."
		if shell.Name() == "bash" {
			shell.RunE = func(cmd *cobra.Command, _ []string) error { return bashCompletion(c, cmd) }
		}
		term.FlagsIn(shell.Flags(), "Output").Describe("no-descriptions", "", nil)
	}
}
