// Package train is the training loop, evaluation, solvers and schedules.
//
// A Trainer takes a network, batches and Options; Evaluator and Outputs measure networks; Solvers, Schedules and losses
// are lists to which Register… functions add. NewStep takes single steps, for a loop of one's own.
//
// Stable: the keys of Options, Trainer, Evaluator, Outputs, and the state of solvers in checkpoints. Device and its
// programs are experimental.
package train

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/attnconv/attnconv/data"
	"github.com/attnconv/attnconv/internal/kernel/threads"
	"github.com/attnconv/attnconv/internal/memory"
	"github.com/attnconv/attnconv/nn"
	"github.com/attnconv/attnconv/run"
)

// ErrStopped says that training stopped before its end, in a state from which it can resume.
var ErrStopped = errors.New("train: stopped")

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

	// Loss and Solver are nil for those that Options name: a function that adds the loss, and one that makes the solver of the
	// parameters which the loss depends on.
	Loss   Loss
	Solver func(o Options, params []*nn.Param) Solver

	Observe func(run.Event) error // is told what happens, in order; may be nil
	// Save is called where the state is whole: after each epoch, as Every and SaveNow say, and at a stop. It may be nil.
	Save    func(best bool) error
	Every   Every
	SaveNow func() bool // is asked after each step whether to save; nil: never

	// Group is the ranks that train this network together, each with a Trainer of its own; nil: there is one. All ranks have the same
	// options, batches and network, and begin with the weights and the state of rank 0. Each computes its part of Options.Shards,
	// and of evaluations; what one of them asks for (the context is done, SaveNow) all of them do, after the same step.
	Group Group

	Cursor Cursor
	step   Stepper
	eval   *Evaluator
	side   int // of the images that step and eval take; 0: that of Shape
	clock  clock

	average *average // nil: none
	link    *link    // nil: one rank
}

// Every says how often to save within an epoch: after so many steps, or so much time. Zero: never.
type Every struct {
	Steps int
	Time  time.Duration
}

// A Cursor says how far a run has come.
type Cursor struct {
	Step      int     `json:"step"`  // steps taken
	Epoch     int     `json:"epoch"` // epochs closed, evaluation included
	Batch     int     `json:"batch"` // steps taken in the current epoch
	Loss      float64 `json:"loss"`  // sum over those steps of the mean loss
	Correct   int     `json:"correct"`
	Skipped   int     `json:"skipped"` // steps not taken because the loss or a gradient was not finite
	Best      float64 `json:"best"`    // best validation accuracy so far
	BestEpoch int     `json:"best_epoch"`
	Last      Closed  `json:"last"` // the last epoch closed
	Seconds   float64 `json:"seconds"`
}

// Closed is the outcome of an epoch.
type Closed struct {
	TrainLoss float64 `json:"train_loss"`
	TrainAcc  float64 `json:"train_acc"`
	ValLoss   float64 `json:"val_loss"`
	ValAcc    float64 `json:"val_acc"`
}

// EpochSteps is the number of steps in an epoch.
func (t *Trainer) EpochSteps() int {
	if n := t.Options.TrainBatches; n > 0 {
		return min(n, t.Train.Batches())
	}
	return t.Train.Batches()
}

// Prepare checks that the options, the loaders and the network go together, and builds the graphs. Restore needs them.
func (t *Trainer) Prepare() error {
	if err := t.check(); err != nil {
		return err
	}
	if err := t.join(); err != nil {
		return err
	}
	if err := t.build(t.Net, t.Shape, t.Solver); err != nil {
		return err
	}
	for _, l := range []Batches{t.Train, t.Val} {
		if n := t.step.outputs(); l != nil && l.Labels() >= n {
			return fmt.Errorf("train: label %d among the images, and the network has %d classes: want 0 to %d", l.Labels(), n, n-1)
		}
	}
	if err := t.checkParams(); err != nil {
		return err
	}
	if err := t.checkResized(); err != nil {
		return err
	}
	if err := t.prepareAverage(); err != nil {
		return err
	}
	return memory.Check(t.Memory())
}

// Memory returns how many bytes both graphs use once they run: those for whole images, until a run with Options.Resolutions has
// others. Prepare comes first.
func (t *Trainer) Memory() (bytes int64) {
	if s, ok := t.step.(interface{ Memory() int }); ok { // a GPU has memory of its own
		bytes = int64(s.Memory())
	}
	if t.eval != nil {
		bytes += int64(t.eval.Memory())
	}
	return bytes + t.average.bytes()
}

