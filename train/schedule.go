package train

import "math"

// Rate returns the learning rate of a step, counted from 0, in a run of o.Epochs epochs of perEpoch steps.
//
// cosine: with T steps in all and W = ⌊warmup·T⌋ of them warming up, λ(t) = (t+1)/W while t < W, then
// ½(1 + cos(π·(t-W)/(T-W))). With PerEpoch it is the reference's: T = epochs·(perEpoch+1), λ(t) = t/W while t < W, and
// λ taken at the first step of each epoch, so that the first epoch has rate 0.
//
// steps: divided by Factor from the epoch after each milestone on, or one epoch earlier with Early.
func (o Options) Rate(step, perEpoch int) float64 {
	epoch := step / perEpoch
	t, total := float64(step), float64(o.Epochs*perEpoch)
	perStep := !(o.PerEpoch && o.Schedule == "cosine")
	if !perStep {
		t, total = float64(epoch*perEpoch), float64(o.Epochs*(perEpoch+1))
	}
	warm := math.Floor(o.Warmup * total)
	switch {
	case t < warm && perStep:
		return o.LR * (t + 1) / warm
	case t < warm:
		return o.LR * t / warm
	case o.Schedule == "cosine":
		return o.LR / 2 * (1 + math.Cos(math.Pi*(t-warm)/(total-warm)))
	case o.Schedule == "steps":
		rate := o.LR
		for _, m := range o.Milestones {
			if o.Early {
				m--
			}
			if epoch >= m {
				rate /= o.Factor
			}
		}
		return rate
	default:
		return o.LR
	}
}
