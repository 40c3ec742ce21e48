package main

import (
	"fmt"
	"slices"

	"github.com/attnconv/attnconv/null"
	"github.com/attnconv/attnconv/study/stats"
)

// The models: those of the control, other encodings, and hybrids of three blocks of convolution and three of attention,
// which only study half has.
var (
	controlled = []string{"quadratic", "quadratic-frozen", "quadratic-grid", "conv-twin", "learned", "resnet18"}
	encodings  = []string{"content", "quadratic-general", "content-only", "relative"}
	hybrids    = []string{"conv-first", "attention-first"}

	arms = slices.Concat(controlled, encodings, hybrids) // in the order of tables
)

// sizes are the numbers of training images of study data; 0 is all of them, in study control.
var sizes = []int{1000, 5000, 15000}

// A contrast is a difference of accuracies that a prediction or a sentence is about.
type contrast struct{ arm, base string }

func (c contrast) name() string { return c.arm + "-minus-" + c.base }

func (c contrast) label() string { return fmt.Sprintf("`%s` − `%s`", c.arm, c.base) }

// controls are the contrasts of study control. The first four are also those of study data.
var controls = []contrast{{"quadratic", "quadratic-frozen"}, {"quadratic", "conv-twin"}, {"resnet18", "quadratic"},
	{"quadratic", "quadratic-grid"}, {"quadratic-grid", "conv-twin"}, {"learned", "quadratic"}}

// mixtures are the contrasts of hybrids.
var mixtures = []contrast{{"conv-first", "quadratic"}, {"conv-first", "conv-twin"}, {"attention-first", "quadratic"},
	{"attention-first", "conv-twin"}, {"attention-first", "conv-first"}}

// tuned ends the name of a model that was trained again, at the learning rate of the search at half width.
const tuned = "-tuned"

// prunings are quadratic-general, trained on with all heads, without degenerate ones, and without as many others. Only
// study half has them.
var prunings = []string{"general-kept", "general-pruned", "general-random"}

// prunedBy are the contrasts of pruning. The last one is with the network before.
var prunedBy = []contrast{{"general-pruned", "general-kept"}, {"general-pruned", "general-random"},
	{"general-pruned", "quadratic-general"}}

// planned is the number of seeds that study half had at first. Those behind them were added after the first were known.
const planned = 3

// replicated is the first seed of the replication of study half: of two contrasts of networks at their own rates.
const replicated = 5

// replications are the contrasts of the replication. It has no other, and Holm's correction for these two.
var replications = []contrast{{"quadratic", "quadratic-grid"}, {"quadratic", "conv-twin"}}

// rates are the learning rates of the search.
var rates = []float64{0.003, 0.01, 0.03}

// searched are the accuracies on validation images by learning rate, and the rate that wins.
func searched(all *runs) (numbers []Number, err error) {
	for _, arm := range arms {
		for _, rate := range rates {
			for _, r := range all.where("search", func(r *result) bool { return r.arm == arm && r.rate == rate }) {
				last, ok := r.val(len(r.Epochs) - 1)
				if !ok {
					return nil, fmt.Errorf("study search, trial %s: its last epoch has no val_acc", r.Trial)
				}
				numbers = append(numbers, plain(fmt.Sprintf("search/val/%s/%v", arm, rate), 1, last))
			}
		}
		if rate, ok := all.chosen(arm); ok {
			numbers = append(numbers, plain("search/rate/"+arm, 1, rate))
		}
	}
	return numbers, nil
}

// chosen is the learning rate that wins the search, once all rates were tried. A run that diverged loses.
func (all *runs) chosen(arm string) (rate float64, ok bool) {
	best, tried := -1.0, 0
	for _, r := range all.of["search"] {
		if r.arm != arm {
			continue
		}
		tried++
		if last, ok := r.val(len(r.Epochs) - 1); ok && !r.Diverged && last > best {
			best, rate = last, r.rate
		}
	}
	return rate, tried == len(rates) && best >= 0
}

