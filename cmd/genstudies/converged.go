package main

import "fmt"

// target is an accuracy on validation images that every model of the control can reach.
const target = 0.75

// converged is how fast the models of the control learn: the mean accuracy on validation images over the steps, and the
// steps and floating-point operations until it is at the target.
func converged(all *runs) (numbers []Number, err error) {
	for _, arm := range arms[:6] {
		list := all.ofArm("control", arm, 0)
		if len(list) == 0 {
			continue
		}
		numbers = append(numbers, overSeeds("curves/area/"+arm, each(list, area)))
		steps := each(list, reached)
		if len(steps) < len(list) {
			continue // a run has not come there: a mean of the others would be of the fast ones
		}
		flop := each(list, func(r *result) (float64, bool) {
			s, ok := reached(r)
			return s * r.Summary.GFLOP / 1e3, ok && r.Summary.GFLOP > 0
		})
		name := fmt.Sprintf("%s/%g", arm, target)
		numbers = append(numbers, overSeeds("curves/steps/"+name, steps))
		if len(flop) == len(list) {
			numbers = append(numbers, overSeeds("curves/tflop/"+name, flop))
		}
	}
	for _, c := range controls {
		x, base := sameSeeds(all.ofArm("control", c.arm, 0), all.ofArm("control", c.base, 0))
		var ahead []float64
		for i := range x {
			a, ok := area(x[i])
			b, both := area(base[i])
			if ok && both {
				ahead = append(ahead, a-b)
			}
		}
		if len(ahead) > 0 {
			numbers = append(numbers, overSeeds("curves/area-difference/"+c.name(), ahead))
		}
	}
	return numbers, nil
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
func reached(r *result) (float64, bool) {
	for _, e := range r.Epochs {
		if e.ValAcc != nil && *e.ValAcc >= target {
			return e.Step, true
		}
	}
	return 0, false
}
