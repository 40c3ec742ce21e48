package sweep

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/attnconv/attnconv/cmd/internal/term"
	"github.com/attnconv/attnconv/cmd/internal/train"
	"github.com/attnconv/attnconv/internal/sweep"
	"github.com/attnconv/attnconv/internal/table"
	"github.com/attnconv/attnconv/run"
	library "github.com/attnconv/attnconv/train"
)

// A taskRun is one task of an array job: some trials, one after the other.
type taskRun struct {
	c      *term.Console
	p      *sweep.Plan
	number int
	trials []int
	packed bool // --trials or --pack chose them
	budget time.Duration

	children *sweep.Processes // train the trials as MPI ranks; nil: this process trains them
}

// patience is how long a task waits for a process on another machine, which may have died, to end.
const patience = 75 * time.Second

// run trains the task's trials, and ends before the engine's limit.
func (t taskRun) run(ctx context.Context) error {
	ctx, release := t.limited(ctx)
	defer release()
	before := t.steps()
	var err error
	if t.packed || t.children != nil {
		err = t.pack(ctx)
	} else {
		err = t.single(ctx, t.trials[0])
	}
	switch {
	case !errors.Is(err, library.ErrStopped) && !errors.Is(err, ctx.Err()),
		!errors.Is(context.Cause(ctx), sweep.ErrLimit):
		return err
	case t.steps() == before:
		return fmt.Errorf("task %d: the time limit came before its first step\n  a longer one: --time of sweep "+
			"submit, or of the engine", t.number)
	}
	return &term.RequeueError{What: fmt.Sprintf("task %d has saved before its time limit; it resumes when it is run "+
		"again", t.number)}
}

// limited returns a context that ends before the engine's limit or the budget, whichever is first, and then also at
// SIGUSR1, by which engines tell that it is near.
func (t taskRun) limited(ctx context.Context) (context.Context, func()) {
	end, known := sweep.Deadline(t.c.Getenv)
	if own := time.Now().Add(t.budget); t.budget > 0 && (!known || own.Before(end)) {
		end, known = own, true
	}
	if !known {
		return ctx, func() {}
	}
	t.c.Note("task %d saves and ends in %s at the latest", t.number, table.Duration(max(0, time.Until(end))))
	ctx, stopTimer := context.WithDeadlineCause(ctx, end, sweep.ErrLimit)
	ctx, cancel := context.WithCancelCause(ctx)
	stopListening := train.OnRequest(func() { cancel(sweep.ErrLimit) })
	return ctx, func() {
		stopListening()
		cancel(nil)
		stopTimer()
	}
}

// steps counts the steps that the task's trials have done, with one for each that is finished.
func (t taskRun) steps() (n int) {
	for _, i := range t.trials {
		_, status, over := t.p.Over(i)
		if n += status.Step; over {
			n++
		}
	}
	return n
}

// pack trains the trials of a submitted job. Those that diverge are finished.
func (t taskRun) pack(ctx context.Context) error {
	var failure error
	s := &starter{t.c, t.p, 1}
	w := sweep.Worker{Plan: t.p, Trials: t.trials, Patience: patience, Task: sweep.JobOf(t.c.Getenv),
		Log: standardError(),
		Observe: func(e sweep.Event) {
			if e.Kind == sweep.Failed {
				failure = e.Err
			}
			s.observe(e)
		},
		Train: func(ctx context.Context, i int, resume bool, until int) error {
			return trainTrial(ctx, t.c, t.p, i, resume, until)
		},
	}
	if t.children != nil {
		t.children.Stderr = t.c.Err
		t.children.Args = append(t.children.Args, "--progress", "plain")
		w.Train = t.children.Train
	}
	o, err := w.Run(ctx)
	failed := (*sweep.FailedError)(nil)
	switch {
	case errors.As(err, &failed) && len(t.trials) == 1:
		return failure
	case errors.As(err, &failed):
		return fmt.Errorf("task %d: %d of %d runs failed\n  to see why: %s", t.number, failed.Trials, failed.Of,
			term.Command("sweep", "status", t.p.Path))
	case err == nil:
		t.c.Note("task %d: %s finished", t.number, table.Count(o.Done, "run"))
	}
	return err
}

// single trains or resumes one trial.
func (t taskRun) single(ctx context.Context, i int) error {
	state, status, over := t.p.Over(i)
	if over {
		t.c.Note("task %d is finished: %s   %s   val acc %s", i, t.p.Dir(i), state, table.Percent(status.ValAcc))
		if !t.c.JSON {
			return nil
		}
		summary, err := (&run.Dir{Path: t.p.Dir(i)}).ReadSummary()
		if err != nil {
			return err
		}
		return t.c.Result(summary)
	}
	if err := t.p.Check(i); err != nil {
		return err
	}
	if state == sweep.Broken {
		to, err := t.p.SetAside(i)
		if err != nil {
			return err
		}
		warnMoved(t.c, t.p, i, to)
	}
	until := t.p.Until(i)
	attempt := t.p.Begin(i, sweep.JobOf(t.c.Getenv), standardError())
	err := trainTrial(ctx, t.c, t.p, i, sweep.Resumable(state), until)
	state, status = t.p.State(i)
	attempt.End(ctx, state, sweep.Finished(state) || until > 0 && status.Epoch >= until, err)
	return err
}

// trainTrial trains or resumes one trial in this process, to the epoch until or, if that is 0, to its end.
func trainTrial(ctx context.Context, c *term.Console, p *sweep.Plan, i int, resume bool, until int) error {
	c.Runs = p.Runs()
	o := train.Options{Resumes: resume}
	o.Until = until
	if resume {
		o.Resume = p.Dir(i)
	} else {
		o.Sources.Files = []string{p.Config(i)}
		o.Out, o.Typed.Files = p.Dir(i), o.Sources.Files
		if err := o.Resolve(c, nil); err != nil {
			return taskError(p, i, err)
		}
	}
	return taskError(p, i, train.Run(ctx, c, o))
}

// taskError replaces errors about the folder of a run, whose advice names flags that a sweep does not have.
func taskError(p *sweep.Plan, i int, err error) error {
	if !term.Is[*run.NotEmptyError](err) && !term.Is[*run.BusyError](err) {
		return err
	}
	if state, _ := p.State(i); sweep.Resumable(state) || term.Is[*run.BusyError](err) {
		return &takenError{&run.BusyError{Path: p.Dir(i)}, i}
	}
	return term.Usagef("move those files away", "task %d: %s holds files that are not its run's", i, p.Dir(i))
}

// A takenError is a *run.BusyError in the words of a sweep.
type takenError struct {
	*run.BusyError
	task int
}

func (e *takenError) Error() string { return fmt.Sprintf("task %d: another process trains it", e.task) }
func (e *takenError) Hint() string {
	return "to see its progress: " + term.Command("runs", "show", e.Path)
}
func (e *takenError) Unwrap() error { return e.BusyError }

// warnMoved reports that the folder of a trial was moved to another name, so that the trial can start again.
func warnMoved(c *term.Console, p *sweep.Plan, i int, to string) {
	c.Warn(fmt.Sprintf("%s: its run.json cannot be read: moved to %s, and started again", p.Trials[i].Name, to))
}

// standardError returns the path of the file that this process's standard error is, or "".
func standardError() string {
	path, err := os.Readlink("/proc/self/fd/2")
	if err != nil {
		return ""
	}
	if info, err := os.Stat(path); err != nil || !info.Mode().IsRegular() {
		return ""
	}
	return path
}
