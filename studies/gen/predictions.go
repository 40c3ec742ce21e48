package main

import (
	"fmt"
	"math"

	"github.com/attnconv/attnconv/null"
	"github.com/attnconv/attnconv/study/stats"
)

// A prediction was written before the runs: a number is in a range. Studies/README.md has them in full.
type prediction struct {
	says, surprise string
	id             string
	lo, hi         float64
	nonzero        bool // its interval excludes 0
	surprising     func(Number) bool
}

func below(limit float64) func(Number) bool {
	return func(n Number) bool { return float64(n.Value) < limit }
}

func above(limit float64) func(Number) bool {
	return func(n Number) bool { return float64(n.Value) > limit }
}

func beyond(limit float64) func(Number) bool {
	return func(n Number) bool { return math.Abs(float64(n.Value)) > limit }
}

var inf = math.Inf(1)

// replaced predicts that a 3 × 3 convolution instead of a layer of quadratic costs less or more than 1 point.
func replaced(layer int, than string, lo, hi float64) prediction {
	return prediction{fmt.Sprintf("layer %d of quadratic, replaced by 3 × 3: costs %s than 1 point", layer, than),
		"the reverse in all four layers", fmt.Sprintf("layers/cost-k3/quadratic/%d", layer), lo, hi, false, nil}
}

// predictions are those of 2026-11-24, in the order of studies/README.md.
var predictions = []prediction{
	{"quadratic − frozen: +0.5 to +2.5 points, and the interval excludes 0", "frozen heads at or above learned ones",
		"control/difference/quadratic-minus-quadratic-frozen", 0.005, 0.025, true,
		func(n Number) bool { return n.Value <= 0 }},
	{"quadratic − grid: 0 to +2 points", "grid ahead by more than 0.5",
		"control/difference/quadratic-minus-quadratic-grid", 0, 0.02, false, below(-0.005)},
	{"grid − matched network: within ±0.5 points", "more than 1 point",
		"control/difference/quadratic-grid-minus-conv-twin", -0.005, 0.005, false, beyond(0.01)},
	{"quadratic − matched network: −0.5 to +2 points", "matched network ahead by more than 1",
		"control/difference/quadratic-minus-conv-twin", -0.005, 0.02, false, below(-0.01)},
	{"learned − quadratic: −2 to 0 points", "learned ahead, and the interval excludes 0",
		"control/difference/learned-minus-quadratic", -0.02, 0, false, func(n Number) bool { return n.CI.Lo > 0 }},
	{"ResNet18 − quadratic: +3 to +6 points", "less than 2",
		"control/difference/resnet18-minus-quadratic", 0.03, 0.06, false, below(0.02)},
	replaced(1, "less", -inf, 0.01), replaced(2, "less", -inf, 0.01),
	replaced(5, "more", 0.01, inf), replaced(6, "more", 0.01, inf),
	{"all layers of quadratic, replaced by 5 × 5: 85 to 95 % of the accuracy above chance is left", "less than 70 %",
		"layers/left/quadratic/k5", 0.85, 0.95, false, below(0.7)},
	{"the number of profiles grows with depth (Kendall's τ above 0)", "one profile in every layer",
		"layers/trend-profiles/quadratic", 1e-9, inf, true, nil},
	{"content − quadratic: above −3 points", "content ahead",
		"encodings/difference/content-minus-quadratic", -0.03, inf, false, above(0)},
	{"relative − quadratic: below 0", "", "encodings/difference/relative-minus-quadratic", -inf, 0, true, nil},
	{"content-only − quadratic: below 0", "", "encodings/difference/content-only-minus-quadratic", -inf, 0, true, nil},
	{"quadratic-general − quadratic: within ±1 point", "",
		"encodings/difference/quadratic-general-minus-quadratic", -0.01, 0.01, false, nil},
	{"1,000 images: quadratic − matched network is below 0", "attention ahead at 1,000 images",
		"data/difference/quadratic-minus-conv-twin/1000", -inf, 0, true, above(0)},
	{"1,000 images: ResNet18 − quadratic is above that at 45,000", "attention ahead at 1,000 images",
		"data/gain/resnet18-minus-quadratic/1000", 0, inf, true, func(Number) bool { return false }},
	{"1,000 images: quadratic − frozen is below that at 45,000", "",
		"data/gain/quadratic-minus-quadratic-frozen/1000", -inf, 0, true, nil},
}

