package cmd

import (
	"bytes"
	_ "embed"
	"fmt"
	"io"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/attnconv/attnconv/configs"
	"github.com/attnconv/attnconv/data"
	"github.com/attnconv/attnconv/run"
)

// The functions here tell the shell what may follow on the command line.

// completePresets offers the presets as the first argument, and files behind it.
func completePresets(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveDefault
	}
	return describedPresets(), cobra.ShellCompDirectiveNoFileComp
}

// completePresetsAndFiles offers both at once.
func completePresetsAndFiles(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
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

// A completion is a function that cobra asks for what may follow.
type completion = func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective)

// completeRuns offers the runs, newest first, for so many arguments.
func (c *console) completeRuns(most int) completion {
	return func(_ *cobra.Command, args []string, word string) ([]string, cobra.ShellCompDirective) {
		if len(args) >= most || c.resolveGlobals() != nil { // nothing runs before a completion
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		return c.describedRuns(word, args), cobra.ShellCompDirectiveKeepOrder
	}
}

// describedRuns lists the ids of the runs that begin with word, but those in taken, with what they are.
func (c *console) describedRuns(word string, taken []string) []string {
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
		r := runRow{Model: e.Status.Model, Encoding: e.Status.Encoding}
		all = append(all, e.Status.ID+"\t"+strings.Join([]string{when(e.Status.Started, now), e.State, r.network(),
			e.Status.Data, percent(finite(e.Status.ValAcc))}, "  "))
	}
	return all
}

// completeResume offers runs behind train --resume, and nothing elsewhere.
func (c *console) completeResume(cmd *cobra.Command, args []string, word string) ([]string, cobra.ShellCompDirective) {
	if !cmd.Flags().Changed("resume") {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	return c.completeRuns(1)(cmd, args, word)
}

// completeSettings offers the keys of --set, with their = so that the value can follow.
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

// completeFlags says what may follow the flags whose values are names that only the disk knows.
func (c *console) completeFlags(cmd *cobra.Command) {
	for name, f := range map[string]completion{
		"from": c.completeRuns(1 << 20), "set": completeSettings, "where": completeSettings, "tag": c.completeTags, "preset": completeFlagPresets, "data": c.completeData,
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

// completeTags offers the tags that runs have.
func (c *console) completeTags(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	if c.resolveGlobals() != nil { // nothing runs before a completion
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	list, _ := run.List(c.Runs)
	var all []string
	for _, e := range list {
		all = append(all, e.Status.Tags...)
	}
	slices.Sort(all)
	return slices.Compact(all), cobra.ShellCompDirectiveNoFileComp
}

// completeLayers offers the numbers of the layers of the run that is to be drawn, behind what a list has of them.
func (c *console) completeLayers(_ *cobra.Command, args []string, word string) ([]string, cobra.ShellCompDirective) {
	if c.resolveGlobals() != nil { // nothing runs before a completion
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	ref, _ := splitImages(args)
	found, err := c.lookup(headsNeed).Find(ref)
	if err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	config, err := entryConfig(found.Entry)
	if err != nil || !config.Model.Uses("layers") {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	before := word[:strings.LastIndexAny(word, ",-")+1]
	var all []string
	for layer := range config.Model.Layers {
		all = append(all, fmt.Sprintf("%s%d", before, layer+1))
	}
	return all, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveNoSpace | cobra.ShellCompDirectiveKeepOrder
}

//go:embed completion.bash
var completionBash string

// bashCompletion writes cobra's script for bash, which wants the package bash-completion, with what does without it.
func (c *console) bashCompletion(cmd *cobra.Command, _ []string) error {
	plain, err := cmd.Flags().GetBool("no-descriptions")
	if err != nil {
		return err
	}
	var b bytes.Buffer
	if err := cmd.Root().GenBashCompletionV2(&b, !plain); err != nil {
		return err
	}
	script := regexp.MustCompile(`\b_filedir\b`).ReplaceAllString(b.String(), "__attnconv_filedir")
	_, err = io.WriteString(c.Out, script+completionBash)
	return err
}

// completeFlagPresets offers what --preset takes.
func completeFlagPresets(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	return append(describedPresets(), "small\tthe small preset of the model or encoding asked for"),
		cobra.ShellCompDirectiveNoFileComp
}

// completeData offers the data sets, those that were imported, too, and folders.
func (c *console) completeData(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	var all []string
	for _, k := range data.Kinds {
		all = append(all, k.Name+"\t"+k.Help)
	}
	if c.resolveGlobals() == nil { // nothing runs before a completion
		list, _ := data.List(c.DataDir) // what is damaged is not offered
		for _, s := range list {
			if !slices.Contains(data.KindNames(), s.Name) {
				all = append(all, s.Name+"\t"+s.Form)
			}
		}
	}
	return all, cobra.ShellCompDirectiveDefault
}

// completeSweeps offers the folders of sweeps, the newest first, and other folders.
func completeSweeps(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	list, err := filepath.Glob(filepath.Join(sweepsFolder, "*", "sweep.json"))
	if len(args) > 0 || err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	slices.Reverse(list)
	for i, file := range list {
		list[i] = filepath.Dir(file)
	}
	return list, cobra.ShellCompDirectiveKeepOrder | cobra.ShellCompDirectiveDefault
}
