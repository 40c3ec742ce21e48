package sweep

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
	"time"

	"github.com/attnconv/attnconv/run"
	"github.com/attnconv/attnconv/run/event"
)

// Processes train trials, each in a child process that runs the command train: attnconv, or a program whose main calls
// cmd.Main. What a child says goes to the file Log as well.
type Processes struct {
	Plan    *Plan
	Program string    // path
	Start   []string  // starts Program as the ranks of one MPI job: mpirun -n 4; nil: it is one process
	Args    []string  // of train, besides those that name the trial: --device cpu
	Env     []string  // NAME=value; nil: that of this process
	Stderr  io.Writer // gets the children's standard error; nil: nobody

	// Terminal is what a child has as its standard error, instead of Stderr and Log, to draw its progress on; nil:
	// none.
	Terminal *os.File
}

// A ChildError is the end of a child process.
type ChildError struct {
	Line string // the first line of its error message, if it has one
	Err  error
}

func (e *ChildError) Error() string { return cmp.Or(e.Line, e.Err.Error()) }

// Unwrap returns the error of os/exec.
func (e *ChildError) Unwrap() error { return e.Err }

// Train is Worker.Train. When ctx is done, the child is told to save and stop; ranks also have its deadline as their
// --time-budget. The error is a *ChildError, or a *run.BusyError.
func (p *Processes) Train(ctx context.Context, i int, resume bool, until int) error {
	if p.Plan == nil || i < 0 || i >= len(p.Plan.Trials) {
		return fmt.Errorf("no trial %d: want the number of one of the plan's", i)
	}
	said, err := p.run(ctx, i, resume, until)
	if err == nil {
		return nil
	}
	exit := (*exec.ExitError)(nil)
	if state, _ := p.Plan.State(i); errors.As(err, &exit) && state == event.Running {
		return fmt.Errorf("%w: %w", &run.BusyError{}, err) // another process was first
	}
	line := ""
	for text := range strings.Lines(said) {
		if rest, ok := strings.CutPrefix(text, "error: "); ok {
			line = strings.TrimSpace(rest)
			break
		}
	}
	return &ChildError{line, err}
}

// run returns the standard error of the child process.
func (p *Processes) run(ctx context.Context, i int, resume bool, until int) (string, error) {
	args := []string{"train", "--part"}
	if len(p.Start) > 0 { // a part of many is one process's
		args = args[:1]
	}
	args = append(append(args, "--runs", p.Plan.Runs()), p.Args...)
	if resume {
		args = append(args, "--resume", p.Plan.Dir(i))
	} else {
		args = append(args, "-c", p.Plan.Config(i), "--out", p.Plan.Dir(i))
	}
	if until > 0 {
		args = append(args, "--until-epoch", fmt.Sprint(until))
	}
	if end, ok := ctx.Deadline(); ok && len(p.Start) > 0 {
		args = append(args, "--time-budget", max(time.Second, time.Until(end).Round(time.Second)).String())
	}
	log, err := p.Plan.folder().OpenFile(p.Plan.logName(i), os.O_CREATE|os.O_APPEND|os.O_WRONLY)
	if err != nil {
		return "", err
	}
	defer log.Close()
	var said bytes.Buffer
	command := append(append(slices.Clone(p.Start), p.Program), args...)
	cmd := exec.CommandContext(ctx, command[0], command[1:]...)
	cmd.Env, cmd.Stdout, cmd.Stderr = p.Env, log, io.MultiWriter(log, &said)
	switch {
	case p.Terminal != nil:
		cmd.Stderr = p.Terminal
	case p.Stderr != nil:
		cmd.Stderr = io.MultiWriter(log, &said, p.Stderr)
	}
	shield(cmd)
	cmd.Cancel = func() error { return interrupt(cmd.Process) }
	if len(p.Start) > 0 {
		ended := make(chan struct{})
		defer close(ended)
		cmd.Cancel = func() error {
			go p.stopRanks(cmd.Process, i, ended)
			return nil
		}
	}
	err = cmd.Run()
	return said.String(), err
}

// How long ranks may take to save, and then to stop.
const (
	savingTime   = time.Minute
	stoppingTime = 2 * time.Second
)

// stopRanks tells the ranks of trial i to save, by SIGUSR1, which mpirun passes on, and then to stop: at SIGTERM it
// kills them a second later, which may be too early to save.
func (p *Processes) stopRanks(mpirun *os.Process, i int, ended <-chan struct{}) {
	newest := func() string {
		path, _, _ := (&run.Dir{Path: p.Plan.Dir(i)}).LastGood(func(string) error { return nil })
		return path
	}
	before, begin := newest(), time.Now()
	requestSave(mpirun)
	for wait := 100 * time.Millisecond; ; {
		select {
		case <-ended:
			return
		case <-time.After(wait):
		}
		if wait == stoppingTime || time.Since(begin) > savingTime {
			interrupt(mpirun)
			return
		}
		if newest() != before {
			wait = stoppingTime
		}
	}
}

// Log returns the path of the file with what the processes of trial i have said.
func (p *Plan) Log(i int) string { return p.folder().Path(p.logName(i)) }

func (p *Plan) logName(i int) string { return p.Trials[i].Name + ".log" }
