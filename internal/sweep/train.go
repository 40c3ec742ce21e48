package sweep

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/attnconv/attnconv/run"
	"github.com/attnconv/attnconv/run/event"
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

	Done int           // trials that need no more work, with halving of their rung
	Of   int           // trials of the worker, with halving of the rung
	Left time.Duration // estimate for the others; 0: unknown, or none is left
}

// Kind is what happened to a trial.
type Kind int

// The kinds of events.
const (
	Begun  Kind = iota // it is about to be trained or resumed
	Ended              // it is done or has diverged, or with halving has reached its rung
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
	// done it saves and returns, as after the epoch until, unless that is 0. The error is a *run.BusyError if another
	// process trains it.
	Train func(ctx context.Context, i int, resume bool, until int) error
	// Observe is told what happens, by one goroutine at a time; nil: nobody is.
	Observe func(Event)

	mu      sync.Mutex
	begin   time.Time
	outcome Outcome
	now     *standing // when the work on these trials began
	of      int
	left    float64 // planned seconds of the unfinished trials
	elapsed float64 // planned seconds of the trials finished by this worker
}

// An Outcome is how far a sweep is.
type Outcome struct {
	Done     int   // trials that need no more work
	Diverged int   // of these, those that diverged
	Pruned   int   // of these, those that halving left out
	Taken    int   // that other processes train
	Failed   []int // that could not be trained
}

// A FailedError reports trials that could not be trained; those that could are.
type FailedError struct{ Trials, Of int }

func (e *FailedError) Error() string {
	return fmt.Sprintf("%d of %d runs failed", e.Trials, e.Of)
}

// Left returns the trials that need work now, and the seconds that the whole sweep still takes as planned.
func (p *Plan) Left() (trials []int, seconds float64) {
	s := p.standing(nil)
	return s.todo(p.All()), s.left()
}

// All lists the numbers of the trials.
func (p *Plan) All() []int {
	all := make([]int, len(p.Trials))
	for i := range all {
		all[i] = i
	}
	return all
}

// todo returns those of the trials that need work now.
func (s *standing) todo(of []int) (trials []int) {
	for _, i := range of {
		if !s.over(i) {
			trials = append(trials, i)
		}
	}
	return trials
}

// trials lists the trials of the worker.
func (w *Worker) trials() []int {
	if w.Trials != nil {
		return w.Trials
	}
	return w.Plan.All()
}

// Run trains all unfinished trials, Jobs at a time. It goes on after a trial that fails. With halving it trains rung by
// rung, and waits for other processes that train trials of the rung; a failed trial leaves its rung undecided, and ends
// the work. With Trials it trains these until their rung of now. The error is train.ErrStopped if ctx was done, else a
// *FailedError if a trial failed.
func (w *Worker) Run(ctx context.Context) (Outcome, error) {
	if w.Plan == nil {
		return Outcome{}, errNoPlan
	}
	if w.Train == nil {
		return Outcome{}, errors.New("a Worker needs Train, which trains a trial")
	}
	for again := true; again && ctx.Err() == nil; {
		again = w.rung(ctx)
	}
	s := w.Plan.standing(w.Trials)
	w.outcome.Done = 0
	for _, i := range w.trials() {
		switch state := s.state(i); {
		case state == event.Diverged:
			w.outcome.Diverged++
		case state == Pruned:
			w.outcome.Pruned++
		}
		if s.over(i) {
			w.outcome.Done++
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

// rung trains the trials that need work now, and reports whether another rung may follow.
func (w *Worker) rung(ctx context.Context) (again bool) {
	s := w.Plan.standing(w.Trials)
	todo, of := s.todo(w.trials()), w.trials()
	halving := w.Plan.Halving != nil && w.Trials == nil
	if halving {
		of = slices.DeleteFunc(slices.Clone(of), func(i int) bool { return s.until(i) == noMore })
		w.Patience = forever
	}
	w.begin, w.now, w.elapsed, w.left = time.Now(), s, 0, 0
	for _, i := range todo {
		w.left += s.seconds(i)
	}
	w.outcome = Outcome{Done: len(of) - len(todo), Failed: w.outcome.Failed}
	before := w.outcome.Done
	w.of = len(of)
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
	if !halving || len(todo) == 0 || len(w.outcome.Failed) > 0 {
		return false
	}
	if w.outcome.Done == before { // others were faster
		select {
		case <-ctx.Done():
		case <-time.After(time.Second):
		}
		return w.outcome.Taken > 0
	}
	return true
}

// forever is longer than any run.
const forever = 1 << 62

func (w *Worker) trial(ctx context.Context, i int) {
	state := w.await(ctx, i)
	if ctx.Err() != nil || Finished(state) || state != event.Running && w.now.reached(i) { // by another process
		return
	}
	if state == event.Running {
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
	err := w.Train(ctx, i, Resumable(state), max(0, w.now.until(i)))
	reached := w.now.reached(i)
	state, status := w.Plan.State(i)
	attempt.End(ctx, state, reached, err)
	switch {
	case reached:
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
		if state != event.Running || time.Since(begin) >= w.Patience {
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
		w.left -= w.now.seconds(e.Trial)
		w.elapsed += w.now.seconds(e.Trial)
		e.Left = w.estimate()
	}
	if e.Done, e.Of = w.outcome.Done, w.of; w.Observe != nil {
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
