// Package runs is the command runs: list, show, label, compare and remove runs.
package runs

import (
	"github.com/spf13/cobra"

	"github.com/attnconv/attnconv/cmd/internal/cli"
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
