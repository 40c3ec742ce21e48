package sweep

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/attnconv/attnconv/cmd/internal/refs"
	"github.com/attnconv/attnconv/cmd/internal/term"
	"github.com/attnconv/attnconv/internal/sweep"
	"github.com/attnconv/attnconv/internal/table"
	"github.com/attnconv/attnconv/run/event"
)

func newStatus(c *term.Console) *cobra.Command {
	return &cobra.Command{
		Use:   "status [SWEEP]",
		Short: "Say how far the runs of a sweep are, also while they run",
		Long: "Say how far the runs of a sweep, by default the latest, are: from its files\n" +
			"only, so on any machine that sees them. A run is waiting, queued (in a job of\n" +
			"an engine), running, stopped, done, diverged, failed, lost (its process was\n" +
			"killed or its machine died) or broken (its run.json cannot be read). With\n" +
			"halving it may also be paused (at its rung, which others have not reached) or\n" +
			"pruned (trained no further).",
		Example:           "attnconv sweep status\nattnconv sweep status sweeps/mine --json",
		Args:              refs.Arguments(1),
		ValidArgsFunction: complete,
		RunE: func(_ *cobra.Command, args []string) error {
			p, err := open(c, args)
			if err != nil {
				return err
			}
			o, err := p.Overview()
			if err != nil {
				return err
			}
			return showStatus(c, o)
		},
	}
}

// order is that of the states in a status.
var order = []string{
	event.Done,
	event.Diverged,
	event.Running,
	sweep.Queued,
	event.Stopped,
	sweep.Waiting,
	sweep.Paused,
	sweep.Pruned,
	event.Failed,
	sweep.Lost,
	sweep.Broken,
}

// most is the number of lines of a list in a status.
const most = 10

func showStatus(c *term.Console, o *sweep.Overview) error {
	d := o.Document()
	if c.JSON {
		return c.Result(d)
	}
	var counts []string
	for _, state := range order {
		if n := d.States[state]; n > 0 {
			counts = append(counts, table.Thousands(n)+" "+state)
		}
	}
	c.Print("%s: %s\n", table.Count(d.Runs, "run"), strings.Join(counts, ", "))
	if r := d.Halving; r != nil {
		c.Print("rung %d of %d: %d combinations, to epoch %d\n", r.Number, r.Of, r.Points, r.Epochs)
	}
	for _, j := range d.Jobs[max(0, len(d.Jobs)-most):] {
		c.Print("job %s of %s: %s, %s a task\n", cmp.Or(j.ID, "(no id)"), j.Engine, table.Count(j.Tasks, "task"),
			table.Count(j.Pack, "run"))
	}
	var rows [][]string
	for _, r := range d.Running {
		rows = append(rows, []string{r.Name, event.Running, fmt.Sprintf("epoch %d of %d, step %s of %s", r.Epoch,
			r.Epochs, table.Thousands(r.Step), table.Thousands(r.Steps))})
	}
	rows = cut(rows)
	var problems [][]string
	for _, p := range d.Problems {
		first, _, _ := strings.Cut(p.Error, "\n")
		problems = append(problems, []string{p.Name, p.State, strings.TrimSpace(first + "   " + p.Log)})
	}
	if rows = append(rows, cut(problems)...); len(rows) > 0 {
		if err := c.Table(append([][]string{{"run", "state", ""}}, rows...)); err != nil {
			return err
		}
	}
	advise(c, o, d)
	return nil
}

// cut leaves out the end of a long list, and says so.
func cut(rows [][]string) [][]string {
	if len(rows) <= most {
		return rows
	}
	return append(rows[:most:most], []string{"…", "", fmt.Sprintf("and %s more: --json lists all",
		table.Thousands(len(rows)-most))})
}

// advise says what to do next.
func advise(c *term.Console, o *sweep.Overview, d sweep.Status) {
	if d.Left > 0 {
		c.Note("left: about %s as planned, one after the other", table.Seconds(d.Left))
	}
	path := o.Plan.Path
	idle := slices.ContainsFunc([]string{sweep.Waiting, event.Stopped},
		func(state string) bool { return d.States[state] > 0 })
	switch retry := len(o.Retry(false)); {
	case retry > 0 && o.Newest() != nil:
		c.Note("next: %s", term.Command("sweep", "retry", path, "--failed"))
	case retry > 0 || idle:
		c.Note("next: %s", term.Command("sweep", "run", path))
	case d.States[event.Done]+d.States[event.Diverged]+d.States[sweep.Pruned] == d.Runs:
		c.Note("next: %s", term.Command("sweep", "collect", path))
	}
}
