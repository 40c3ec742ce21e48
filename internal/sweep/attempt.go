package sweep

import (
	"context"
	"encoding/json"
	"errors"
	"path/filepath"
	"time"

	"github.com/attnconv/attnconv/internal/disk"
	"github.com/attnconv/attnconv/run"
)

// An Attempt is attempts/000.json: the last time that a process worked on a trial. It tells what run.json cannot: why a
// trial failed, also before it had a run, and whether its engine will go on with it.
type Attempt struct {
	Format  int       `json:"format"`          // version of the file: 1
	Task    string    `json:"task,omitempty"`  // the engine's names of job and task; "": no engine started it
	Began   time.Time `json:"began"`           // RFC 3339
	Ended   time.Time `json:"ended,omitzero"`  // not set while it works, or after a kill
	Outcome string    `json:"outcome"`         // "", failed, stopped, requeue or rung
	Error   string    `json:"error,omitempty"` // why it failed
	Log     string    `json:"log,omitempty"`   // the file with what it said, if that is known
}

// The outcomes of an attempt.
const (
	attemptFailed  = "failed"
	attemptStopped = "stopped" // by a signal
	attemptRequeue = "requeue" // before its time limit: the engine runs the task again
	attemptRung    = "rung"    // it has reached the rung of halving that it was to reach
)

// An AttemptNote writes how an attempt ends. A file that cannot be written is not a reason to fail a run: an Overview
// then knows less.
type AttemptNote struct {
	p *Plan
	i int
	Attempt
}

// Begin notes that this process begins to work on trial i, as the engine's task, with what it says in the file log.
func (p *Plan) Begin(i int, task, log string) *AttemptNote {
	n := &AttemptNote{p, i, Attempt{Format: Format, Task: task, Began: time.Now().UTC(), Log: log}}
	p.noteAttempt(i, n.Attempt)
	return n
}

// End notes how the attempt ended: the trial is in this state now, and has or has not reached what it was to reach; err
// is what training it returned, and ctx tells whether it was stopped. Of a finished trial its run says
// enough, and of one that another process trains, that process does.
func (n *AttemptNote) End(ctx context.Context, state string, reached bool, err error) {
	busy := (*run.BusyError)(nil)
	switch {
	case Finished(state):
		n.p.folder().Remove(n.p.attemptName(n.i))
	case reached:
		n.end(attemptRung, "")
	case ctx.Err() != nil && errors.Is(context.Cause(ctx), ErrLimit):
		n.end(attemptRequeue, "")
	case ctx.Err() != nil:
		n.end(attemptStopped, "")
	case err != nil && !errors.As(err, &busy):
		n.end(attemptFailed, err.Error())
	}
}

func (n *AttemptNote) end(outcome, why string) {
	n.Outcome, n.Error, n.Ended = outcome, why, time.Now().UTC()
	n.p.noteAttempt(n.i, n.Attempt)
}

// longestError is the number of bytes of an Attempt's Error.
const longestError = 2000

func (p *Plan) attemptName(i int) string { return filepath.Join(attemptFolder, p.number(i)+".json") }

// noteAttempt writes an attempt. A file is renamed into place without looking for leftovers, as there are many others
// in the folder.
func (p *Plan) noteAttempt(i int, a Attempt) error {
	if len(a.Error) > longestError {
		a.Error = a.Error[:longestError]
	}
	b, err := json.Marshal(a)
	if err != nil {
		return err
	}
	name, in := p.attemptName(i), p.folder()
	tmp := disk.Temp(name)
	err = in.MkdirAll(attemptFolder)
	if err == nil {
		err = in.Create(tmp, disk.Bytes(append(b, '\n')))
	}
	if err == nil {
		err = in.Rename(tmp, name)
	}
	if err != nil {
		in.Remove(tmp)
	}
	return err
}

// Attempt returns the last attempt at trial i; nil: none is known.
func (p *Plan) Attempt(i int) *Attempt {
	b, err := run.ReadFile(p.folder().Path(p.attemptName(i)))
	if err != nil {
		return nil
	}
	a := new(Attempt)
	if json.Unmarshal(b, a) != nil || a.Format != Format {
		return nil
	}
	return a
}
