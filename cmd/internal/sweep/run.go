package sweep

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/attnconv/attnconv/cmd/internal/refs"
	"github.com/attnconv/attnconv/cmd/internal/term"
	"github.com/attnconv/attnconv/internal/sweep"
)

func newRun(c *term.Console) *cobra.Command {
	var jobs, ranks int
	var o taskOptions
	cmd := &cobra.Command{
		Use:   "run [SWEEP] [flags]",
		Short: "Train the unfinished runs of a sweep",
		Long: "Train the unfinished runs of a sweep, by default the latest; runs that were\n" +
			"stopped or killed are resumed. --task trains one run only, counted from 0, as a\n" +
			"task of an array job. If that run is finished, the exit code is 0. Before the\n" +
			"engine's limit (SLURM_JOB_END_TIME) or the --time-budget, a task saves and ends\n" +
			"with exit code 75; run again, it resumes. --ranks trains each run by mpirun.",
		Example: `attnconv sweep run
attnconv sweep run sweeps/mine --jobs 2
attnconv sweep run sweeps/mine --task 7
sbatch --array=0-11 --wrap 'attnconv sweep run sweeps/mine --task env'`,
		Args:              refs.Arguments(1),
		ValidArgsFunction: complete,
		RunE: func(cmd *cobra.Command, args []string) error {
			if o.task != "" && jobs > 0 {
				return term.Usagef("a task is one run", "--task and --jobs do not go together")
			}
			if o.task == "" && (o.trials != "" || o.pack > 0 || o.budget > 0) {
				return term.Usagef("with another number: --task N", "--trials, --pack and --time-budget need --task")
			}
			p, err := open(c, args)
			if err != nil {
				return err
			}
			children, err := newChildren(c, p, max(1, jobs), ranks)
			if err != nil {
				return err
			}
			term.Saving(cmd.Context())
			if o.task == "" {
				return trainAll(cmd.Context(), c, children, max(1, jobs))
			}
			t, err := o.of(c, p)
			if err != nil {
				return err
			}
			if ranks > 0 {
				t.children = children
			}
			return t.run(cmd.Context())
		},
	}
	f := term.FlagsIn(cmd.Flags(), "Training")
	refs.DeviceFlag(c, f)
	f.Number(&jobs, "jobs", "N", "runs at a time, which share the cores (default 1)", 1)
	f.Number(&ranks, "ranks", "N", "MPI ranks of each run, by mpirun, each with --threads cores", 1)
	f.Text(&o.task, "task", "", "N|env", "one run only: its number, or env for that of an engine's array variable", nil)
	f.Text(&o.trials, "trials", "", "RANGES",
		"with --task: the runs that the tasks share out, such as 0-3,7 (default: all)", nil)
	f.Number(&o.pack, "pack", "N", "with --task: runs of a task, one after the other (default 1)", 1)
	f.Period(&o.budget, "time-budget", "with --task: save and end after this time or SIGUSR1, with exit code 75")
	return cmd
}

// taskOptions holds the flags of a task.
type taskOptions struct {
	task, trials string
	pack         int
	budget       time.Duration
}

// of returns the task that the flags and the environment name.
func (o taskOptions) of(c *term.Console, p *sweep.Plan) (t taskRun, err error) {
	t = taskRun{c: c, p: p, packed: o.trials != "" || o.pack > 0, budget: o.budget}
	all := sweep.FormatTrials(p.All())
	if o.trials != "" {
		all = o.trials
	}
	trials, err := sweep.ParseTrials(all, len(p.Trials))
	if err != nil {
		return t, term.Usagef("", "--trials %s", err)
	}
	pack := max(1, o.pack)
	if t.number, err = taskNumber(c, o.task, sweep.Tasks(trials, pack)); err != nil {
		return t, err
	}
	t.trials = sweep.PackOf(trials, pack, t.number)
	return t, nil
}

// taskNumber parses --task.
func taskNumber(c *term.Console, text string, count int) (int, error) {
	from := "--task " + text
	i, err := strconv.Atoi(text)
	if text == "env" {
		var variable string
		i, variable, err = sweep.Task(c.Getenv)
		if variable == "" {
			var names []string
			for _, v := range sweep.Variables {
				names = append(names, v.Name)
			}
			return 0, term.Usagef("looked for "+strings.Join(names, ", ")+"\n  with another engine: --task $VARIABLE",
				"--task env: no variable has the number of this task")
		}
		if err != nil {
			return 0, term.Usagef("", "%s", err)
		}
		from = fmt.Sprintf("%s (task %d)", variable, i)
	}
	if err != nil || i < 0 || i >= count {
		return 0, term.Usagef("", "%s: want a number from 0 to %d", from, count-1)
	}
	return i, nil
}