// halfPredictions are those of 2026-11-26 for study half, under the ids that the same numbers have in studies control
// and data.
var halfPredictions = []prediction{
	{"quadratic − frozen: +1 to +5 points", "frozen heads at or above learned ones",
		"control/difference/quadratic-minus-quadratic-frozen", 0.01, 0.05, false,
		func(n Number) bool { return n.Value <= 0 }},
	{"quadratic − grid: −2 to +1 points", "more than 2 points",
		"control/difference/quadratic-minus-quadratic-grid", -0.02, 0.01, false, beyond(0.02)},
	{"grid − matched network: within ±1 point", "more than 2 points",
		"control/difference/quadratic-grid-minus-conv-twin", -0.01, 0.01, false, beyond(0.02)},
	{"quadratic − matched network: −2 to +1 points", "more than 2 points",
		"control/difference/quadratic-minus-conv-twin", -0.02, 0.01, false, beyond(0.02)},
	{"learned − quadratic: −1.5 to +1.5 points", "more than 3 points",
		"control/difference/learned-minus-quadratic", -0.015, 0.015, false, beyond(0.03)},
	{"ResNet18 − quadratic: +4 to +9 points", "less than 2",
		"control/difference/resnet18-minus-quadratic", 0.04, 0.09, false, below(0.02)},
	replaced(1, "less", -inf, 0.01), replaced(2, "less", -inf, 0.01),
	replaced(5, "more", 0.01, inf), replaced(6, "more", 0.01, inf),
	{"all layers of quadratic, replaced by 5 × 5: 80 to 95 % of the accuracy above chance is left", "less than 60 %",
		"layers/left/quadratic/k5", 0.80, 0.95, false, below(0.6)},
	{"1,000 images: quadratic is not ahead of the matched network", "attention ahead at 1,000 images",
		"data/difference/quadratic-minus-conv-twin/1000", -inf, 0, false, above(0)},
	{"1,000 images: quadratic − matched network is below that at 45,000", "",
		"data/gain/quadratic-minus-conv-twin/1000", -inf, 0, true, nil},
	{"1,000 images: quadratic − frozen is below that at 45,000", "",
		"data/gain/quadratic-minus-quadratic-frozen/1000", -inf, 0, true, nil},
}

// laterPredictions are those of 2026-11-27 for what was added to study half.
var laterPredictions = []prediction{
	{"seeds 3 and 4: quadratic − grid: −3 to 0 points", "quadratic ahead by more than 1",
		"control/added/quadratic-minus-quadratic-grid", -0.03, 0, false, above(0.01)},
	{"seeds 3 and 4: quadratic − matched network: −3.5 to 0 points", "quadratic ahead by more than 1",
		"control/added/quadratic-minus-conv-twin", -0.035, 0, false, above(0.01)},
	{"seeds 3 and 4: quadratic − frozen: +1.5 to +4.5 points", "frozen heads at or above learned ones",
		"control/added/quadratic-minus-quadratic-frozen", 0.015, 0.045, false,
		func(n Number) bool { return n.Value <= 0 }},
	{"content − quadratic: −6 to +1 points", "content ahead, and the interval excludes 0",
		"encodings/difference/content-minus-quadratic", -0.06, 0.01, false, above(0)},
	{"content − learned: below 0", "content ahead, and the interval excludes 0",
		"encodings/difference/content-minus-learned", -inf, 0, true, above(0)},
	{"content-only − quadratic: below −5 points", "less than 2 points apart",
		"encodings/difference/content-only-minus-quadratic", -inf, -0.05, false,
		func(n Number) bool { return math.Abs(float64(n.Value)) < 0.02 }},
	{"relative − quadratic: −4 to +1 points", "relative ahead, and the interval excludes 0",
		"encodings/difference/relative-minus-quadratic", -0.04, 0.01, false, above(0)},
	{"quadratic-general − quadratic: −1.5 to +1.5 points", "more than 3 points",
		"encodings/difference/quadratic-general-minus-quadratic", -0.015, 0.015, false, beyond(0.03)},
	{"conv-first − quadratic: 0 to +4 points", "quadratic ahead, and the interval excludes 0",
		"hybrids/difference/conv-first-minus-quadratic", 0, 0.04, false, below(0)},
	{"conv-first − matched network: −1 to +2 points", "more than 3 points",
		"hybrids/difference/conv-first-minus-conv-twin", -0.01, 0.02, false, beyond(0.03)},
	{"attention-first − conv-first: below 0", "attention-first ahead, and the interval excludes 0",
		"hybrids/difference/attention-first-minus-conv-first", -inf, 0, true, above(0)},
}

