package cli

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/attnconv/attnconv/data"
)

// CompleteImages completes a run as the first argument, and files.
func (c *Console) CompleteImages() Completion {
	return func(_ *cobra.Command, args []string, word string) ([]string, cobra.ShellCompDirective) {
		if len(args) > 0 || c.ResolveGlobals() != nil {
			return nil, cobra.ShellCompDirectiveDefault
		}
		return c.RunCompletions(word, args), cobra.ShellCompDirectiveDefault
	}
}

// SplitImages splits off the reference to a checkpoint or run, if the first argument is not an image.
func SplitImages(args []string) (ref string, images []string) {
	if len(args) == 0 || args[0] == "-" || slices.Contains(data.ImageFiles, strings.ToLower(filepath.Ext(args[0]))) {
		return "", args
	}
	return args[0], args[1:]
}