// check returns the first way in which what the trainer was given does not go together.
func (t *Trainer) check() error {
	for _, b := range []*Batches{&t.Train, &t.Val} {
		if l, ok := (*b).(*data.Loader); ok && l == nil {
			*b = nil
		}
	}
	if t.Net == nil || t.Train == nil {
		return errors.New("train: a Trainer wants a network and a loader to train with: Net and Train")
	}
	if err := t.Options.Validate(); err != nil {
		return fmt.Errorf("train: %w", err)
	}
	if t.Train.Batches() < 1 {
		return errors.New("train: Train has no batch: want 1 or more in an epoch")
	}
	if t.Shape == [3]int{} {
		shape := t.Train.Shape()
		t.Shape = [3]int(shape[1:])
	}
	for _, l := range []struct {
		name, key string
		loader    Batches
		batch     int
	}{{"Train", "Batch", t.Train, t.Options.Batch}, {"Val", "EvalBatch", t.Val, t.Options.EvalBatch}} {
		if l.loader == nil {
			continue
		}
		want := Shape{l.batch, t.Shape[0], t.Shape[1], t.Shape[2]}
		if got := Shape(l.loader.Shape()); got != want {
			return fmt.Errorf("train: the loader %s makes batches of %v, and Options.%s and Shape say %v", l.name, got, l.key, want)
		}
	}
	return nil
}

// checkParams reports a parameter of the network that Params lacks: it would be neither averaged nor shared with other
// ranks.
func (t *Trainer) checkParams() error {
	used := t.step.uses()
	if t.Params == nil {
		t.Params = used
	}
	for _, p := range used {
		if !slices.Contains(t.Params, p) {
			return fmt.Errorf("train: Params lacks %s, which Net uses: want the parameters of this network, or nil for all that it uses", p.Name)
		}
	}
	return nil
}

