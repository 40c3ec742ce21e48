package sweep

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/attnconv/attnconv/run"
	"github.com/attnconv/attnconv/train"
)

// An Event is one step of the work on a sweep.
type Event struct {
	Kind   Kind
	Trial  int
	State  string     // of the trial, if it has ended
	Status run.Status // likewise
	Moved  string     // where the folder of a broken trial is now
	Err    error      // why the trial failed

	Done int           // trials that need no more work
	Left time.Duration // estimate for the others; 0: unknown, or none is left
}

// Kind is what happened to a trial.
type Kind int

// The kinds of events.
const (
	Begun  Kind = iota // it is about to be trained or resumed
	Ended              // it is done or has diverged
	Taken              // another process trains it
	Failed             // it could not be trained; the others go on
	Moved              // its run.json could not be read: its folder was moved, and it starts again
)

// A Worker trains the trials of a sweep. Several workers, in several processes and on several machines, may work on one
// sweep.
type Worker struct {
	Plan *Plan
	Jobs int // trials at a time; 0: 1

	Trials []int // which trials; nil: all
	// how long to wait for the end of a process that trains a trial: one that died elsewhere counts as living for a
	// minute
	Patience time.Duration
	Task     string // the engine's names of job and task, for the record; "": none
	Log      string // the file with what this process says, for the record; "": Train's

	// Train trains trial i, or resumes it, in the folder Plan.Dir(i), with the settings in Plan.Config(i). When ctx is
	// done it saves and returns. The error is a *run.Busy if another process trains it.
	Train func(ctx context.Context, i int, resume bool) error
	// Observe is told what happens, by one goroutine at a time; nil: nobody is.
	Observe func(Event)

	mu      sync.Mutex
	begin   time.Time
	outcome Outcome
	left    float64 // planned seconds of the unfinished trials
	elapsed float64 // planned seconds of the trials finished by this worker
}

// An Outcome is how far a sweep is.
type Outcome struct {
	Done     int   // trials that need no more work
	Diverged int   // of these, those that diverged
	Taken    int   // that other processes train
	Failed   []int // that could not be trained
}

// A FailedError reports trials that could not be trained; those that could are.
type FailedError struct{ Trials, Of int }

func (e *FailedError) Error() string {
	return fmt.Sprintf("%d of %d runs failed", e.Trials, e.Of)
}

// Left returns the unfinished trials, and the seconds that they take as planned.
func (p *Plan) Left() (trials []int, seconds float64) { return p.leftOf(p.All()) }

// All lists the numbers of the trials.
func (p *Plan) All() []int {
	all := make([]int, len(p.Trials))
	for i := range all {
		all[i] = i
	}
	return all
}

func (p *Plan) leftOf(of []int) (trials []int, seconds float64) {
	states := make([]string, len(of))
	p.each(len(of), func(k int) { states[k], _ = p.State(of[k]) })
	for k, i := range of {
		if !Finished(states[k]) {
			trials = append(trials, i)
			seconds += p.Trials[i].ETA
		}
	}
	return trials, seconds
}

// trials lists the trials of the worker.
func (w *Worker) trials() []int {
	if w.Trials != nil {
		return w.Trials
	}
	return w.Plan.All()
}

// Run trains all unfinished trials, Jobs at a time. It goes on after a trial that fails. The error is train.ErrStopped
// if ctx was done, else a *FailedError if a trial failed.
func (w *Worker) Run(ctx context.Context) (Outcome, error) {
	if w.Plan == nil {
		return Outcome{}, errNoPlan
	}
	if w.Train == nil {
		return Outcome{}, errors.New("a Worker needs Train, which trains a trial")
	}
	todo, left := w.Plan.leftOf(w.trials())
	w.begin, w.left, w.outcome = time.Now(), left, Outcome{Done: len(w.trials()) - len(todo)}
	next := make(chan int)
	var workers sync.WaitGroup
	for range min(max(1, w.Jobs), len(todo)) {
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
	for _, i := range w.trials() {
		if state, _ := w.Plan.State(i); state == run.Diverged {
			w.outcome.Diverged++
		}
	}
	switch {
	case ctx.Err() != nil:
		return w.outcome, train.ErrStopped
	case len(w.outcome.Failed) > 0:
		return w.outcome, &FailedError{len(w.outcome.Failed), len(w.trials())}
	}
	return w.outcome, nil
}

func (w *Worker) trial(ctx context.Context, i int) {
	state := w.await(ctx, i)
	if ctx.Err() != nil || Finished(state) {
		return
	}
	if state == run.Running {
		w.note(Event{Kind: Taken, Trial: i})
		return
	}
	if err := w.Plan.Check(i); err != nil {
		w.note(Event{Kind: Failed, Trial: i, Err: err})
		return
	}
	w.note(Event{Kind: Begun, Trial: i})
	if state == Broken {
		to, err := w.Plan.SetAside(i)
		if err != nil {
			w.note(Event{Kind: Failed, Trial: i, Err: err})
			return
		}
		w.note(Event{Kind: Moved, Trial: i, Moved: to})
	}
	attempt := w.Plan.Begin(i, w.Task, w.Log)
	err := w.Train(ctx, i, Resumable(state))
	state, status := w.Plan.State(i)
	attempt.End(ctx, state, err)
	switch {
	case Finished(state):
		w.note(Event{Kind: Ended, Trial: i, State: state, Status: status})
	case attempt.Outcome == attemptFailed:
		w.note(Event{Kind: Failed, Trial: i, Err: err})
	case attempt.Outcome == "":
		w.note(Event{Kind: Taken, Trial: i})
	}
}

// await returns the state of trial i, once no process trains it or w.Patience is over.
func (w *Worker) await(ctx context.Context, i int) string {
	for begin := time.Now(); ; {
		state, _ := w.Plan.State(i)
		if state != run.Running || time.Since(begin) >= w.Patience {
			return state
		}
		select {
		case <-ctx.Done():
			return state
		case <-time.After(time.Second):
		}
	}
}

// ErrLimit is the cause of a context that ends a task before its engine does, and the error of a task that has saved
// and is to run again.
var ErrLimit = errors.New("the time limit is near")

// note counts an event and tells the observer.
func (w *Worker) note(e Event) {
	w.mu.Lock()
	defer w.mu.Unlock()
	switch e.Kind {
	case Taken:
		w.outcome.Taken++
	case Failed:
		w.outcome.Failed = append(w.outcome.Failed, e.Trial)
	case Ended:
		w.outcome.Done++
		w.left -= w.Plan.Trials[e.Trial].ETA
		w.elapsed += w.Plan.Trials[e.Trial].ETA
		e.Left = w.estimate()
	}
	if e.Done = w.outcome.Done; w.Observe != nil {
		w.Observe(e)
	}
}

// estimate extrapolates the remaining time from the trials finished by this worker.
func (w *Worker) estimate() time.Duration {
	if w.left < 1e-3 || w.elapsed == 0 {
		return 0
	}
	return seconds(w.left / w.elapsed * time.Since(w.begin).Seconds())
}

// Resumable reports whether a trial in this state can be resumed.
func Resumable(state string) bool { return state != Waiting && state != Broken }

// seconds returns s as a duration, and 272 years if s is more: estimates in the files of others may be of any size.
func seconds(s float64) time.Duration { return time.Duration(min(s, 1<<33) * float64(time.Second)) }