// compared are the accuracies of the models on test images, and the differences between them.
func compared(all *runs) (numbers []Number, err error) {
	add := func(study, name string, list []*result) {
		if len(list) > 0 {
			numbers = append(numbers, mean(study+"/accuracy/"+name, list))
		}
	}
	contrasted := func(study, name string, x, base []*result) {
		if d, ok := difference(study+"/difference/"+name, x, base); ok {
			numbers = append(numbers, d)
		}
	}
	for _, arm := range controlled {
		add("control", arm, all.ofArm("control", arm, 0))
	}
	for _, c := range controls {
		contrasted("control", c.name(), all.ofArm("control", c.arm, 0), all.ofArm("control", c.base, 0))
	}
	correct(numbers)
	first := len(numbers)
	for _, c := range replications {
		contrasted("replication", c.name(), all.ofArm("replication", c.arm, 0), all.ofArm("replication", c.base, 0))
	}
	correct(numbers[first:])
	for _, c := range replications {
		x, base := all.ofArm("replication", c.arm, 0), all.ofArm("replication", c.base, 0)
		if d, ok := difference("replication/both/"+c.name(), append(all.ofArm("control", c.arm, 0), x...),
			append(all.ofArm("control", c.base, 0), base...)); ok && len(x) > 0 && len(base) > 0 {
			numbers = append(numbers, d)
		}
	}
	for _, arm := range encodings {
		list := all.ofArm("encodings", arm, 0)
		add("encodings", arm, list)
		for _, base := range []string{"quadratic", "learned"} {
			contrasted("encodings", contrast{arm, base}.name(), list, all.ofArm("control", base, 0))
		}
	}
	for _, arm := range hybrids {
		add("hybrids", arm, all.ofArm("hybrids", arm, 0))
	}
	for _, c := range mixtures {
		contrasted("hybrids", c.name(), all.atHalf(c.arm, 0), all.atHalf(c.base, 0))
	}
	for _, arm := range prunings {
		add("pruning", arm, all.ofArm("pruning", arm, 0))
	}
	for _, c := range prunedBy {
		contrasted("pruning", c.name(), all.atHalf(c.arm, 0), all.atHalf(c.base, 0))
	}
	for _, size := range sizes {
		for _, arm := range arms {
			add("data", fmt.Sprintf("%s/%d", arm, size), all.ofArm("data", arm, size))
		}
		for _, c := range controls[:3] {
			name := fmt.Sprintf("%s/%d", c.name(), size)
			contrasted("data", name, all.ofArm("data", c.arm, size), all.ofArm("data", c.base, size))
			if gains := all.gains(c, size); len(gains) > 0 {
				numbers = append(numbers, overSeeds("data/gain/"+name, gains))
			}
		}
	}
	return numbers, nil
}

// extended are the contrasts of the first seeds of study half, and of those that were added.
func extended(all *runs) (numbers []Number, err error) {
	for _, c := range controls {
		for _, part := range []struct {
			name string
			has  func(seed int) bool
		}{
			{"first", func(seed int) bool { return seed < planned }},
			{"added", func(seed int) bool { return seed >= planned }},
		} {
			of := func(arm string) []*result {
				return all.where("control", func(r *result) bool { return r.arm == arm && part.has(r.seed) })
			}
			if d, ok := difference("control/"+part.name+"/"+c.name(), of(c.arm), of(c.base)); ok {
				numbers = append(numbers, d)
			}
		}
	}
	return numbers, nil
}

// retuned are the gains in accuracy of the models that were trained again at the rates of half width.
func retuned(all *runs) (numbers []Number, err error) {
	for _, arm := range controlled {
		for _, size := range []int{0, sizes[0]} {
			c := contrast{arm + tuned, arm}
			id := "retuned/difference/" + c.name()
			if size > 0 {
				id += fmt.Sprintf("/%d", size)
			}
			if d, ok := difference(id, all.atHalf(c.arm, size), all.atHalf(c.base, size)); ok {
				numbers = append(numbers, d)
			}
		}
	}
	return numbers, nil
}

