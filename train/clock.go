package train

import (
	"cmp"
	"time"
)

// clock measures steps and estimates the time that remains. Nothing that it measures changes what is computed.
type clock struct {
	begin  time.Time
	before float64 // seconds before the resume
	stepS  float64 // of a step, smoothed over about the last ten
	paceS  float64 // of a step, smoothed over the last minutes: the estimate of the remaining time is based on it
	laps   float64 // seconds of steps of which paceS is the mean, at most smooth
	evalS  float64 // of an evaluation, once one has been seen
	saved  time.Time
}

func (c *clock) start(t *Trainer) {
	c.begin, c.saved, c.before = time.Now(), time.Now(), t.Cursor.Seconds
}

// smooth is the window of the estimate of the remaining time, in seconds of steps: short enough to follow a machine that
// becomes busy, long enough not to jump at each step.
const smooth = 120

// lap records one step. The first is slower than the others, so later ones replace it quickly.
func (c *clock) lap(seconds float64) {
	const keep = 0.9
	if c.stepS == 0 || seconds < c.stepS/2 {
		c.stepS = seconds
	}
	c.stepS = keep*c.stepS + (1-keep)*seconds
	if c.paceS == 0 { // the first step is shown, but is no part of the mean
		c.paceS = seconds
		return
	}
	steps := c.laps / c.paceS
	c.paceS = (c.laps + seconds) / (steps + 1)
	c.laps = min(c.laps+seconds, smooth)
}

func (c *clock) seconds() float64 { return c.before + time.Since(c.begin).Seconds() }

func (c *clock) imgS(batch int) float64 {
	if c.stepS == 0 {
		return 0
	}
	return float64(batch) / c.stepS
}

// eta returns the remaining seconds of steps and evaluations. Until an evaluation has been timed, its estimate is a third
// of the time of training on as many images.
func (c *clock) eta(t *Trainer) float64 {
	evalS := c.evalS
	if evalS == 0 && t.Val != nil {
		evalS = c.paceS / 3 * float64(t.Val.Len()) / float64(t.Options.Batch)
	}
	if len(t.Options.Resolutions) > 0 { // a step of another side takes as much longer or shorter as it has pixels
		now := float64(cmp.Or(t.side, t.Shape[0]))
		return t.rest(t.Cursor, func(side int) (float64, float64) {
			pixels := float64(side) / now
			return c.paceS * pixels * pixels, evalS * pixels * pixels
		})
	}
	evals := (t.Options.Epochs - t.Cursor.Epoch + t.Options.EvalEvery - 1) / t.Options.EvalEvery
	return c.paceS*float64(t.Steps()-t.Cursor.Step) + evalS*float64(evals)
}

// resized begins to measure anew, for images of another side; 0 is the whole ones' side.
func (c *clock) resized(from, to, whole int) {
	pixels := float64(cmp.Or(to, whole)) / float64(cmp.Or(from, whole))
	c.stepS, c.paceS, c.laps, c.evalS = 0, 0, 0, c.evalS*pixels*pixels
}

// due reports whether it is time to save, and if so counts from now.
func (c *clock) due(e Every, step int) bool {
	if e.Steps > 0 && step%e.Steps == 0 || e.Time > 0 && time.Since(c.saved) >= e.Time {
		c.saved = time.Now()
		return true
	}
	return false
}
