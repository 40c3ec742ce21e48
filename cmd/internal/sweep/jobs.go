package sweep

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"strings"

	"github.com/attnconv/attnconv/cmd/internal/refs"
	"github.com/attnconv/attnconv/cmd/internal/term"
	"github.com/attnconv/attnconv/internal/sweep"
	"github.com/attnconv/attnconv/internal/table"
	"github.com/attnconv/attnconv/train"
)

// A starter trains the trials of a sweep, each in a child process, and tells the user.
type starter struct {
	c    *term.Console
	p    *sweep.Plan
	jobs int
}

// newChildren returns the child processes that train the trials of p, jobs at a time, each as so many MPI ranks; 0: as
// one process. They share the cores, unless ranks have --threads each, as they may be on other machines.
func newChildren(c *term.Console, p *sweep.Plan, jobs, ranks int) (*sweep.Processes, error) {
	path, err := term.Self()
	if err != nil {
		return nil, err
	}
	children := &sweep.Processes{Plan: p, Program: path, Env: refs.ChildEnv(c.Env)}
	each := max(1, runtime.GOMAXPROCS(0)/(jobs*max(1, ranks)))
	if ranks > 0 {
		mpirun, err := exec.LookPath("mpirun")
		if err != nil {
			return nil, term.Usagef("Debian has it in openmpi-bin and in mpich",
				"--ranks %d: mpirun is not on this machine", ranks)
		}
		children.Start = []string{mpirun, "--bind-to", "none", "-n", strconv.Itoa(ranks)}
		if c.Threads > 0 {
			each = c.Threads
		}
	}
	children.Args = []string{"--data-dir", c.DataDir, "--device", c.Device, "--threads", strconv.Itoa(each)}
	return children, nil
}

// trainAll trains all unfinished trials, jobs at a time. It goes on after a trial that fails.
func trainAll(ctx context.Context, c *term.Console, children *sweep.Processes, jobs int) error {
	p := children.Plan
	todo, seconds := p.Left()
	c.Note("%d runs: %d finished, %d to go, %d at a time: about %s as planned", len(p.Trials), len(p.Trials)-len(todo),
		len(todo), jobs, table.Seconds(seconds))
	if h := p.Halving; h != nil {
		c.Note("halving: %s", h.Schedule(p.Points()))
	}
	mode := c.ProgressMode
	switch {
	case jobs > 1 || c.Quiet || children.Start != nil: // mpirun takes what ranks say off the terminal
		mode = "plain"
	case c.ErrWidth() > 0: // the child has the terminal to itself
		children.Terminal = os.Stderr
	default:
		children.Stderr = c.Err
	}
	children.Args = append(children.Args, "--progress", mode)
	s := &starter{c, p, jobs}
	w := sweep.Worker{Plan: p, Jobs: jobs, Train: children.Train, Observe: s.observe}
	o, err := w.Run(ctx)
	return s.reportEnd(o, err)
}

// observe notes what happens to a trial.
func (s *starter) observe(e sweep.Event) {
	name := s.p.Trials[e.Trial].Name
	switch e.Kind {
	case sweep.Begun:
		if s.jobs == 1 {
			s.c.Note("\n%s", name)
		}
	case sweep.Moved:
		warnMoved(s.c, s.p, e.Trial, e.Moved)
	case sweep.Taken:
		s.c.Note("%s: another process trains it", name)
	case sweep.Failed:
		s.c.Warn(name + " failed: " + term.ShortMessage(e.Err))
	case sweep.Ended:
		eta := ""
		if e.Left > 0 {
			eta = "   eta " + table.Duration(e.Left)
		}
		state := e.State
		if !sweep.Finished(state) { // at its rung
			state = fmt.Sprintf("epoch %d of %d", e.Status.Epoch, e.Status.Epochs)
		}
		s.c.Note("%d/%d  %s  %s   val acc %s   %s%s", e.Done, e.Of, name, state,
			table.Percent(e.Status.ValAcc), table.Period(e.Status.WallS), eta)
	}
}

func (s *starter) reportEnd(o sweep.Outcome, err error) error {
	resume := term.Command("sweep", "run", s.p.Path)
	switch {
	case errors.Is(err, train.ErrStopped):
		s.c.Note("stopped with %d of %d runs finished.   resume: %s", o.Done, len(s.p.Trials), resume)
		return err
	case err != nil:
		var logs []string
		for _, i := range o.Failed {
			logs = append(logs, s.p.Log(i))
		}
		return fmt.Errorf("%d of %d runs failed: see\n  %s\n  to retry them: %s", len(o.Failed), len(s.p.Trials),
			strings.Join(logs, "\n  "), resume)
	case o.Taken > 0:
		s.c.Note("%d of %d runs are finished; other processes train %d", o.Done, len(s.p.Trials), o.Taken)
		return nil
	}
	if s.c.JSON {
		all, err := sweep.Collect(s.p)
		if err != nil {
			return err
		}
		return showCollection(s.c, all, "text", "")
	}
	ended := fmt.Sprintf("all %d runs are finished.", o.Done)
	if o.Diverged+o.Pruned > 0 {
		ended = fmt.Sprintf("all %d runs have ended: %d finished", o.Done, o.Done-o.Diverged-o.Pruned)
		if o.Diverged > 0 {
			ended += fmt.Sprintf(", %d diverged", o.Diverged)
		}
		if o.Pruned > 0 {
			ended += fmt.Sprintf(", %d pruned", o.Pruned)
		}
		ended += "."
	}
	s.c.Note("%s   next: %s", ended, term.Command("sweep", "collect", s.p.Path))
	return nil
}
