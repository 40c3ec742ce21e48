package train

import (
	"fmt"
	"time"
)

// A Cursor says how far a run has come. Checkpoints have it as JSON, without the clock.
type Cursor struct {
	Step      int         `json:"step"`  // steps taken
	Epoch     int         `json:"epoch"` // epochs closed, evaluation included
	Batch     int         `json:"batch"` // steps taken in the current epoch
	Loss      float64     `json:"loss"`  // sum over those steps of the mean loss
	Correct   int         `json:"correct"`
	Skipped   int         `json:"skipped"` // steps not taken because the loss or a gradient was not finite
	Best      float64     `json:"best"`    // best validation accuracy so far
	BestEpoch int         `json:"best_epoch"`
	Last      EpochResult `json:"last"` // the last epoch closed
	Seconds   float64     `json:"seconds"`
	// of the current epoch, within it: a checkpoint between epochs has the bytes that it had before there were norms
	Gradients *gradientSums `json:"gradients,omitempty"`

	clock
}

// Of says where in a run of so many epochs the cursor is: "epoch 3 of 10" or, within an epoch, "in epoch 4 of 10".
func (c Cursor) Of(epochs int) string {
	if c.Batch > 0 {
		return fmt.Sprintf("in epoch %d of %d", c.Epoch+1, epochs)
	}
	return fmt.Sprintf("epoch %d of %d", c.Epoch, epochs)
}

// EpochResult is the outcome of an epoch.
type EpochResult struct {
	TrainLoss float64 `json:"train_loss"`
	TrainAcc  float64 `json:"train_acc"`
	ValLoss   float64 `json:"val_loss"`
	ValAcc    float64 `json:"val_acc"`
}

// start begins or resumes to count the seconds.
func (c *Cursor) start() {
	c.saved = time.Now()
	c.begin = c.saved.Add(-time.Duration(c.Seconds * float64(time.Second)))
}

// step counts a step, of so many seconds.
func (c *Cursor) step(loss float64, correct int, seconds float64) {
	c.Step, c.Batch, c.Loss, c.Correct = c.Step+1, c.Batch+1, c.Loss+loss, c.Correct+correct
	c.lap(seconds)
	c.Seconds = time.Since(c.begin).Seconds()
}

// close counts an epoch.
func (c *Cursor) close(last EpochResult, best bool) {
	c.Epoch, c.Batch, c.Loss, c.Correct, c.Last, c.Gradients = c.Epoch+1, 0, 0, 0, last, nil
	if best {
		c.Best, c.BestEpoch = last.ValAcc, c.Epoch
	}
	c.Seconds = time.Since(c.begin).Seconds()
}

// due reports whether it is time to save, and if so counts from now.
func (c *Cursor) due(e SaveInterval) bool {
	if e.Steps > 0 && c.Step%e.Steps == 0 || e.Time > 0 && time.Since(c.saved) >= e.Time {
		c.saved = time.Now()
		return true
	}
	return false
}

// clock measures steps and estimates the time that remains. Nothing that it measures changes what is computed.
type clock struct {
	begin      time.Time // of the run, later by interruptions
	epochBegin time.Time // of the epoch, or of its rest after a resume
	saved      time.Time
	stepS      float64 // of a step, smoothed over about the last ten
	paceS      float64 // of a step, smoothed over the last minutes: the estimate of the remaining time is based on it
	laps       float64 // seconds of steps of which paceS is the mean, at most smooth
	evalS      float64 // of an evaluation, once one has been seen
}

// smooth is the window of the estimate of the remaining time, in seconds of steps: short enough to follow a machine
// that becomes busy, long enough not to jump at each step.
const smooth = 120

// lap records one step. The first is slower than the others, so later ones replace it quickly.
func (c *clock) lap(seconds float64) {
	const keep = 0.9
	if c.stepS == 0 || seconds < c.stepS/2 {
		c.stepS = seconds
	}
	c.stepS = keep*c.stepS + (1-keep)*seconds
	if c.paceS == 0 { // the first step is shown, but is not part of the mean
		c.paceS = seconds
		return
	}
	steps := c.laps / c.paceS
	c.paceS = (c.laps + seconds) / (steps + 1)
	c.laps = min(c.laps+seconds, smooth)
}

func (c *clock) imgS(batch int) float64 {
	if c.stepS == 0 {
		return 0
	}
	return float64(batch) / c.stepS
}

// resized begins to measure anew, for images of so many times the pixels.
func (c *clock) resized(pixels float64) { c.stepS, c.paceS, c.laps, c.evalS = 0, 0, 0, c.evalS*pixels }
