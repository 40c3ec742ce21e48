package cmd

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/attnconv/attnconv/sweep"
)

// newSweep are the commands on sweeps: many runs under one plan.
func newSweep(c *console, body func(context.Context, *console, trainOptions) error) *cobra.Command {
	const examples = `attnconv sweep plan --preset tiny --lr 0.001,0.003 --seeds 0..2
attnconv sweep run --jobs 2
attnconv sweep collect`
	cmd := family("sweep", "Many runs: grids over settings and seeds", examples,
		newSweepPlan(c), newSweepRun(c, body), newSweepCollect(c))
	cmd.Long = "Many runs under one plan: grids over any setting, and seeds. A sweep is a\n" +
		"folder: plan writes it, run works on it, collect sums it up. Runs may be killed\n" +
		"at any moment; run goes on where they were. Several processes, on several\n" +
		"machines that share the folder, may work on one sweep."
	return cmd
}

// sweepsFolder is where sweeps go unless a folder is named.
const sweepsFolder = "sweeps"

// openSweep opens the sweep in the folder that was named, or else the newest.
func (c *console) openSweep(args []string) (*sweep.Plan, error) {
	if len(args) == 1 {
		return sweep.Open(args[0])
	}
	p, err := sweep.Newest(sweepsFolder)
	if err == nil {
		c.note("taking the newest sweep, %s", p.Path)
	}
	return p, err
}
