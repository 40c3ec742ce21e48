// Package sweep is the command sweep: many runs under one plan.
package sweep

import (
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"

	"github.com/attnconv/attnconv/cmd/internal/refs"
	"github.com/attnconv/attnconv/cmd/internal/term"
	"github.com/attnconv/attnconv/internal/sweep"
)

// New returns the command.
func New(c *term.Console) *cobra.Command {
	const examples = `attnconv sweep plan --preset tiny --lr 0.001,0.003 --seeds 0..2
attnconv sweep plan --lr log:0.0003..0.03 --random 27 --halving 3
attnconv sweep run --jobs 2
attnconv sweep collect`
	cmd := refs.Family("sweep", "Many runs: grids and random search over settings, and seeds", examples, newPlan(c),
		newRun(c), newSubmit(c), newStatus(c), newRetry(c), newCollect(c))
	cmd.Long = "Many runs under one plan: grids or random search over any setting, and seeds. A\n" +
		"sweep is a folder: plan writes it, run trains its runs, collect summarizes them.\n" +
		"Runs may be killed at any moment; run resumes them. Several processes, on\n" +
		"machines that share the folder, may work on one sweep. On a cluster, submit\n" +
		"gives the runs to its engine, status says how far they are, retry submits those\n" +
		"that failed."
	return cmd
}

// folder is the default folder of sweeps.
const folder = "sweeps"

// open opens the named sweep, or else the latest.
func open(c *term.Console, args []string) (*sweep.Plan, error) {
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

func newCollect(c *term.Console) *cobra.Command {
	var out, format string
	var force bool
	cmd := &cobra.Command{
		Use:   "collect [SWEEP] [flags]",
		Short: "Summarize a sweep: mean and deviation over seeds, best first",
		Long: "Summarize a sweep, by default the latest: a line for each combination of\n" +
			"settings, with mean and standard deviation over seeds, the best validation\n" +
			"accuracy first. Once all runs are finished, the test accuracy is shown for the\n" +
			"best combination of each model only. -o writes a line for each run as CSV.",
		Example:           "attnconv sweep collect\nattnconv sweep collect sweeps/mine -o mine.csv",
		Args:              refs.Arguments(1),
		ValidArgsFunction: complete,
		RunE: func(_ *cobra.Command, args []string) error {
			p, err := open(c, args)
			if err != nil {
				return err
			}
			s, err := sweep.Collect(p)
			if err != nil {
				return err
			}
			if out != "" {
				text, err := s.CSV()
				if err != nil {
					return err
				}
				if err := c.WriteNew(out, text, force); err != nil || out == "-" {
					return err
				}
			}
			return showCollection(c, s, format, out)
		},
	}
	f := term.FlagsIn(cmd.Flags(), "Output")
	f.Output(&out, "", "write one line for each run, as CSV; - is standard output")
	f.Format(&format, "of the table on standard output")
	f.Boolean(&force, "force", "", "overwrite FILE")
	return cmd
}

// showCollection prints a collection; wrote is the CSV file of its runs, or "".
func showCollection(c *term.Console, s *sweep.Collection, format, wrote string) error {
	if c.JSON {
		return c.Result(*s)
	}
	if err := c.WriteText(c.Formatted(s.Table(), format)); err != nil {
		return err
	}
	switch n := s.Unshown(); {
	case s.OnTest:
		c.Note("nothing is chosen: with protocol paper, the validation accuracy is that of the test set")
	case n > 0:
		c.Note("test acc  only of the best of each model by validation, once all runs are done")
	}
	if left := s.Left(); left > 0 {
		c.Note("%d of %d runs are not finished: %s", left, len(s.Plan.Trials), term.Command("sweep", "run",
			s.Plan.Path))
	}
	if wrote != "" {
		c.Wrote(wrote)
	}
	return nil
}
