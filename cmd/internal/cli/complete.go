package cli

import (
	"bytes"
	_ "embed"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/attnconv/attnconv/configs"
	"github.com/attnconv/attnconv/data/sets"
	"github.com/attnconv/attnconv/internal/table"
	"github.com/attnconv/attnconv/run"
)

// CompletePresets completes a preset as the first argument, and files after it.
func CompletePresets(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveDefault
	}
	return describedPresets(), cobra.ShellCompDirectiveNoFileComp
}

// CompletePresetsAndFiles completes a preset or a file as the only argument.
func CompletePresetsAndFiles(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	return describedPresets(), cobra.ShellCompDirectiveDefault
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
func (c *Console) Completing(f Completion) Completion {
	return func(cmd *cobra.Command, args []string, word string) ([]string, cobra.ShellCompDirective) {
		if c.ResolveGlobals() != nil {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		return f(cmd, args, word)
	}
}

// CompleteRuns completes up to most runs, newest first.
func (c *Console) CompleteRuns(most int) Completion {
	return c.Completing(func(_ *cobra.Command, args []string, word string) ([]string, cobra.ShellCompDirective) {
		if len(args) >= most {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		return c.RunCompletions(word, args), cobra.ShellCompDirectiveKeepOrder
	})
}

// RunCompletions lists the runs whose ids begin with word, each with a description, except those in taken.
func (c *Console) RunCompletions(word string, taken []string) []string {
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

// CompleteResume completes the run after train --resume.
func (c *Console) CompleteResume(cmd *cobra.Command, args []string, word string) ([]string, cobra.ShellCompDirective) {
	if !cmd.Flags().Changed("resume") {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	return c.CompleteRuns(1)(cmd, args, word)
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
func (c *Console) completeFlags(cmd *cobra.Command) {
	for name, f := range map[string]Completion{
		"from": c.CompleteRuns(1 << 20), "set": completeSettings, "where": completeSettings,
		"tag":    c.Completing(c.completeTags),
		"preset": completeFlagPresets, "data": c.completeData,
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

func (c *Console) completeTags(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	list, _ := run.List(c.Runs)
	var all []string
	for _, e := range list {
		all = append(all, e.Status.Tags...)
	}
	slices.Sort(all)
	return slices.Compact(all), cobra.ShellCompDirectiveNoFileComp
}

//go:embed completion.bash
var completionBash string

// bashCompletion writes cobra's script for bash, with functions that make it work without the package bash-completion.
func (c *Console) bashCompletion(cmd *cobra.Command, _ []string) error {
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
func (c *Console) completeData(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	all := sets.Kinds.Completions()
	if c.ResolveGlobals() == nil { // cobra runs no PreRun before a completion
		list, _ := sets.Stores(c.DataDir) // damaged sets are not offered
		for _, s := range list {
			if !sets.Kinds.Has(s.Name) {
				all = append(all, s.Name+"\t"+s.Layout)
			}
		}
	}
	return all, cobra.ShellCompDirectiveDefault
}

// CompleteImages completes a run as the first argument, and files.
func (c *Console) CompleteImages() Completion {
	return func(_ *cobra.Command, args []string, word string) ([]string, cobra.ShellCompDirective) {
		if len(args) > 0 || c.ResolveGlobals() != nil {
			return nil, cobra.ShellCompDirectiveDefault
		}
		return c.RunCompletions(word, args), cobra.ShellCompDirectiveDefault
	}
}

// ImageFormats is what an image may be, whatever its file is called.
const ImageFormats = sets.ImageFormats

// SplitImages splits off the reference to a checkpoint or run, if the first argument is not an image.
func SplitImages(args []string) (ref string, images []string) {
	if len(args) == 0 || args[0] == "-" || slices.Contains(sets.ImageFiles, strings.ToLower(filepath.Ext(args[0]))) {
		return "", args
	}
	return args[0], args[1:]
}
