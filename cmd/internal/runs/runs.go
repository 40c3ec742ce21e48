// Package runs is the command runs: list, show, label, compare and remove runs.
package runs

import (
	"strings"

	"github.com/spf13/cobra"

	"github.com/attnconv/attnconv/cmd/internal/cli"
	"github.com/attnconv/attnconv/configs"
	"github.com/attnconv/attnconv/study"
)

// New returns the command.
func New(c *cli.Console) *cobra.Command {
	return cli.Family("runs", "List, show, label, compare and remove runs", `attnconv runs ls --sort val_acc
attnconv runs show k3f9
attnconv runs diff k3f9 p8d2
attnconv runs tag k3f9 baseline
attnconv runs rm k3f9 p8d2
attnconv runs gc --dry-run`,
		newLs(c), newShow(c), newDiff(c), newTag(c), newNote(c), newRm(c), newGc(c))
}

// differences formats the settings that differ from the preset: "lr 0.05, dim 96".
func differences(l study.Listed) string {
	var words []string
	for _, v := range l.Differing {
		words = append(words, configs.ShortKey(v.Key)+" "+v.Text)
	}
	return strings.Join(words, ", ")
}
