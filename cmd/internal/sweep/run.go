package sweep

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/attnconv/attnconv/cmd/internal/cli"
	"github.com/attnconv/attnconv/cmd/internal/train"
	"github.com/attnconv/attnconv/configs"
	"github.com/attnconv/attnconv/internal/table"
	"github.com/attnconv/attnconv/report"
	"github.com/attnconv/attnconv/run"
	"github.com/attnconv/attnconv/sweep"
)

func newRun(c *cli.Console) *cobra.Command {
	var jobs int
	var task string
	cmd := &cobra.Command{
		Use:   "run [SWEEP] [flags]",
		Short: "Train the unfinished runs of a sweep",
		Long: "Train the unfinished runs of a sweep, by default the newest; runs that were\n" +
			"stopped or killed are resumed. --task trains one run only, counted from 0, as a\n" +
			"task of an array job. If that run is finished, the exit code is 0.",
		Example: `attnconv sweep run
attnconv sweep run sweeps/mine --jobs 2
attnconv sweep run sweeps/mine --task 7
sbatch --array=0-11 --wrap 'attnconv sweep run sweeps/mine --task env'`,
		Args:              cli.Arguments(1),
		ValidArgsFunction: complete,
		RunE: func(cmd *cobra.Command, args []string) error {
			if task != "" && jobs > 0 {
				return cli.Usagef("a task is one run", "--task and --jobs do not go together")
			}
			p, err := open(c, args)
			if err != nil {
				return err
			}
			if task == "" {
				return trainAll(cmd.Context(), c, p, max(1, jobs))
			}
			i, err := taskNumber(c, task, len(p.Trials))
			if err != nil {
				return err
			}
			return runTask(cmd.Context(), c, p, i)
		},
	}
	f := cli.FlagsIn(cmd.Flags(), "Training")
	c.DeviceFlag(f)
	f.Number(&jobs, "jobs", "N", "runs at a time, which share the cores (default 1)", 1)
	f.Text(&task, "task", "", "N|env", "one run only: its number, or env for that of an engine's array variable", nil)
	return cmd
}

// taskNumber parses --task.
func taskNumber(c *cli.Console, text string, count int) (int, error) {
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
			return 0, cli.Usagef("looked for "+strings.Join(names, ", ")+"\n  with another engine: --task $VARIABLE",
				"--task env: no variable has the number of this task")
		}
		if err != nil {
			return 0, cli.Usagef("", "%s", err)
		}
		from = fmt.Sprintf("%s (task %d)", variable, i)
	}
	if err != nil || i < 0 || i >= count {
		return 0, cli.Usagef("", "%s: want a number from 0 to %d", from, count-1)
	}
	return i, nil
}

// runTask trains or resumes one trial in this process.
func runTask(ctx context.Context, c *cli.Console, p *sweep.Plan, i int) error {
	state, status := p.State(i)
	if sweep.Finished(state) {
		c.Note("task %d is finished: %s   %s   val acc %s", i, p.Dir(i), state, table.Percent(report.Finite(status.ValAcc)))
		if !c.JSON {
			return nil
		}
		summary, err := (&run.Dir{Path: p.Dir(i)}).ReadSummary()
		if err != nil {
			return err
		}
		return c.Result(summary)
	}
	if state == sweep.Broken {
		to, err := p.SetAside(i)
		if err != nil {
			return err
		}
		warnMoved(c, p, i, to)
	}
	c.Runs = p.Runs()
	o := train.Options{Resume: true, Ref: p.Dir(i), Board: true}
	if !sweep.Resumable(state) {
		files := []string{p.Config(i)}
		o = train.Options{Out: p.Dir(i), Sources: configs.Sources{Files: files}, Typed: run.Typed{Files: files}, Board: true}
		if err := o.Resolve(c, nil); err != nil {
			return taskError(p, i, err)
		}
	}
	return taskError(p, i, train.Run(ctx, c, o))
}

// taskError replaces errors about the folder of a run, whose advice names flags that a sweep does not have.
func taskError(p *sweep.Plan, i int, err error) error {
	if !cli.Is[*run.NotEmpty](err) && !cli.Is[*run.Busy](err) {
		return err
	}
	if state, _ := p.State(i); sweep.Resumable(state) || cli.Is[*run.Busy](err) {
		return cli.Usagef("to see its progress: "+cli.Program()+" runs show "+p.Dir(i),
			"task %d: another process trains it", i)
	}
	return cli.Usagef("move those files away", "task %d: %s holds files that are not its run's", i, p.Dir(i))
}

// warnMoved reports that the folder of a trial was moved to another name, so that the trial can start again.
func warnMoved(c *cli.Console, p *sweep.Plan, i int, to string) {
	c.Warn(fmt.Sprintf("%s: its run.json cannot be read: moved to %s, and started again", p.Trials[i].Name, to))
}
