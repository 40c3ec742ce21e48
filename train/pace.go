package train

import (
	"context"
	"slices"
	"time"
)

// A Pace is how long the work of a run takes.
type Pace struct {
	// seconds of a step: the median of those measured; with Options.Resolutions, the mean of these over the epochs
	StepS float64
	EvalS float64 // seconds of an evaluation, estimated from that
	Steps int     // measured
	Sides []SidePace
}

// A SidePace is the Pace of the epochs with one side, of Options.Resolutions.
type SidePace struct {
	Side         int // pixels
	StepS, EvalS float64
}

// How much Measure measures: a median of stepsMost, fewer where steps are slow.
const (
	stepsMost   = 9
	stepsLeast  = 3
	measureS    = 2  // seconds after which stepsLeast are enough
	measureMost = 10 // seconds after which one is
)

// Measure times some steps, of each side in Options.Resolutions, without changing a parameter. Prepare comes first.
func (t *Trainer) Measure(ctx context.Context) (p Pace, err error) {
	if t.step == nil {
		return p, errUnprepared
	}
	sides := t.Options.sides()
	if len(sides) == 0 {
		p.StepS, p.EvalS, p.Steps, err = t.measure(ctx)
		return p, err
	}
	for _, side := range sides {
		if err := t.enter(side); err != nil {
			return p, err
		}
		step, eval, n, err := t.measure(ctx)
		if err != nil {
			return p, err
		}
		p.Sides, p.Steps = append(p.Sides, SidePace{side, step, eval}), p.Steps+n
	}
	for epoch := range t.Options.Epochs {
		step, eval := p.at(t.Options.Side(epoch))
		p.StepS, p.EvalS = p.StepS+step/float64(t.Options.Epochs), p.EvalS+eval/float64(t.Options.Epochs)
	}
	return p, nil
}

// at returns the seconds of a step and of an evaluation at a side.
func (p Pace) at(side int) (step, eval float64) {
	for _, s := range p.Sides {
		if s.Side == side {
			return s.StepS, s.EvalS
		}
	}
	return p.StepS, p.EvalS
}

// Seconds estimates how long a run takes from a cursor to its end.
func (t *Trainer) Seconds(p Pace, from Cursor) float64 { return t.rest(from, p.at) }

// rest sums up the steps and the evaluations from a cursor on, by their seconds at a side.
func (t *Trainer) rest(from Cursor, at func(side int) (step, eval float64)) (seconds float64) {
	o := t.Options
	for epoch := from.Epoch; epoch < o.Epochs; epoch++ {
		step, eval := at(o.Side(epoch))
		steps := t.EpochSteps()
		if epoch == from.Epoch {
			steps -= from.Batch
		}
		seconds += step * float64(steps)
		if epoch+1 == o.Epochs || (epoch+1)%o.EvalEvery == 0 {
			seconds += eval
		}
	}
	return seconds
}

// eta returns the remaining seconds of steps and evaluations, by those that were timed. Until an evaluation has been
// timed, its estimate is a third of the time of training on as many images.
func (t *Trainer) eta() float64 {
	c, evalS := &t.Cursor, t.Cursor.evalS
	if evalS == 0 && t.Val != nil {
		evalS = c.paceS / 3 * float64(t.Val.Len()) / float64(t.Options.Batch)
	}
	if len(t.Options.Resolutions) > 0 { // a step of another side takes as much longer or shorter as it has pixels
		return t.rest(*c, func(side int) (float64, float64) {
			pixels := pixelRatio(t.train.Shape()[1], side)
			return c.paceS * pixels, evalS * pixels
		})
	}
	evals := (t.Options.Epochs - c.Epoch + t.Options.EvalEvery - 1) / t.Options.EvalEvery
	return c.paceS*float64(t.Steps()-c.Step) + evalS*float64(evals)
}

// pixelRatio is how many times as many pixels square images of another side have.
func pixelRatio(from, to int) float64 {
	r := float64(to) / float64(from)
	return r * r
}

// measure times steps of the graphs that are there, and returns the median of n of them.
func (t *Trainer) measure(ctx context.Context) (stepS, evalS float64, n int, err error) {
	var laps []float64
	for b := range t.train.Epoch(ctx, 0, 0) {
		if err := t.step.Try(b, 0); err != nil { // not timed: it also makes the buffers
			return 0, 0, 0, err
		}
		for begin := time.Now(); len(laps) < stepsMost && ctx.Err() == nil; {
			lap := time.Now()
			if err := t.step.Try(b, 0); err != nil {
				return 0, 0, 0, err
			}
			laps = append(laps, time.Since(lap).Seconds())
			if s := time.Since(begin).Seconds(); s > measureMost || s > measureS && len(laps) >= stepsLeast {
				break
			}
		}
		break
	}
	if len(laps) == 0 {
		return 0, 0, 0, ctx.Err()
	}
	slices.Sort(laps)
	stepS = laps[len(laps)/2]
	if t.eval != nil {
		evalS = stepS / 3 * float64(t.Val.Len()) / float64(t.Options.Batch)
	}
	return stepS, evalS, len(laps), nil
}
