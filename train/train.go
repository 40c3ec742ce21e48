// Package train is the training loop, evaluation, solvers and schedules.
//
// A Trainer takes a network, batches and Options; Evaluator and Outputs measure networks; Solvers, Schedules and losses
// are lists to which Register… functions add. NewStep takes single steps, for your own loop.
//
// Read train.go (run, epoch, step), step.go (loss, gradients, solver), prepare.go (checks and graphs), progress.go and
// state.go (what a resume needs), and eval.go. Then shards.go and team.go are about several ranks, and device_step.go
// about a GPU. Package session starts a Trainer and writes its files. A change must keep the same bytes after a resume
// and on any number of ranks.
//
// Stable: the keys of Options, Trainer, Evaluator, Outputs, and the state of solvers in checkpoints. Device and its
// programs are experimental.
package train

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/attnconv/attnconv/data"
	"github.com/attnconv/attnconv/internal/kernel/threads"
	"github.com/attnconv/attnconv/nn"
	"github.com/attnconv/attnconv/run/event"
)

// ErrStopped says that training stopped before its end, in a state from which it can resume.
var ErrStopped = errors.New("stopped")

// A Trainer trains one network: Prepare, then Run. What a resume needs is in its Cursor, its solver
// and the parameters: State, CursorText and Restore save and restore the first two. With Options.Average the parameters
// hold averages where Save and Observe of an epoch are called, and after Run.
type Trainer struct {
	Options Options
	Net     nn.Layer
	Params  []*nn.Param // of Net, running statistics included; nil: all that Net uses
	Train   Batches
	Val     Batches // nil: no validation
	Shape   [3]int  // rows, columns, channels of an image; zeros: as Train has them

	// Loss and Solver are nil for those that Options name: a function that adds the loss, and one that makes the solver
	// of the parameters which the loss depends on.
	Loss   Loss
	Solver func(o Options, params []*nn.Param) Solver

	// Operate changes and freezes parameters before the first step, and calls Refreeze. It may be nil.
	Operate func() error

	Observe func(event.Event) error // is told what happens, in order; may be nil
	// Save is called where the state is whole: after each epoch, as Every and SaveNow say, and at a stop. It may be
	// nil.
	Save    func(best bool) error
	Every   SaveInterval
	SaveNow func() bool // is asked after each step whether to save; nil: never

	// Until is the epoch after which Run saves and returns ErrStopped, as where ctx is done; 0: the last.
	Until int

	// Group is the ranks that train this network together, each with a Trainer of its own; nil: there is one. All ranks
	// have the same options, batches and network, and begin with the weights and the state of rank 0. Each computes its
	// part of Options.Shards, and of evaluations; what one of them asks for (the context is done, SaveNow) all of them
	// do, after the same step.
	Group Group

	Cursor Cursor

	// What trains and evaluates at the side of the epoch's images (enter), and the batches at that side, of this rank.
	step       Stepper
	eval       *Evaluator // nil: no validation
	train, val Batches

	average *average // nil: none
	team    team
}

// SaveInterval says how often to save within an epoch: after so many steps, or so much time. Zero: never.
type SaveInterval struct {
	Steps int
	Time  time.Duration
}

// EpochSteps is the number of steps in an epoch.
func (t *Trainer) EpochSteps() int {
	if n := t.Options.TrainBatches; n > 0 {
		return min(n, t.Train.Batches())
	}
	return t.Train.Batches()
}

// Steps returns how many steps the whole run takes.
func (t *Trainer) Steps() int { return t.Options.Epochs * t.EpochSteps() }

