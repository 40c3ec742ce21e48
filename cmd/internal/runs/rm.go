package runs

import (
	"context"
	"errors"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/attnconv/attnconv/cmd/internal/cli"
	"github.com/attnconv/attnconv/run"
)

func newRm(c *cli.Console) *cobra.Command {
	var chosen cli.Selection
	cmd := &cobra.Command{
		Use:   "rm [RUN...] [flags]",
		Short: "Remove runs with all their files",
		Long: "Remove runs with all files that they wrote. RUN is a path, a whole name or an\n" +
			"id, and no pattern or word such as latest; --where, --tag and --state choose\n" +
			"runs instead. A run in training is refused, or left out if it was chosen by a\n" +
			"flag. Other files in its folder stay.",
		Example: "attnconv runs rm k3f9 p8d2\nattnconv runs rm k3f9 -y\n" +
			"attnconv runs rm --state failed --where data.name=shapes32",
		ValidArgsFunction: cli.CompleteRuns(c, 1<<20),
		RunE: func(cmd *cobra.Command, args []string) error {
			if chosen.Given() {
				if err := cli.Arguments(0)(cmd, args); err != nil {
					return err
				}
				paths, err := chosen.SelectIdle(c)
				if err != nil {
					return err
				}
				return removeRuns(cmd.Context(), c, paths)
			}
			if err := cli.Between(1, 1<<20, "a run")(cmd, args); err != nil {
				return err
			}
			paths, err := runsToRemove(c, args)
			if err != nil {
				return err
			}
			return removeRuns(cmd.Context(), c, paths)
		},
	}
	chosen.Flags(cli.FlagsIn(cmd.Flags(), "Runs"), "the runs")
	return cmd
}

// removeRuns removes the runs in the folders paths, once the user has agreed.
func removeRuns(ctx context.Context, c *cli.Console, paths []string) error {
	list := []cli.RemovedFile{}
	for _, path := range paths {
		list = append(list, cli.RemovedFile{Path: path, Bytes: run.Size(path)})
	}
	return c.Discard(ctx, list, false, func(i int) error {
		err := run.Remove(paths[i], c.Runs)
		if err == nil && cli.Exists(paths[i]) {
			c.Note("%s: files that are not the run's stay", paths[i])
		}
		return err
	})
}

// runsToRemove lists runs by path, name or id only. A word like quadratic could mean all such runs, and a pattern or
// the beginning of a name more runs than the user has in mind.
func runsToRemove(c *cli.Console, refs []string) (paths []string, err error) {
	for _, ref := range refs {
		if filepath.Ext(ref) == ".ckpt" {
			return nil, cli.Usagef("to remove a single checkpoint, delete the file", "%s: want a run, not a checkpoint",
				ref)
		}
	}
	l := cli.AnyRun.Lookup(c.Runs)
	l.Exact = true
	found, err := cli.FindBy(c, l, cli.AnyRun, refs)
	if none := (*run.NotFoundError)(nil); errors.As(err, &none) &&
		(cli.TrainFlag(none.Ref) != "" || strings.ContainsAny(none.Ref, "*?[")) {
		return nil, cli.Usagef("to list them: "+cli.Program()+" runs ls", "%s: want runs by path, name or id", none.Ref)
	}
	if err != nil {
		return nil, err
	}
	for _, f := range found {
		paths = append(paths, f.Path)
	}
	return paths, nil
}

func newGc(c *cli.Console) *cobra.Command {
	var snapshots, dry bool
	cmd := &cobra.Command{
		Use:   "gc [flags]",
		Short: "Remove files that runs no longer need",
		Long: "Remove files that runs no longer need: temporary files of killed processes,\n" +
			"files that a resume superseded, and runs that ended before their first\n" +
			"checkpoint. Runs that were active within the last hour are skipped.",
		Example: "attnconv runs gc --dry-run\nattnconv runs gc --snapshots -y",
		Args:    cli.Arguments(0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			spares, err := run.Spares(c.Runs, snapshots)
			if err != nil {
				return err
			}
			list := []cli.RemovedFile{}
			for _, s := range spares {
				list = append(list, cli.RemovedFile{Path: s.Path, Why: s.Why, Bytes: s.Size})
			}
			return c.Discard(cmd.Context(), list, dry, func(i int) error { return spares[i].Discard(c.Runs) })
		},
	}
	f := cli.FlagsIn(cmd.Flags(), "Output")
	f.Boolean(&snapshots, "snapshots", "", "also remove snapshots of single epochs")
	f.Boolean(&dry, "dry-run", "", "only list what would be removed")
	return cmd
}
