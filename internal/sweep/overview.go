package sweep

import (
	"cmp"
	"slices"
	"time"

	"github.com/attnconv/attnconv/run"
	"github.com/attnconv/attnconv/run/event"
)

// The states of a trial that an Overview adds to those of State: what the submitted jobs and the attempts tell.
const (
	Queued = "queued" // in a job of an engine, which has not begun it or will go on with it
	Lost   = "lost"   // its process ended without saving: it was killed, or its machine died
)

// An Overview is how far each trial of a sweep is, from only its files. Any number of processes may be training it.
type Overview struct {
	Plan   *Plan
	Jobs   []Submission // the oldest first
	States []string     // of each trial
	Counts map[string]int
	Left   float64 // planned seconds of the trials that are not finished
	Rung   *Rung   // of halving; nil: none

	statuses []run.Status
	attempts []*Attempt // of the trials that have neither finished nor run
	queued   []*Submission
}

// Overview reads the state of every trial.
func (p *Plan) Overview() (*Overview, error) {
	if p == nil {
		return nil, errNoPlan
	}
	jobs, err := p.Submissions()
	if err != nil {
		return nil, err
	}
	n := len(p.Trials)
	o := &Overview{Plan: p, Jobs: jobs, States: make([]string, n), Counts: map[string]int{},
		statuses: make([]run.Status, n),
		attempts: make([]*Attempt, n), queued: make([]*Submission, n)}
	for k := range jobs { // the newest job of a trial counts
		for _, i := range jobs[k].trials {
			o.queued[i] = &jobs[k]
		}
	}
	s := p.standing(nil)
	p.each(n, func(i int) {
		state := s.state(i)
		o.statuses[i] = s.all[i].status
		if !s.over(i) && state != event.Running {
			o.attempts[i] = p.Attempt(i)
			state = o.judge(i, state)
		}
		o.States[i] = state
	})
	for _, state := range o.States {
		o.Counts[state]++
	}
	o.Left = s.left()
	if p.Halving != nil {
		o.Rung = &Rung{Number: s.rung + 1, Of: len(p.Halving.Rungs) + 1, Epochs: p.Halving.end(s.rung),
			Points: s.alive[s.rung]}
	}
	return o, nil
}

// starting is how long an attempt may need before its run has a folder: to read the data and to build the network.
const starting = 5 * time.Minute

// judge says more about a trial that is neither finished nor running than State does.
func (o *Overview) judge(i int, state string) string {
	a, job := o.attempts[i], o.queued[i]
	if state == event.Stopped && o.statuses[i].State == event.Running { // killed: it wrote no end
		state = Lost
	}
	switch {
	case job != nil && (a == nil || a.Began.Before(job.Created)): // submitted after that attempt
		return Queued
	case a == nil:
		return state
	case a.Outcome == attemptRung: // its next rung has not begun
		return Waiting
	case a.Outcome == attemptRequeue && job != nil:
		return Queued
	case a.Outcome == attemptFailed && state != Broken:
		return event.Failed
	case a.Outcome == "" && state == Waiting && time.Since(a.Began) > starting:
		return Lost
	case a.Outcome == "" && state == Waiting:
		return event.Running
	}
	return state
}

// retryable are the states from which a trial goes on only if it is submitted again.
var retryable = []string{event.Failed, Lost, Broken}

// Retry returns the trials that ended without success and that no job will go on with; with stopped, also those that a
// signal stopped.
func (o *Overview) Retry(stopped bool) []int {
	return o.in(func(state string) bool {
		return slices.Contains(retryable, state) || stopped && state == event.Stopped
	})
}

// Idle returns the trials that are neither finished nor running nor in a job; with queued, also those in a job.
func (o *Overview) Idle(queued bool) []int {
	return o.in(func(state string) bool {
		resting := Finished(state) || state == Paused || state == Pruned
		return !resting && state != event.Running && (queued || state != Queued)
	})
}

func (o *Overview) in(wanted func(state string) bool) (trials []int) {
	for i, state := range o.States {
		if wanted(state) {
			trials = append(trials, i)
		}
	}
	return trials
}

// Document returns the overview as a JSON document.
func (o *Overview) Document() Status {
	d := Status{V: 1, Path: o.Plan.Path, Runs: len(o.Plan.Trials), States: o.Counts, Left: o.Left, Halving: o.Rung,
		Jobs: []Job{}, Running: []Progress{}, Problems: []Problem{}}
	for _, j := range o.Jobs {
		d.Jobs = append(d.Jobs, j.Document())
	}
	for i, state := range o.States {
		name := o.Plan.Trials[i].Name
		switch s := o.statuses[i]; {
		case state == event.Running:
			d.Running = append(d.Running, Progress{Trial: i, Name: name, Epoch: s.Epoch, Epochs: s.Epochs, Step: s.Step,
				Steps: s.Steps})
		case slices.Contains(retryable, state) || state == event.Diverged:
			p := Problem{Trial: i, Name: name, State: state}
			if a := o.attempts[i]; a != nil {
				p.Error, p.Task, p.Log = a.Error, a.Task, a.Log
			}
			p.Error = cmp.Or(p.Error, reasons[state])
			d.Problems = append(d.Problems, p)
		}
	}
	return d
}

// reasons say what is known about a trial in a state if its attempt left no error.
var reasons = map[string]string{Lost: "its process ended without saving: it was killed, or its machine died",
	Broken: "its run.json cannot be read", event.Failed: "its run failed", event.Diverged: "its loss was not finite"}