// Run trains from the cursor to the last epoch. When ctx is done it finishes the current step, saves, and returns
// ErrStopped. A loss or gradient that is not finite ends it with *DivergenceError, and nothing is saved over the last
// good state.
func (t *Trainer) Run(ctx context.Context) error {
	if t.step == nil || t.Val != nil && t.eval == nil {
		return errUnprepared
	}
	t.average.swap(false)
	defer t.average.swap(true)
	if err := t.share(); err != nil {
		return err
	}
	t.Cursor.start()
	start := event.Start{Step: t.Cursor.Step, Steps: t.Steps(), Epochs: t.Options.Epochs,
		Params: nn.CountLearned(t.Params), Threads: threads.Limit(), Kernels: KernelsOf(t.Options.Device)}
	if err := t.observe(start); err != nil {
		return err
	}
	if t.Operate != nil && t.Cursor.Step == 0 {
		if err := t.Operate(); err != nil {
			return err
		}
	}
	if t.Options.Epochs == 0 {
		return t.closeStart(ctx)
	}
	for t.Cursor.Epoch < t.Options.Epochs {
		if t.Until > 0 && t.Cursor.Epoch >= t.Until { // saved where the epoch was closed
			return ErrStopped
		}
		if err := t.epoch(ctx); err != nil {
			return err
		}
	}
	return nil
}

// epoch takes the remaining steps of the current epoch, evaluates the network and closes the epoch.
func (t *Trainer) epoch(ctx context.Context) error {
	c, steps := &t.Cursor, t.EpochSteps()
	c.epochBegin = time.Now()
	if err := t.enter(t.side(c.Epoch)); err != nil {
		return err
	}
	for b := range t.train.Epoch(context.WithoutCancel(ctx), c.Epoch, c.Batch) {
		if err := t.takeStep(b); err != nil {
			return err
		}
		switch stop, save, err := t.asked(ctx); {
		case err != nil:
			return err
		case stop:
			return t.stop()
		case save:
			if err := t.save(); err != nil {
				return err
			}
		}
	}
	if c.Batch < steps {
		return fmt.Errorf("epoch %d has %d batches; want the %d that Train.Batches says", c.Epoch+1, c.Batch, steps)
	}
	if err := t.step.Sync(); err != nil {
		return err
	}
	defer t.average.swap(t.average.swap(true)) // the averages are evaluated and saved
	score, err := t.evaluate(ctx)
	if err != nil {
		return err
	}
	return t.closeEpoch(score)
}

// takeStep takes one step and tells the observer.
func (t *Trainer) takeStep(b *data.Batch) error {
	c, o, steps := &t.Cursor, t.Options, t.EpochSteps()
	begin := time.Now()
	rate := o.Rate(c.Step, steps)
	loss, correct, err := t.step.Train(b, c.Step, rate)
	if d := new(DivergenceError); errors.As(err, &d) && o.OnNaN == "skip" {
		c.Skipped++
		skipped := fmt.Sprintf("step %d skipped: %s gave a value that is not finite", d.Step, d.Where)
		if err := t.observe(event.Warn{Message: skipped}); err != nil {
			return err
		}
		loss = 0
	} else if err != nil {
		return err
	} else if err := t.average.add(o.Average, c.Step-c.Skipped); err != nil {
		return err
	} else {
		c.addGradients(t.step.gradientSquares())
	}
	c.step(loss, correct, time.Since(begin).Seconds())
	return t.observe(event.Step{Step: c.Step, Epoch: c.Epoch + 1, Loss: c.Loss / float64(c.Batch),
		Acc: float64(c.Correct) / float64(c.Batch*o.Batch), LR: rate, ImgS: c.imgS(o.Batch), StepS: c.stepS,
		ETA:   t.eta(),
		Steps: t.Steps(), EpochSteps: steps, EpochStep: c.Batch, Elapsed: c.Seconds})
}

// asked says what to do after a step: what ctx, SaveNow and Every say, on any rank.
func (t *Trainer) asked(ctx context.Context) (stop, save bool, err error) {
	if stop = ctx.Err() != nil; !stop {
		save = t.SaveNow != nil && t.SaveNow() || t.team.rank() == 0 && t.Cursor.due(t.Every)
	}
	return t.team.any(stop, save)
}

