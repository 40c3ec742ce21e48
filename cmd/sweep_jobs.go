package cmd

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
	"sync"
	"time"

	"github.com/attnconv/attnconv/cmd/internal/cli"
	"github.com/attnconv/attnconv/internal/kernel/threads"
	"github.com/attnconv/attnconv/internal/progress"
	"github.com/attnconv/attnconv/run"
	"github.com/attnconv/attnconv/sweep"
	"github.com/attnconv/attnconv/train"
)

// A trialRunner trains the trials of a sweep, each in a child process.
type trialRunner struct {
	c       *cli.Console
	p       *sweep.Plan
	program string
	jobs    int
	begin   time.Time

	mu         sync.Mutex
	left       float64 // planned seconds of the unfinished trials
	elapsedETA float64 // planned seconds of the trials finished by this process
	done       int
	failed     []int
	taken      int // trials that other processes train
}

// runTrials trains all unfinished trials, jobs at a time. It goes on after a trial that fails.
func runTrials(ctx context.Context, c *cli.Console, p *sweep.Plan, jobs int) error {
	path, err := self()
	if err != nil {
		return err
	}
	w := &trialRunner{c: c, p: p, program: path, jobs: jobs, begin: time.Now()}
	var todo []int
	for i, t := range p.Trials {
		if state, _ := p.State(i); sweep.Finished(state) {
			w.done++
		} else {
			todo = append(todo, i)
			w.left += t.ETA
		}
	}
	c.Note("%d runs: %d finished, %d to go, %d at a time: about %s as planned", len(p.Trials), w.done, len(todo), jobs,
		progress.Duration(cli.Seconds(w.left)))
	next := make(chan int)
	var workers sync.WaitGroup
	for range min(jobs, len(todo)) {
		workers.Go(func() {
			for i := range next {
				w.trial(ctx, i)
			}
		})
	}
	for _, i := range todo {
		select {
		case next <- i:
		case <-ctx.Done():
		}
	}
	close(next)
	workers.Wait()
	return w.reportEnd(ctx)
}

func (w *trialRunner) reportEnd(ctx context.Context) error {
	resume := cli.Program() + " sweep run " + w.p.Path
	switch {
	case ctx.Err() != nil:
		w.c.Note("stopped with %d of %d runs finished.   resume: %s", w.done, len(w.p.Trials), resume)
		return train.ErrStopped
	case len(w.failed) > 0:
		var logs []string
		for _, i := range w.failed {
			logs = append(logs, w.log(i))
		}
		return fmt.Errorf("%d of %d runs failed: see\n  %s\n  to retry them: %s", len(w.failed), len(w.p.Trials),
			strings.Join(logs, "\n  "), resume)
	case w.taken > 0:
		w.c.Note("%d of %d runs are finished; other processes train %d", w.done, len(w.p.Trials), w.taken)
		return nil
	}
	if w.c.JSON {
		s, err := readCollection(w.p)
		if err != nil {
			return err
		}
		return s.show(w.c, "text", "")
	}
	w.c.Note("%s   next: %s sweep collect %s", w.outcome(), cli.Program(), w.p.Path)
	return nil
}

// outcome describes how the trials ended, once all have.
func (w *trialRunner) outcome() string {
	diverged := 0
	for i := range w.p.Trials {
		if state, _ := w.p.State(i); state == run.Diverged {
			diverged++
		}
	}
	if diverged == 0 {
		return fmt.Sprintf("all %d runs are finished.", w.done)
	}
	return fmt.Sprintf("all %d runs have ended: %d finished, %d diverged.", w.done, w.done-diverged, diverged)
}

// log returns the file with the output of trial i.
func (w *trialRunner) log(i int) string { return filepath.Join(w.p.Path, w.p.Trials[i].Name+".log") }

// trial trains or resumes trial i, and reports how it ended.
func (w *trialRunner) trial(ctx context.Context, i int) {
	state, _ := w.p.State(i)
	if ctx.Err() != nil || sweep.Finished(state) {
		return
	}
	if state == run.Running {
		w.mu.Lock()
		defer w.mu.Unlock()
		w.taken++
		w.c.Note("%s: another process trains it", w.p.Trials[i].Name)
		return
	}
	if w.jobs == 1 {
		w.c.Note("\n%s", w.p.Trials[i].Name)
	}
	if err := setAside(w.c, w.p, i, state); err != nil {
		w.mu.Lock()
		defer w.mu.Unlock()
		w.failed = append(w.failed, i)
		w.c.Warn(w.p.Trials[i].Name + " failed: " + cli.ShortMessage(err))
		return
	}
	said, err := w.process(ctx, i, state)
	w.mu.Lock()
	defer w.mu.Unlock()
	state, status := w.p.State(i)
	exit := (*exec.ExitError)(nil)
	switch {
	case sweep.Finished(state):
		w.done++
		w.left -= w.p.Trials[i].ETA
		w.elapsedETA += w.p.Trials[i].ETA
		w.c.Note("%d/%d  %s  %s   val acc %s   %s%s", w.done, len(w.p.Trials), w.p.Trials[i].Name, state,
			cli.Percent(cli.Finite(status.ValAcc)), duration(cli.Finite(status.WallS)), w.eta())
	case ctx.Err() != nil:
	case err == nil || errors.As(err, &exit) && state == run.Running: // another process was first
		w.taken++
	default:
		w.failed = append(w.failed, i)
		w.c.Warn(w.p.Trials[i].Name + " failed: " + firstLine(said, err))
	}
}

// eta extrapolates the remaining time from the trials finished by this process.
func (w *trialRunner) eta() string {
	if w.left < 1e-3 || w.elapsedETA == 0 {
		return ""
	}
	return "   eta " + progress.Duration(cli.Seconds(w.left/w.elapsedETA*time.Since(w.begin).Seconds()))
}

// process trains trial i in a child process, and returns its standard error. When ctx is done, the child is told to save
// and stop.
func (w *trialRunner) process(ctx context.Context, i int, state string) (string, error) {
	args := []string{"train", "--part", "--runs", w.p.Runs(), "--data-dir", w.c.DataDir, "--device", w.c.Device,
		"--threads", strconv.Itoa(max(1, threads.Limit()/w.jobs))}
	if resumable(state) {
		args = append(args, "--resume", w.p.Dir(i))
	} else {
		args = append(args, "-c", w.p.Config(i), "--out", w.p.Dir(i))
	}
	log, err := os.OpenFile(w.log(i), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o666)
	if err != nil {
		return "", err
	}
	defer log.Close()
	var said bytes.Buffer
	cmd := exec.CommandContext(ctx, w.program, args...)
	cmd.Env = withoutSettings(w.c.Env)
	cmd.Stdout, cmd.Stderr = log, io.MultiWriter(log, &said)
	switch {
	case w.jobs > 1 || w.c.Quiet:
		cmd.Args = append(cmd.Args, "--progress", "plain")
	case w.c.ErrWidth() > 0: // the child has the terminal to itself
		cmd.Args = append(cmd.Args, "--progress", w.c.ProgressMode)
		cmd.Stderr = os.Stderr
	default:
		cmd.Args = append(cmd.Args, "--progress", w.c.ProgressMode)
		cmd.Stderr = io.MultiWriter(log, &said, w.c.Err)
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