// observe is Observe, which may be nil.
func (t *Trainer) observe(e run.Event) error {
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

var errUnprepared = errors.New("train: Prepare comes first")

// Close frees the graphs.
func (t *Trainer) Close() { t.closeGraphs() }

func (t *Trainer) closeGraphs() (err error) {
	if t.step != nil {
		err = t.step.Close()
	}
	if t.eval != nil {
		err = errors.Join(err, t.eval.Close())
	}
	t.step, t.eval = nil, nil
	return err
}

// Run trains from the cursor to the last epoch. When ctx is done it finishes the current step, saves, and returns
// ErrStopped. A loss or gradient that is not finite ends it with *Diverged, and nothing is saved over the last good
// state.
func (t *Trainer) Run(ctx context.Context) error {
	if t.step == nil || t.Val != nil && t.eval == nil {
		return errUnprepared
	}
	if err := t.share(ctx); err != nil {
		return err
	}
	t.clock.start(t)
	start := run.Start{Step: t.Cursor.Step, Steps: t.Steps(), Epochs: t.Options.Epochs,
		Params: nn.Learned(t.Params), Threads: threads.Limit(), Kernels: KernelsOf(t.Options.Device)}
	if err := t.observe(start); err != nil {
		return err
	}
	for t.Cursor.Epoch < t.Options.Epochs {
		if err := t.epoch(ctx); err != nil {
			return err
		}
	}
	t.average.swap(true)
	return nil
}

// epoch takes the remaining steps of the current epoch and closes it.
func (t *Trainer) epoch(ctx context.Context) error {
	c, steps := &t.Cursor, t.EpochSteps()
	epochStart := time.Now()
	t.average.swap(false)
	side := t.reduced(c.Epoch)
	if err := t.enter(side); err != nil {
		return err
	}
	if c.Batch < steps {
		for b := range t.at(t.mine()).Epoch(context.WithoutCancel(ctx), c.Epoch, c.Batch) {
			if err := t.one(b, steps); err != nil {
				return err
			}
			stop, save := t.asked(ctx)
			if stop {
				return t.stop()
			}
			if save {
				if err := t.save(); err != nil {
					return err
				}
			}
			if c.Batch == steps {
				break
			}
		}
	}
	if c.Batch < steps {
		return fmt.Errorf("train: epoch %d has %d batches; want the %d that Train.Batches says", c.Epoch+1, c.Batch, steps)
	}
	if err := t.step.Sync(); err != nil {
		return err
	}
	t.average.swap(true)
	n := float64(max(1, c.Batch))
	closed := Closed{TrainLoss: c.Loss / n, TrainAcc: float64(c.Correct) / (n * float64(t.Options.Batch))}
	last := c.Epoch+1 == t.Options.Epochs
	scored, held := t.eval != nil && (last || (c.Epoch+1)%t.Options.EvalEvery == 0), 0
	if scored {
		evalStart := time.Now()
		s, stop, err := t.score(ctx)
		if stop {
			return t.stop() // the cursor stands before the evaluation, which a resume repeats
		}
		if err != nil {
			return err
		}
		closed.ValLoss, closed.ValAcc, held = s.Loss, s.Acc, s.N
		t.clock.evalS = time.Since(evalStart).Seconds()
	}
	first := c.BestEpoch == 0 || t.reduced(c.BestEpoch-1) != side // accuracies at different sides are no match
	best := !scored && t.eval == nil || scored && (first || closed.ValAcc > c.Best)
	rate := t.Options.Rate(max(0, c.Step-1), steps)
	c.Epoch, c.Batch, c.Loss, c.Correct, c.Last = c.Epoch+1, 0, 0, 0, closed
	if best {
		c.Best, c.BestEpoch = closed.ValAcc, c.Epoch
	}
	c.Seconds = t.clock.seconds()
	if !scored { // not 0; a cursor is JSON, which has no NaN
		closed.ValLoss, closed.ValAcc = math.NaN(), math.NaN()
	}
	err := t.observe(run.Epoch{Epoch: c.Epoch, Epochs: t.Options.Epochs, Smoothed: t.Options.LabelSmoothing > 0, Step: c.Step, TrainLoss: closed.TrainLoss,
		TrainAcc: closed.TrainAcc, ValLoss: closed.ValLoss, ValAcc: closed.ValAcc, ValN: held, LR: rate,
		ImgS:  t.clock.imgS(t.Options.Batch),
		WallS: time.Since(epochStart).Seconds(), TotalS: c.Seconds, Best: best, Side: side, ETA: t.clock.eta(t)})
	if err != nil {
		return err
	}
	return t.saved(best)
}

// one takes one step and tells the observer.
func (t *Trainer) one(b *data.Batch, steps int) error {
	c := &t.Cursor
	begin := time.Now()
	rate := t.Options.Rate(c.Step, steps)
	loss, correct, err := t.step.Train(b, c.Step, rate)
	if t.average != nil && err == nil {
		t.average.add(t.Options.Average, c.Step-c.Skipped)
	}
	if d := new(Diverged); errors.As(err, &d) && t.Options.OnNaN == "skip" {
		c.Skipped++
		skipped := fmt.Sprintf("step %d skipped: %s gave a value that is not finite", d.Step, d.Where)
		if err := t.observe(run.Warn{Message: skipped}); err != nil {
			return err
		}
		loss, err = 0, nil
	}
	if err != nil {
		return err
	}
	c.Step, c.Batch, c.Loss, c.Correct = c.Step+1, c.Batch+1, c.Loss+loss, c.Correct+correct
	t.clock.lap(time.Since(begin).Seconds())
	c.Seconds = t.clock.seconds()
	return t.observe(run.Step{Step: c.Step, Epoch: c.Epoch + 1, Loss: c.Loss / float64(c.Batch),
		Acc: float64(c.Correct) / float64(c.Batch*t.Options.Batch), LR: rate, ImgS: t.clock.imgS(t.Options.Batch),
		StepS: t.clock.stepS, ETA: t.clock.eta(t), Steps: t.Steps(), EpochSteps: steps, EpochStep: c.Batch,
		Elapsed: c.Seconds})
}

func (t *Trainer) stop() error {
	if err := t.save(); err != nil {
		return err
	}
	t.average.swap(true)
	return ErrStopped
}

// save is Save, within an epoch.
func (t *Trainer) save() error {
	if err := t.step.Sync(); err != nil {
		return err
	}
	t.average.swap(true)
	defer t.average.swap(false)
	return t.saved(false)
}

// Steps returns how many steps the whole run takes.
func (t *Trainer) Steps() int { return t.Options.Epochs * t.EpochSteps() }
