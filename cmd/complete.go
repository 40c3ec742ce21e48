package cmd

import (
	"github.com/spf13/cobra"

	"github.com/attnconv/attnconv/configs"
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
