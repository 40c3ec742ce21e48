package main

import "fmt"

// Accuracies on validation images that every model can reach: in 15 epochs at full width, and in 4 at half width.
const (
	fullTarget = 0.75
	halfTarget = 0.5
)

// converged is how fast the models of the control learn: the accuracy on validation images after each epoch, its mean
// over the steps, and the steps, floating-point operations and time until it reaches a target. The time of a step was
// measured on a quiet machine, because the runs used idle processor time.
func converged(all *runs) (numbers []Number, err error) {
	for _, arm := range controlled {
		list := all.ofArm("control", arm, 0)
		if len(list) == 0 {
			continue
		}
		numbers = append(numbers, fractionOverSeeds("curves/area/"+arm, each(list, area)))
		for i := range list[0].Epochs {
			val := each(list, func(r *result) (float64, bool) { return r.val(i) })
			if len(val) == len(list) {
				id := fmt.Sprintf("curves/val/%s/%v", arm, list[0].Epochs[i].Step)
				numbers = append(numbers, fractionOverSeeds(id, val))
			}
		}
		for _, target := range []float64{halfTarget, fullTarget} {
			steps := each(list, func(r *result) (float64, bool) { return r.reached(target) })
			if len(steps) < len(list) {
				continue // a run has not come there: a mean of the others would be of the fast ones
			}
			for _, by := range []struct {
				name string
				unit func(*result) float64 // of a step; 0: unknown
			}{
				{"steps", func(*result) float64 { return 1 }},
				{"tflop", func(r *result) float64 { return r.Summary.GFLOP / 1e3 }},
				{"seconds", func(r *result) float64 { return all.step[r.arm] / 1e3 }},
			} {
				values := each(list, func(r *result) (float64, bool) {
					s, _ := r.reached(target)
					return s * by.unit(r), by.unit(r) > 0
				})
				if len(values) == len(list) {
					numbers = append(numbers, overSeeds(fmt.Sprintf("curves/%s/%s/%g", by.name, arm, target), values))
				}
			}
		}
	}
	for _, c := range controls {
		if ahead := aheadBy(all.ofArm("control", c.arm, 0), all.ofArm("control", c.base, 0)); len(ahead) > 0 {
			numbers = append(numbers, overSeeds("curves/area-difference/"+c.name(), ahead))
		}
	}
	return numbers, nil
}

// costs are the parameters of each model of the control, and what one training step takes: floating-point
// operations as the equations count them, for every pair of tokens, and time on a quiet machine.
func costs(all *runs) (numbers []Number, err error) {
	for _, arm := range controlled {
		list := all.ofArm("control", arm, 0)
		for _, cost := range []struct {
			name string
			of   func(*result) float64 // 0: unknown
		}{
			{"params", func(r *result) float64 { return float64(r.Summary.Params) }},
			{"gflop", func(r *result) float64 { return r.Summary.GFLOP }},
			{"ms", func(r *result) float64 { return all.step[r.arm] }},
		} {
			values := each(list, func(r *result) (float64, bool) { return cost.of(r), cost.of(r) > 0 })
			if len(values) > 0 {
				numbers = append(numbers, overSeeds("cost/"+cost.name+"/"+arm, values))
			}
		}
	}
	return numbers, nil
}

// aheadBy are the differences of the mean accuracy over training, in pairs of runs with the same seed.
func aheadBy(x, base []*result) (ahead []float64) {
	x, base = sameSeeds(x, base)
	for i := range x {
		a, ok := area(x[i])
		b, both := area(base[i])
		if ok && both {
			ahead = append(ahead, a-b)
		}
	}
	return ahead
}

// area is the mean of the accuracy on validation images over the steps, which begins at that of guessing, by the
// trapezoidal rule.
func area(r *result) (float64, bool) {
	sum, step, acc := 0.0, 0.0, chance
	for _, e := range r.Epochs {
		if e.ValAcc == nil {
			return 0, false
		}
		sum += (e.Step - step) * (acc + *e.ValAcc) / 2
		step, acc = e.Step, *e.ValAcc
	}
	return sum / step, true
}

// reached is the step at the end of the first epoch whose accuracy on validation images is at the target.
func (r *result) reached(target float64) (step float64, ok bool) {
	for _, e := range r.Epochs {
		if e.ValAcc != nil && *e.ValAcc >= target {
			return e.Step, true
		}
	}
	return 0, false
}

// val is the accuracy on validation images after epoch i, if it was measured.
func (r *result) val(i int) (acc float64, ok bool) {
	if i >= len(r.Epochs) || r.Epochs[i].ValAcc == nil {
		return 0, false
	}
	return *r.Epochs[i].ValAcc, true
}