// evaluate returns the score of the network on the validation images, or nil where the epoch ends without one.
func (t *Trainer) evaluate(ctx context.Context) (*Score, error) {
	epoch := t.Cursor.Epoch + 1
	if t.eval == nil || epoch < t.Options.Epochs && epoch%t.Options.EvalEvery != 0 {
		return nil, nil
	}
	begin := time.Now()
	o, stop, err := t.team.outputs(ctx, t.eval, t.val, t.Options.ValBatches)
	if stop {
		return nil, t.stop() // the cursor is before the evaluation, which a resume repeats
	}
	if err != nil {
		return nil, err
	}
	s := o.Score()
	if notFinite(s.Loss) {
		where, err := t.eval.FirstBad()
		if err == nil {
			where, err = t.team.first(where)
		}
		return nil, cmp.Or(err, error(&DivergenceError{t.Cursor.Step, where}))
	}
	t.Cursor.evalS = time.Since(begin).Seconds()
	return &s, nil
}

// closeEpoch closes the epoch with its score, tells the observer, and saves.
func (t *Trainer) closeEpoch(score *Score) error {
	c, o := &t.Cursor, t.Options
	n := float64(max(1, c.Batch))
	closed := EpochResult{TrainLoss: c.Loss / n, TrainAcc: float64(c.Correct) / (n * float64(o.Batch))}
	e := event.Epoch{Epoch: c.Epoch + 1, Epochs: o.Epochs, Smoothed: o.LabelSmoothing > 0, Step: c.Step,
		TrainLoss: closed.TrainLoss,
		TrainAcc:  closed.TrainAcc, ValLoss: math.NaN(), ValAcc: math.NaN(),
		LR:   o.Rate(max(0, c.Step-1), t.EpochSteps()),
		ImgS: c.imgS(o.Batch), Best: t.Val == nil}
	if score != nil { // else 0 in the cursor, which is JSON and has no NaN
		closed.ValLoss, closed.ValAcc = score.Loss, score.Acc
		e.ValLoss, e.ValAcc, e.ValN, e.PerClass = score.Loss, score.Acc, score.N, score.perClass()
		// accuracies at different sides are no match
		first := c.BestEpoch == 0 || t.side(c.BestEpoch-1) != t.side(c.Epoch)
		e.Best = first || closed.ValAcc > c.Best
	}
	if side := t.side(c.Epoch); side != t.Shape[0] {
		e.Side = side
	}
	_, learned := t.step.learner()
	e.Layers = layerNorms(learned, c.Gradients)
	c.close(closed, e.Best)
	e.WallS, e.TotalS, e.ETA = time.Since(c.epochBegin).Seconds(), c.Seconds, t.eta()
	if err := t.observe(e); err != nil {
		return err
	}
	return t.saved(e.Best)
}

// closeStart evaluates and saves the network of a run without epochs, as if it had closed epoch 0.
func (t *Trainer) closeStart(ctx context.Context) error {
	c := &t.Cursor
	c.epochBegin = time.Now()
	if err := t.enter(t.side(0)); err != nil {
		return err
	}
	score, err := t.evaluate(ctx)
	if err != nil {
		return err
	}
	unknown := math.NaN()
	e := event.Epoch{TrainLoss: unknown, TrainAcc: unknown, ValLoss: unknown, ValAcc: unknown, Best: true}
	if score != nil {
		c.Last.ValLoss, c.Last.ValAcc = score.Loss, score.Acc
		e.ValLoss, e.ValAcc, e.ValN, e.PerClass = score.Loss, score.Acc, score.N, score.perClass()
	}
	e.WallS = time.Since(c.epochBegin).Seconds()
	if err := t.observe(e); err != nil {
		return err
	}
	return t.saved(true)
}

// stop saves, and is ErrStopped.
func (t *Trainer) stop() error { return cmp.Or(t.save(), ErrStopped) }

// save is Save, within an epoch.
func (t *Trainer) save() error {
	if err := t.step.Sync(); err != nil {
		return err
	}
	defer t.average.swap(t.average.swap(true))
	return t.saved(false)
}

// observe is Observe, which may be nil.
func (t *Trainer) observe(e event.Event) error {
	if t.Observe == nil {
		return nil
	}
	return t.Observe(e)
}

// saved is Save, which may be nil.
func (t *Trainer) saved(best bool) error {
	if t.Save == nil {
		return nil
	}
	return t.Save(best)
}
