// Package runs is the command runs: list, show, label, compare and remove runs.
package runs

import (
	"github.com/spf13/cobra"

	"github.com/attnconv/attnconv/cmd/internal/listing"
	"github.com/attnconv/attnconv/cmd/internal/refs"
	"github.com/attnconv/attnconv/cmd/internal/term"
	"github.com/attnconv/attnconv/run"
)

// New returns the command.
func New(c *term.Console) *cobra.Command {
	return refs.Family("runs", "List, show, label, compare and remove runs", `attnconv runs examples
attnconv runs ls --sort val_acc
attnconv runs show k3f9
attnconv runs diff k3f9 p8d2
attnconv runs tag k3f9 baseline
attnconv runs rm k3f9 p8d2
attnconv runs gc --dry-run`,
		newExamples(c), newLs(c), newShow(c), newDiff(c), newTag(c), newNote(c), newRename(c), newRm(c), newGc(c))
}

func newDiff(c *term.Console) *cobra.Command {
	return &cobra.Command{
		Use:   "diff RUN RUN...",
		Short: "Show the settings in which runs differ, and their results",
		Long: "Show the settings in which runs differ and, below them, what came of each. A\n" +
			"test accuracy is unknown until its run is done. compare says whether a\n" +
			"difference is more than that of two seeds.",
		Example:           "attnconv runs diff k3f9 p8d2",
		Args:              refs.Between(2, 1<<20, "two runs or more"),
		ValidArgsFunction: refs.CompleteRuns(c, 1<<20),
		RunE: func(_ *cobra.Command, args []string) error {
			found, err := refs.FindRuns(c, args, refs.AnyRun, nil)
			if err != nil {
				return err
			}
			var entries []run.Entry
			for _, f := range found {
				entries = append(entries, f.Entry)
			}
			d, err := listing.Diff(entries)
			if err != nil {
				return err
			}
			return c.Show(d, func(c *term.Console) error {
				lines := [][]string{append([]string{"setting"}, d.Runs...)}
				for _, s := range d.Settings {
					lines = append(lines, append([]string{s.Key}, s.Values...))
				}
				if len(d.Settings) == 0 {
					c.Note("the settings are the same")
					lines[0][0] = "result"
				} else {
					lines = append(lines, append([]string{"result"}, make([]string, len(d.Runs))...))
				}
				for _, m := range d.Results {
					lines = append(lines, append([]string{m.Head}, m.Texts...))
				}
				return c.Table(lines)
			})
		},
	}
}