// prunePredictions are those of 2026-11-27 for pruned networks and for the heads of content.
var prunePredictions = []prediction{
	{"general-pruned − general-kept: −0.5 to +0.5 points", "more than 1 point",
		"pruning/difference/general-pruned-minus-general-kept", -0.005, 0.005, false, beyond(0.01)},
	{"general-pruned − general-random: 0 to +2 points", "general-random ahead, and the interval excludes 0",
		"pruning/difference/general-pruned-minus-general-random", 0, 0.02, false, below(0)},
	{"layer 2 of content: some of nine heads have less than 0.05 bits of content", "no head does",
		"layers/content-least/content/2", 0, positionBits, false, above(positionBits)},
	{"layer 3 of content: some of nine heads have less than 0.05 bits of content", "no head does",
		"layers/content-least/content/3", 0, positionBits, false, above(positionBits)},
}

// positionBits are the bits of content below which a head uses only positions.
const positionBits = 0.05

// ownPredictions are those of 2026-11-27 for study half at the learning rates of half width.
var ownPredictions = []prediction{
	{"quadratic − frozen: +3 to +6.5 points", "less than 2",
		"control/difference/quadratic-minus-quadratic-frozen", 0.03, 0.065, false, below(0.02)},
	{"quadratic − grid: 0 to +3 points", "grid ahead",
		"control/difference/quadratic-minus-quadratic-grid", 0, 0.03, false, below(0)},
	{"quadratic − matched network: 0 to +3 points", "matched network ahead",
		"control/difference/quadratic-minus-conv-twin", 0, 0.03, false, below(0)},
	{"learned − quadratic: −3 to +0.5 points", "learned ahead by more than 1",
		"control/difference/learned-minus-quadratic", -0.03, 0.005, false, above(0.01)},
	{"ResNet18 − quadratic: +6 to +9 points", "less than 4",
		"control/difference/resnet18-minus-quadratic", 0.06, 0.09, false, below(0.04)},
	{"all layers of quadratic, replaced by 5 × 5: 80 to 95 % of the accuracy above chance is left", "less than 60 %",
		"layers/left/quadratic/k5", 0.80, 0.95, false, below(0.6)},
}

// replicationPredictions are those of 2026-11-27 for seeds 5 to 9 of study half.
var replicationPredictions = []prediction{
	{"quadratic − grid: +0.5 to +2.5 points", "grid ahead",
		"replication/difference/quadratic-minus-quadratic-grid", 0.005, 0.025, false, below(0)},
	{"quadratic − matched network: +0.5 to +2.5 points", "matched network ahead",
		"replication/difference/quadratic-minus-conv-twin", 0.005, 0.025, false, below(0)},
}

// outcome compares a prediction with its number. With three runs or more, the whole interval has to be inside of the
// range, outside of it, or surprising.
func (p prediction) outcome(n Number) string {
	v := float64(n.Value)
	switch {
	case n.N == 0:
		return noRun
	case n.N < least || !n.CI.Known():
		where := "outside"
		if v >= p.lo && v <= p.hi {
			where = "inside"
		}
		return fmt.Sprintf("open (n = %d; %s so far)", n.N, where)
	case p.surprising != nil && p.surprising(p.at(n.CI.Lo)) && p.surprising(p.at(n.CI.Hi)) &&
		p.surprising(p.at(max(n.CI.Lo, min(n.CI.Hi, 0)))): // the value nearest to 0: surprises may be on both sides
		return "**surprising**"
	case n.CI.Lo >= p.lo && n.CI.Hi <= p.hi && (!p.nonzero || n.CI.Lo > 0 || n.CI.Hi < 0):
		return "as predicted"
	case n.CI.Lo > p.hi || n.CI.Hi < p.lo:
		return "**wrong**"
	}
	return "undecided: the interval has both"
}

// at is a number with one value.
func (prediction) at(value float64) Number {
	return Number{N: least, Value: null.Float(value), CI: stats.Interval{Lo: value, Hi: value}}
}
