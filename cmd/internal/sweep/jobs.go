package sweep

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/attnconv/attnconv/cmd/internal/cli"
	"github.com/attnconv/attnconv/internal/kernel/threads"
	"github.com/attnconv/attnconv/internal/progress"
	"github.com/attnconv/attnconv/run"
	"github.com/attnconv/attnconv/sweep"
	"github.com/attnconv/attnconv/train"
)

// A starter trains the trials of a sweep, each in a child process.
type starter struct {
	c       *cli.Console
	p       *sweep.Plan
	program string
	jobs    int
}

// trainAll trains all unfinished trials, jobs at a time. It goes on after a trial that fails.
func trainAll(ctx context.Context, c *cli.Console, p *sweep.Plan, jobs int) error {
	path, err := cli.Self()
	if err != nil {
		return err
	}
	todo, seconds := p.Left()
	c.Note("%d runs: %d finished, %d to go, %d at a time: about %s as planned", len(p.Trials), len(p.Trials)-len(todo), len(todo),
		jobs, progress.Duration(cli.Seconds(seconds)))
	s := &starter{c: c, p: p, program: path, jobs: jobs}
	w := sweep.Worker{Plan: p, Jobs: jobs, Train: s.train, Observe: s.observe}
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
		s.c.Warn(name + " failed: " + s.why(e.Err))
	case sweep.Ended:
		eta := ""
		if e.Left > 0 {
			eta = "   eta " + progress.Duration(e.Left)
		}
		s.c.Note("%d/%d  %s  %s   val acc %s   %s%s", e.Done, len(s.p.Trials), name, e.State,
			cli.Percent(cli.Finite(e.Status.ValAcc)), cli.Period(cli.Finite(e.Status.WallS)), eta)
	}
}

// why says why a trial failed, in the words of its process if it has any.
func (s *starter) why(err error) string {
	if said := (*childError)(nil); errors.As(err, &said) {
		return said.Error()
	}
	return cli.ShortMessage(err)
}

func (s *starter) reportEnd(o sweep.Outcome, err error) error {
	resume := cli.Program() + " sweep run " + s.p.Path
	switch {
	case errors.Is(err, train.ErrStopped):
		s.c.Note("stopped with %d of %d runs finished.   resume: %s", o.Done, len(s.p.Trials), resume)
		return err
	case err != nil:
		var logs []string
		for _, i := range o.Failed {
			logs = append(logs, s.log(i))
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
	s.c.Note("%s   next: %s sweep collect %s", s.outcome(o.Done), cli.Program(), s.p.Path)
	return nil
}

// outcome describes how the trials ended, once all have.
func (s *starter) outcome(done int) string {
	diverged := 0
	for i := range s.p.Trials {
		if state, _ := s.p.State(i); state == run.Diverged {
			diverged++
		}
	}
	if diverged == 0 {
		return fmt.Sprintf("all %d runs are finished.", done)
	}
	return fmt.Sprintf("all %d runs have ended: %d finished, %d diverged.", done, done-diverged, diverged)
}

// log returns the file with the output of a trial.
func (s *starter) log(i int) string { return filepath.Join(s.p.Path, s.p.Trials[i].Name+".log") }

// A childError is the end of a child process, and the first line of its error message.
type childError struct {
	line string
	err  error
}

func (e *childError) Error() string { return e.line }
func (e *childError) Unwrap() error { return e.err }

// train trains trial i in a child process. When ctx is done, the child is told to save and stop.
func (s *starter) train(ctx context.Context, i int, resume bool) error {
	said, err := s.process(ctx, i, resume)
	if err == nil {
		return nil
	}
	exit := (*exec.ExitError)(nil)
	if state, _ := s.p.State(i); errors.As(err, &exit) && state == run.Running {
		return fmt.Errorf("%w: %w", &run.Busy{}, err) // another process was first
	}
	return &childError{firstLine(said, err), err}
}

// process returns the standard error of the child process.
func (s *starter) process(ctx context.Context, i int, resume bool) (string, error) {
	args := []string{"train", "--part", "--runs", s.p.Runs(), "--data-dir", s.c.DataDir, "--device", s.c.Device,
		"--threads", strconv.Itoa(max(1, threads.Limit()/s.jobs))}
	if resume {
		args = append(args, "--resume", s.p.Dir(i))
	} else {
		args = append(args, "-c", s.p.Config(i), "--out", s.p.Dir(i))
	}
	log, err := os.OpenFile(s.log(i), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o666)
	if err != nil {
		return "", err
	}
	defer log.Close()
	var said bytes.Buffer
	cmd := exec.CommandContext(ctx, s.program, args...)
	cmd.Env = cli.ChildEnv(s.c.Env)
	cmd.Stdout, cmd.Stderr = log, io.MultiWriter(log, &said)
	switch {
	case s.jobs > 1 || s.c.Quiet:
		cmd.Args = append(cmd.Args, "--progress", "plain")
	case s.c.ErrWidth() > 0: // the child has the terminal to itself
		cmd.Args = append(cmd.Args, "--progress", s.c.ProgressMode)
		cmd.Stderr = os.Stderr
	default:
		cmd.Args = append(cmd.Args, "--progress", s.c.ProgressMode)
		cmd.Stderr = io.MultiWriter(log, &said, s.c.Err)
	}
	cli.OwnProcessGroup(cmd)
	cmd.Cancel = func() error { return cli.Interrupt(cmd.Process) }
	err = cmd.Run()
	return said.String(), err
}

// firstLine returns the first line of an error message in the output of a process, or else err.
func firstLine(said string, err error) string {
	for line := range strings.Lines(said) {
		if text, ok := strings.CutPrefix(line, "error: "); ok {
			return strings.TrimSpace(text)
		}
	}
	return err.Error()
}
