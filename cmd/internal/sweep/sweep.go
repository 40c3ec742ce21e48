// Package sweep is the command sweep: many runs under one plan.
package sweep

import (
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"

	"github.com/attnconv/attnconv/cmd/internal/cli"
	"github.com/attnconv/attnconv/sweep"
)

// New returns the command.
func New(c *cli.Console) *cobra.Command {
	const examples = `attnconv sweep plan --preset tiny --lr 0.001,0.003 --seeds 0..2
attnconv sweep run --jobs 2
attnconv sweep collect`
	cmd := cli.Family("sweep", "Many runs: grids over settings and seeds", examples, newPlan(c), newRun(c), newSubmit(c), newStatus(c), newRetry(c), newCollect(c))
	cmd.Long = "Many runs under one plan: grids over any setting, and seeds. A sweep is a\n" +
		"folder: plan writes it, run trains its runs, collect summarises them. Runs may\n" +
		"be killed at any moment; run resumes them. Several processes, on machines that\n" +
		"share the folder, may work on one sweep. On a cluster, submit gives the runs to\n" +
		"its engine, status says how far they are, retry submits those that failed."
	return cmd
}

// folder is the default folder of sweeps.
const folder = "sweeps"

// open opens the named sweep, or else the latest.
func open(c *cli.Console, args []string) (*sweep.Plan, error) {
	if len(args) == 1 {
		return sweep.Open(args[0])
	}
	p, err := sweep.Newest(folder)
	if err == nil {
		c.Note("taking the latest sweep, %s", p.Path)
	}
	return p, err
}

// complete completes folders of sweeps, latest first, and other folders.
func complete(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	list, err := filepath.Glob(filepath.Join(folder, "*", "sweep.json"))
	if len(args) > 0 || err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	slices.Reverse(list)
	for i, file := range list {
		list[i] = filepath.Dir(file)
	}
	return list, cobra.ShellCompDirectiveKeepOrder | cobra.ShellCompDirectiveDefault
}
