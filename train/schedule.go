package train

import (
	"math"
	"slices"

	"github.com/attnconv/attnconv/option"
)

// A Schedule is the learning rate as a function of the step, from the end of the warm-up on.
type Schedule struct {
	Name, Help string
	Reads      []string              // options that not every schedule reads
	Check      func(o Options) error // of those options; nil: nothing to check
	Rate       func(o Options, at Moment) float64
	Options    any // a pointer to a struct with the defaults of its own options (docs/extending.md), or nil
}

// Entry implements option.Named.
func (s Schedule) Entry() (name, help string) { return s.Name, s.Help }

// A Moment is a step of a run behind the warm-up. Of the whole run, it is step Warmup + Step of Warmup + Steps.
type Moment struct {
	Epoch       int     // the step's epoch, counted from 0
	Step, Steps float64 // the step, counted from 0 at the end of the warm-up, and how many there are from then on
	Warmup      float64 // steps of the warm-up; 0: there is none
}

// Schedules lists what Options.Schedule may be, in the order in which help shows them. To add one, write its function
// and its line here; a program that imports this module calls RegisterSchedule.
var Schedules = option.List[Schedule]{
	{Name: "cosine", Help: "half a cosine, from lr to 0 (the paper's)", Reads: []string{perEpoch}, Rate: cosineRate},
	{Name: "steps", Help: "divided by a factor after each milestone",
		Reads: []string{"train.milestones", "train.factor", "train.early"}, Check: checkSteps, Rate: stepsRate},
	{Name: "constant", Help: "lr throughout", Rate: func(o Options, _ Moment) float64 { return o.LR }},
}

// perEpoch is the option that makes a schedule that reads it change the rate once an epoch, and not at every step.
const perEpoch = "train.per_epoch"

// Rate returns the learning rate of a step, counted from 0, in a run of o.Epochs epochs of epochSteps steps.
//
// With T steps in all and W = ⌊warmup·T⌋ of them warming up, it is lr·(t+1)/W while t < W, then the schedule's.
// With PerEpoch it is the reference's: T = epochs·(epochSteps+1), lr·t/W while t < W, and t the first step of each
// epoch, so that the first epoch has rate 0.
func (o Options) Rate(step, epochSteps int) float64 {
	s := Schedules.Find(o.Schedule)
	if s == nil { // Validate refuses it
		return o.LR
	}
	epoch := step / epochSteps
	t, total := float64(step), float64(o.Epochs*epochSteps)
	perStep := !(o.PerEpoch && slices.Contains(s.Reads, perEpoch))
	if !perStep {
		t, total = float64(epoch*epochSteps), float64(o.Epochs*(epochSteps+1))
	}
	warm := math.Floor(o.Warmup * total)
	switch {
	case t < warm && perStep:
		return o.LR * (t + 1) / warm
	case t < warm:
		return o.LR * t / warm
	}
	return s.Rate(o, Moment{Epoch: epoch, Step: t - warm, Steps: total - warm, Warmup: warm})
}

// cosineRate is lr·½(1 + cos(π·t/T)), with t = at.Step and T = at.Steps.
func cosineRate(o Options, at Moment) float64 {
	return o.LR / 2 * (1 + math.Cos(math.Pi*at.Step/at.Steps))
}

// stepsRate is lr, divided by Factor from the epoch after each milestone on, or one epoch earlier with Early.
func stepsRate(o Options, at Moment) float64 {
	rate := o.LR
	for _, m := range o.Milestones {
		if o.Early {
			m--
		}
		if at.Epoch >= m {
			rate /= o.Factor
		}
	}
	return rate
}

func checkSteps(o Options) error {
	for i, m := range o.Milestones {
		if m < 1 || i > 0 && m <= o.Milestones[i-1] {
			return option.Errorf("train.milestones", "%v: want epochs that rise", o.Milestones)
		}
	}
	return interval{"train.factor", o.Factor, 1, 1e6, false}.check()
}
