package runs

import (
	"context"
	"errors"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/attnconv/attnconv/cmd/internal/refs"
	"github.com/attnconv/attnconv/cmd/internal/term"
	"github.com/attnconv/attnconv/run"
)

func newRm(c *term.Console) *cobra.Command {
	var chosen refs.Selection
	cmd := &cobra.Command{
		Use:   "rm [RUN...] [flags]",
		Short: "Remove runs with all their files",
		Long: "Remove runs with all files that they wrote. RUN is a path, a whole name or an\n" +
			"id, and no pattern or word such as latest; --where, --tag and --state choose\n" +
			"runs instead. A run in training is refused, or left out if it was chosen by a\n" +
			"flag. Other files in its folder stay.",
		Example: "attnconv runs rm k3f9 p8d2\nattnconv runs rm k3f9 -y\n" +
			"attnconv runs rm --state failed --where data.name=shapes32",
		ValidArgsFunction: refs.CompleteRuns(c, 1<<20),
		RunE: func(cmd *cobra.Command, args []string) error {
			if chosen.Given() {
				if err := refs.Arguments(0)(cmd, args); err != nil {
					return err
				}
				paths, err := chosen.SelectIdle(c)
				if err != nil {
					return err
				}
				return removeRuns(cmd.Context(), c, paths)
			}
			if err := refs.Between(1, 1<<20, "a run")(cmd, args); err != nil {
				return err
			}
			paths, err := runsToRemove(c, args)
			if err != nil {
				return err
			}
			return removeRuns(cmd.Context(), c, paths)
		},
	}
	chosen.Flags(term.FlagsIn(cmd.Flags(), "Runs"), "the runs")
	return cmd
}

// removeRuns removes the runs in the folders paths, once the user has agreed.
func removeRuns(ctx context.Context, c *term.Console, paths []string) error {
	list := []term.RemovedFile{}
	for _, path := range paths {
		list = append(list, term.RemovedFile{Path: path, Bytes: run.Size(path)})
	}
	return c.Discard(ctx, list, false, func(i int) error {
		err := run.Remove(paths[i], c.Runs)
		if err == nil && term.Exists(paths[i]) {
			c.Note("%s: files that are not the run's stay", paths[i])
		}
		return err
	})
}

// runsToRemove lists runs by path, name or id only. A word like quadratic could mean all such runs, and a pattern or
// the beginning of a name more runs than the user has in mind.
func runsToRemove(c *term.Console, names []string) (paths []string, err error) {
	for _, ref := range names {
		if filepath.Ext(ref) == ".ckpt" {
			return nil, term.Usagef("to remove a single checkpoint, delete the file", "%s: want a run, not a checkpoint",
				ref)
		}
	}
	l := refs.AnyRun.Lookup(c.Runs)
	l.Exact = true
	found, err := refs.FindBy(c, l, refs.AnyRun, names)
	if none := (*run.NotFoundError)(nil); errors.As(err, &none) &&
		(refs.TrainFlag(none.Ref) != "" || strings.ContainsAny(none.Ref, "*?[")) {
		return nil, term.Usagef("to list them: "+term.Program()+" runs ls", "%s: want runs by path, name or id", none.Ref)
	}
	if err != nil {
		return nil, err
	}
	for _, f := range found {
		paths = append(paths, f.Path)
	}
	return paths, nil
}

func newGc(c *term.Console) *cobra.Command {
	var snapshots, dry bool
	cmd := &cobra.Command{
		Use:   "gc [flags]",
		Short: "Remove files that runs no longer need",
		Long: "Remove files that runs no longer need: temporary files of killed processes,\n" +
			"files that a resume superseded, and runs that ended before their first\n" +
			"checkpoint. Runs that were active within the last hour are skipped.",
		Example: "attnconv runs gc --dry-run\nattnconv runs gc --snapshots -y",
		Args:    refs.Arguments(0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			spares, err := run.Spares(c.Runs, snapshots)
			if err != nil {
				return err
			}
			list := []term.RemovedFile{}
			for _, s := range spares {
				list = append(list, term.RemovedFile{Path: s.Path, Why: s.Why, Bytes: s.Size})
			}
			return c.Discard(cmd.Context(), list, dry, func(i int) error { return spares[i].Discard(c.Runs) })
		},
	}
	f := term.FlagsIn(cmd.Flags(), "Output")
	f.Boolean(&snapshots, "snapshots", "", "also remove snapshots of single epochs")
	f.Boolean(&dry, "dry-run", "", "only list what would be removed")
	return cmd
}
