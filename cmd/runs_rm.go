package cmd

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/attnconv/attnconv/cmd/internal/cli"
	"github.com/attnconv/attnconv/run"
)

// A discard is a file or folder to remove.
type discard struct {
	Path  string `json:"path"`
	Why   string `json:"why,omitempty"`
	Bytes int64  `json:"bytes"`
}

// removal is the output of runs rm and gc with --json.
type removal struct {
	V       int       `json:"v"`
	Removed []discard `json:"removed"` // on a dry run, to be removed
	Bytes   int64     `json:"bytes"`
}

func newRunsRm(c *cli.Console) *cobra.Command {
	return &cobra.Command{
		Use:   "rm RUN...",
		Short: "Remove runs with all their files",
		Long: "Remove runs with all files that they wrote. A run in training is refused. Other\n" +
			"files in its folder stay.",
		Example:           "attnconv runs rm k3f9 p8d2\nattnconv runs rm k3f9 -y",
		Args:              cli.Between(1, 1<<20, "a run"),
		ValidArgsFunction: c.CompleteRuns(1 << 20),
		RunE: func(cmd *cobra.Command, args []string) error {
			list, err := runsToRemove(c, args)
			if err != nil {
				return err
			}
			return discardAll(c, cmd.Context(), list, false, func(i int) error {
				err := run.Remove(list[i].Path, c.Runs)
				if err == nil && cli.Exists(list[i].Path) {
					c.Note("%s: files that are not the run's stay", list[i].Path)
				}
				return err
			})
		},
	}
}

// runsToRemove lists runs by name only: words are ambiguous, since quadratic could mean all such runs.
func runsToRemove(c *cli.Console, refs []string) (list []discard, err error) {
	for _, ref := range refs {
		if filepath.Ext(ref) == ".ckpt" {
			return nil, cli.Usagef("to remove a single checkpoint, delete the file", "%s: want a run, not a checkpoint", ref)
		}
	}
	l := c.Lookup(cli.AnyRun)
	l.Word = nil
	found, err := c.FindBy(l, cli.AnyRun, refs)
	if none := (*run.NotFound)(nil); errors.As(err, &none) && cli.TrainFlag(none.Ref) != "" {
		return nil, cli.Usagef("to list them: "+cli.Program()+" runs ls", "%s: want runs by name or id", none.Ref)
	}
	if err != nil {
		return nil, err
	}
	for _, f := range found {
		list = append(list, discard{Path: f.Path, Bytes: run.Size(f.Path)})
	}
	return list, nil
}

func newRunsGc(c *cli.Console) *cobra.Command {
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
			list := []discard{}
			for _, s := range spares {
				list = append(list, discard{s.Path, s.Why, s.Size})
			}
			return discardAll(c, cmd.Context(), list, dry, func(i int) error { return spares[i].Discard(c.Runs) })
		},
	}
	f := cli.FlagsIn(cmd.Flags(), "Output")
	f.Boolean(&snapshots, "snapshots", "", "also remove snapshots of single epochs")
	f.Boolean(&dry, "dry-run", "", "only list what would be removed")
	return cmd
}

// discard lists what is to be removed, asks for confirmation, and removes it.
func discardAll(c *cli.Console, ctx context.Context, list []discard, dry bool, remove func(i int) error) error {
	r := removal{V: 1, Removed: list}
	lines := [][]string{}
	for _, x := range list {
		r.Bytes += x.Bytes
		lines = append(lines, []string{cli.Size(x.Bytes), x.Path, x.Why})
	}
	if !c.JSON && len(list) > 0 {
		if err := c.Table(lines); err != nil {
			return err
		}
	}
	switch {
	case len(list) == 0 && !c.JSON:
		c.Note("nothing to remove")
		return nil
	case len(list) > 0 && !dry:
		question := fmt.Sprintf("remove %s (%s)?", counted(len(list)), cli.Size(r.Bytes))
		if err := c.Confirm(ctx, question, "nothing was removed", ""); err != nil {
			return err
		}
		for i := range list {
			if err := remove(i); err != nil {
				return err
			}
		}
		c.Note("removed %s", cli.Size(r.Bytes))
	}
	if c.JSON {
		return c.Result(r)
	}
	return nil
}

func counted(n int) string {
	if n == 1 {
		return "it"
	}
	return fmt.Sprintf("these %d", n)
}