// correct sets the p-values of differences to Holm's, for all of them together.
func correct(numbers []Number) {
	p := make([]float64, len(numbers))
	for i, n := range numbers {
		p[i] = float64(n.P)
	}
	for i, v := range stats.Holm(p) {
		numbers[i].Holm = null.Float(v)
	}
}

// gains are a contrast with so many training images less the same with all of them, by seed.
func (all *runs) gains(c contrast, size int) (gains []float64) {
	for _, r := range all.ofArm("data", c.arm, size) {
		with := func(study, arm string, size int) (float64, bool) {
			for _, same := range all.ofArm(study, arm, size) {
				if same.seed == r.seed {
					return same.Test.Acc, true
				}
			}
			return 0, false
		}
		few, ok1 := with("data", c.base, size)
		arm, ok2 := with("control", c.arm, 0)
		base, ok3 := with("control", c.base, 0)
		if ok1 && ok2 && ok3 {
			gains = append(gains, (r.Test.Acc-few)-(arm-base))
		}
	}
	return gains
}

// related are the accuracies on relations32, whose chance is a third, also in the last epoch of training, and
// attention's lead.
func related(all *runs) (numbers []Number, err error) {
	attention := all.ofArm("relations", "attention", 0)
	for _, arm := range relationArms {
		list := all.ofArm("relations", arm, 0)
		if len(list) == 0 {
			continue
		}
		numbers = append(numbers, mean("relations/accuracy/"+arm, list),
			fractionOverSeeds("relations/train/"+arm, each(list, func(r *result) (float64, bool) {
				last := r.Epochs[len(r.Epochs)-1].TrainAcc
				if last == nil {
					return 0, false
				}
				return *last, true
			})))
		if arm == "attention" {
			continue
		}
		if d, ok := difference("relations/difference/"+contrast{"attention", arm}.name(), attention, list); ok {
			numbers = append(numbers, d)
		}
	}
	return numbers, nil
}

var relationArms = []string{"attention", "convnet", "resnet10", "conv-twin"}

// robust is what moving images by two columns and permuting their pixels does to the accuracy, and calibration with a
// temperature of 1.
func robust(all *runs) (numbers []Number, err error) {
	moved := func(r *result) bool { return r.Shifted != nil }
	calibrated := func(r *result) bool { return r.Calibration != nil }
	for _, arm := range controlled {
		list := all.ofArm("control", arm, 0)
		for _, what := range []struct {
			name string
			has  func(*result) bool
			of   func(*result) float64
		}{
			{"shifted", moved, func(r *result) float64 { return r.Shifted.Acc - r.Shifted.Shift.Unshifted }},
			{"same", moved, func(r *result) float64 { return r.Shifted.Shift.Same }},
			{"permuted", func(r *result) bool { return r.Permuted != nil },
				func(r *result) float64 { return r.Permuted.Acc }},
			{"ece", calibrated, func(r *result) float64 { return r.Calibration.Calibration.Before.ECE }},
			{"ece-gain", calibrated, func(r *result) float64 {
				return r.Calibration.Calibration.Before.ECE - r.Calibration.Calibration.After.ECE
			}},
			{"nll-gain", calibrated, func(r *result) float64 {
				return r.Calibration.Calibration.Before.NLL - r.Calibration.Calibration.After.NLL
			}},
			{"ece-after", calibrated, func(r *result) float64 { return r.Calibration.Calibration.After.ECE }},
		} {
			values := each(list, func(r *result) (float64, bool) {
				if !what.has(r) {
					return 0, false
				}
				return what.of(r), true
			})
			if len(values) > 0 {
				numbers = append(numbers, overSeeds("robust/"+what.name+"/"+arm, values))
			}
		}
	}
	return numbers, nil
}
