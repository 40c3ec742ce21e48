package main

import (
	"fmt"
	"strings"
)

// The verdicts on a sentence.
const (
	supported = "**supported**"
	refuted   = "**refuted**"
	depends   = "**depends**"
	open      = "open"
)

// least is how many runs of each model a verdict needs.
const least = 3

// A claim is an empirical sentence of a source, in our words, and what would decide it.
type claim struct {
	source, says string
	study        string
	verdict      func(*verdict) (word, evidence string)
	change       string // what would change our mind
}

// judge gives the verdict at full width, or that at half width if only that one is decided. If the two contradict each
// other, the verdict is that it depends. At half width, the learning rates of the search at that width decide. If those
// of full width decide otherwise, it depends as well, and so it does if a test of the second plan decides otherwise.
func (c claim) judge(v *verdict) (word, evidence string) {
	word, evidence = c.first(v)
	of, ok := later[c.says]
	if !ok {
		return word, evidence
	}
	newer, text := of(v)
	if text == noRun {
		return word, evidence
	}
	evidence = strings.TrimPrefix(evidence+"; ", noRun+"; ") + "second plan: " + text
	switch full := fullWidth(v, c.says); {
	case full != open && (word == open || strings.HasPrefix(word, full)):
		return full, evidence
	case full != open:
		return depends, evidence
	case newer == open || strings.HasPrefix(word, newer):
		return word, evidence
	case word == open:
		return newer + " at half width", evidence
	}
	return depends + " at half width", evidence
}

// first is judge with the studies of the first plan only.
func (c claim) first(v *verdict) (word, evidence string) {
	word, evidence = c.verdict(v)
	half, atHalf := c.verdict(v.at(halfPrefix))
	if own, atOwn := c.verdict(v.at(ownPrefix)); atOwn != noRun {
		if half != open && own != open && half != own {
			half = depends
		} else {
			half = own
		}
		switch {
		case atHalf == noRun:
			atHalf = atOwn
		case atHalf != atOwn:
			atHalf += "; at rates of half width: " + after(atHalf, atOwn)
		}
	}
	if atHalf == noRun {
		return word, evidence
	}
	evidence = strings.TrimPrefix(evidence+"; ", noRun+"; ") + "half width: " + after(evidence, atHalf)
	switch {
	case half == open || half == word:
		return word, evidence
	case word == open:
		return half + " at half width", evidence
	}
	return depends, evidence
}

// after leaves out what was measured, if the evidence before it says so already.
func after(before, evidence string) string {
	if label, rest, ok := strings.Cut(evidence, ": "); ok && strings.HasPrefix(before, label+": ") {
		return rest
	}
	return evidence
}

// noRun is said of a sentence without a number.
const noRun = "not run yet"

// claims are in the order of the sources: the paper, the slides, the article, the notes. Sentences that can be proved
// are in the ledger (docs/theory.md).
var claims = []claim{
	{"paper, figure 2; slides", "ResNet18 learns faster than attention.", "control",
		sign("curves/area-difference/resnet18-minus-quadratic", 1, "mean accuracy over training"),
		"another recipe that is tuned for attention only"},
	{"paper, table 1", "After 300 epochs, quadratic attention is as accurate as ResNet18.", "table 1",
		undecided("control/difference/resnet18-minus-quadratic", "ResNet18 − `quadratic`"),
		"the full table: 300 epochs, width 400, three seeds"},
	{"paper, table 1", "Learned positions end below the quadratic encoding.", "control",
		sign("control/difference/learned-minus-quadratic", -1, "`learned` − `quadratic`"),
		"300 epochs, where the gap may close or grow"},
	{"paper, table 1; slides", "With content, attention ends below learned positions.", "encodings",
		sign("encodings/difference/content-minus-learned", -1, "`content` − `learned`"), "300 epochs"},
	{"paper, appendix", "A full covariance costs little accuracy.", "encodings",
		within("encodings/difference/quadratic-general-minus-quadratic", 0.01, "`quadratic-general` − `quadratic`"),
		"an interval that leaves ±1 point"},
	{"paper, section 4; figure 3", "Heads move from random places to single pixels next to the query.", "control",
		moreTaps, "heads that start wide or far away, or other images"},
	{"paper, figure 4", "Heads of a layer barely overlap.", "control",
		lessOverlap, "another measure of overlap"},
	{"paper, figure 6", "With content, some heads of layers 2 and 3 use only positions.", "encodings", onlyPositions,
		"longer training, or another limit than 0.05 bits"},
	{"paper, appendix", "Degenerate heads can be pruned without losing accuracy.", "half", pruned,
		"an interval that leaves ±1 point, or networks in which more heads are degenerate"},
	{"paper, figure 4", "Heads of deeper layers look farther away.", "control",
		sign("layers/trend-shift/quadratic", 1, "correlation τ of depth and the mean shift of heads"),
		"networks of more layers, other encodings or other images"},
	{"paper, figure 4; slides", "Heads of deeper layers are wider.", "control",
		sign("layers/trend-width/quadratic", 1, "correlation τ of depth and the mean width of heads"),
		"networks of more layers, or trained longer"},
	{"slides", "The first layers behave like the construction of the theorem.", "control", firstLayers,
		"a layer that a 3 × 3 convolution cannot replace for less than 1 point"},
	{"slides, figure 5", "A layer has one or two attention profiles.", "control", fewProfiles,
		"longer training (three runs of 15 epochs have 2 to 9), or another distance than 0.05 between profiles"},
	{"slides, figure 4", "Widths of heads vary more in high layers than in low ones.", "control",
		sign("layers/trend-width-spread/quadratic", 1, "correlation τ of depth and the spread of widths"),
		"another measure of spread"},
	{"slides", "Models with more parameters to learn learn more slowly and end lower.", "control, encodings",
		undecided("curves/area-difference/learned-minus-quadratic",
			"mean accuracy over training, `learned` − `quadratic`"), "the encodings, which add parameters one by one"},
	{"paper, conclusion", "Learning where to look helps.", "control",
		sign("control/difference/quadratic-minus-quadratic-frozen", 1, "`quadratic` − frozen heads"),
		"frozen heads that start at other widths"},
	{"paper, conclusion", "Learned places are better than the places of a convolution.", "control",
		replicable(1, "quadratic-minus-quadratic-grid", "`quadratic` − heads on a 3 × 3 grid"),
		"grids of other sizes"},
	{"slides", "Attention without convolution competes with networks that have both.", "half",
		sign("hybrids/difference/conv-first-minus-quadratic", -1,
			"three blocks of convolution, then three of attention − `quadratic`"), "the same after 300 epochs"},
	{"article, of attention's softmax", "A temperature that is fitted after training improves the likelihood.",
		"control", temperature, "other temperatures than one that validation images choose"},
	{"notes", "Hybrids of convolution and attention do best.", "half", hybridsBest,
		"other hybrids, or a longer training"},
	{"notes, section 2", "Convolutions win if there are few images.", "data",
		sign("data/difference/quadratic-minus-conv-twin/1000", -1, "with 1,000 images, `quadratic` − matched network"),
		"more seeds, or other numbers of images"},
	{"notes, section 1", "Attention wins if there are many images.", "data",
		undecided("control/difference/quadratic-minus-conv-twin", "with 45,000 images, `quadratic` − matched network"),
		"millions of images, which this program does not train on"},
	{"ours", "With one recipe, attention relates two far patches and small convolutions do not.",
		"relations", farPatches, "a convolutional network with a search of its own that learns them"},
}

// A tally counts what the numbers that a sentence is about say of it.
type tally struct {
	numbers, runs     int // runs: the fewest of a number
	agree, contradict int // numbers
}

func (t *tally) add(runs int, agrees, contradicts bool) {
	if t.numbers == 0 || runs < t.runs {
		t.runs = runs
	}
	t.numbers++
	if agrees {
		t.agree++
	}
	if contradicts {
		t.contradict++
	}
}

// verdict needs runs, and numbers that say the same. If only some agree with the sentence, it depends.
func (t tally) verdict() string {
	switch {
	case t.runs < least:
		return open
	case t.agree == t.numbers:
		return supported
	case t.contradict == t.numbers:
		return refuted
	case t.agree > 0:
		return depends
	}
	return open
}

// clears reports if the interval of a number is above a value (side 1) or below it (-1).
func (n Number) clears(value, side float64) bool {
	return side*(n.CI.Lo-value) > 0 && side*(n.CI.Hi-value) > 0
}

// sign asks if the interval of a number is on one side of 0. A p that is corrected for several differences has to be
// below 5 % as well.
func sign(id string, want float64, what string) func(*verdict) (string, string) {
	return func(v *verdict) (string, string) {
		n, t := v.find(id), tally{}
		byChance := n.Holm.Known() && n.Holm >= 0.05
		t.add(n.N, !byChance && n.clears(0, want), !byChance && n.clears(0, -want))
		return t.verdict(), evidence(n, what)
	}
}

// replicable is sign of a difference of the control. Where a replication has it, with new seeds, that one decides.
func replicable(want float64, name, what string) func(*verdict) (string, string) {
	return func(v *verdict) (string, string) {
		word, text := sign("control/difference/"+name, want, what)(v)
		if decided, repeated := sign("replication/difference/"+name, want, "replication")(v); repeated != noRun {
			return decided, text + "; " + repeated
		}
		return word, text
	}
}

// within asks if the interval of a number is within ±limit.
func within(id string, limit float64, what string) func(*verdict) (string, string) {
	return func(v *verdict) (string, string) {
		n, t := v.find(id), tally{}
		t.add(n.N, n.CI.Lo >= -limit && n.CI.Hi <= limit, n.clears(limit, 1) || n.clears(-limit, -1))
		return t.verdict(), evidence(n, what)
	}
}

// undecided is open: the studies have a number, but not at the budget or of the models that the sentence is about.
func undecided(id, what string) func(*verdict) (string, string) {
	return func(v *verdict) (string, string) { return open, evidence(v.find(id), what) }
}

// atMost asks if a measure of each of some layers is at most a limit. One layer above it is enough for "depends".
func atMost(limit float64, measure string, layers []int, text string, form func(Number) string) func(*verdict) (
	string, string) {
	return func(v *verdict) (string, string) {
		text, t := text, tally{}
		for _, i := range layers {
			n := v.find(fmt.Sprintf("layers/%s/%d", measure, i))
			if n.N == 0 {
				return open, noRun
			}
			text += " " + form(n)
			low, high := n.CI.Lo, n.CI.Hi
			if !n.CI.Known() { // all runs have the same value
				low, high = float64(n.Value), float64(n.Value)
			}
			t.add(n.N, high <= limit, low > limit)
		}
		word := t.verdict()
		if word == open && t.runs >= least && t.contradict > 0 {
			word = depends
		}
		return word, text + fmt.Sprintf(" (n = %d)", t.runs)
	}
}

// onlyPositions asks if each of layers 2 and 3 has a head whose attention has almost nothing from the image.
var onlyPositions = atMost(positionBits, "content-least/content", []int{2, 3},
	"least bits of content among the heads of layers 2 and 3 (before training):", func(n Number) string {
		return fmt.Sprintf("%s (%s)", amount(n, 2), base(n, func(b float64) string { return fixed(b, 2) }))
	})

// fewProfiles counts the profiles of heads with learned positions, which the sentence is about.
var fewProfiles = atMost(2, "profiles/learned", []int{1, 2, 3, 4, 5, 6},
	"profiles of nine heads with learned positions, by layer:",
	func(n Number) string { return short(float64(n.Value)) })

// pruned asks if a network without its degenerate heads is within 1 point of the whole one, both trained on.
func pruned(v *verdict) (string, string) {
	word, text := within("pruning/difference/general-pruned-minus-general-kept", 0.01, "pruned − not pruned")(v)
	if text == noRun {
		return word, text
	}
	return word, text + "; " + evidence(v.find("pruning/difference/general-pruned-minus-general-random"),
		"pruned − without as many other heads")
}

// temperature asks, model by model, if a temperature lowers the negative log-likelihood of test images. The calibration
// error of bins does not measure it: it rises for two models while the likelihood of all improves.
func temperature(v *verdict) (string, string) {
	text, t := "negative log-likelihood that it saves, in 0.001 nats:", tally{}
	for _, arm := range controlled {
		gain := v.find("robust/nll-gain/" + arm)
		if gain.N == 0 {
			continue
		}
		text += fmt.Sprintf(" `%s` %.0f;", arm, 1000*float64(gain.Value))
		t.add(gain.N, gain.clears(0, 1), gain.clears(0, -1))
	}
	if t.numbers == 0 {
		return open, noRun
	}
	text += fmt.Sprintf(" n = %d", t.runs)
	if word := t.verdict(); word == supported || t.runs < least {
		return word, text
	}
	return depends, text
}

// evidence is a number in words.
func evidence(n Number, what string) string {
	if n.N == 0 {
		return noRun
	}
	if n.Holm.Known() {
		return fmt.Sprintf("%s: %s (n = %d, corrected p %s)", what, form(n), n.N, pText(n.Holm))
	}
	return fmt.Sprintf("%s: %s (n = %d)", what, form(n), n.N)
}

// moreTaps compares how many of the heads of all layers look at one shift with how many did before training.
func moreTaps(v *verdict) (string, string) {
	return sinceStart(v, "taps", 1, "heads of nine with half of their attention at one shift, by layer:", short)
}

// lessOverlap compares what two heads of a layer have in common with what they had before training.
func lessOverlap(v *verdict) (string, string) {
	return sinceStart(v, "overlap", -1, "attention that two heads have in common (%), by layer:", percent)
}

// sinceStart judges a sentence that a measure of the heads grows (want 1) or shrinks (-1) in training, in all layers.
func sinceStart(v *verdict, measure string, want float64, text string, form func(float64) string) (string, string) {
	var t tally
	for i := 1; i <= 6; i++ {
		n := v.find(fmt.Sprintf("layers/%s/quadratic/%d", measure, i))
		if n.N == 0 {
			return open, noRun
		}
		before := float64(*n.Baseline)
		text += fmt.Sprintf(" %s (%s)", form(float64(n.Value)), form(before))
		t.add(n.N, n.clears(before, want), n.clears(before, -want))
	}
	text += fmt.Sprintf("; in brackets before training (n = %d)", t.runs)
	word := t.verdict()
	if t.runs >= least && word != supported && word != refuted {
		text += fmt.Sprintf("; so in %d of 6 layers, and the reverse in %d", t.agree, t.contradict)
	}
	return word, text
}

// firstLayers asks both questions of docs/analyse.md of layers 1 and 2.
func firstLayers(v *verdict) (string, string) {
	text, t := "shares (untrained) and costs of a 3 × 3 convolution:", tally{}
	for i := 1; i <= 2; i++ {
		share := v.find(fmt.Sprintf("layers/share/quadratic/%d", i))
		cost := v.find(fmt.Sprintf("layers/cost-k3/quadratic/%d", i))
		if share.N == 0 || cost.N == 0 || share.Baseline == nil {
			return open, noRun
		}
		text += fmt.Sprintf(" layer %d %s (%s), costs %s", i, form(share), base(share, percent), form(cost))
		if frozen := v.find(fmt.Sprintf("layers/cost-k3/quadratic-frozen/%d", i)); frozen.N > 0 {
			text += fmt.Sprintf(" (frozen heads %s)", form(frozen))
		}
		text += ";"
		t.add(min(share.N, cost.N), share.clears(float64(*share.Baseline), 1) && cost.clears(0.01, -1), false)
	}
	return t.verdict(), text + fmt.Sprintf(" n = %d", t.runs)
}

// hybridsBest asks if hybrids are ahead of attention and of the matched network.
func hybridsBest(v *verdict) (string, string) {
	text, t := "among networks of this shape: ", tally{}
	for _, arm := range hybrids {
		var ahead tally
		for _, of := range []contrast{{arm, "quadratic"}, {arm, "conv-twin"}} {
			n := v.find("hybrids/difference/" + of.name())
			if n.N == 0 {
				return open, noRun
			}
			text += fmt.Sprintf("%s %s, ", of.label(), form(n))
			ahead.add(n.N, n.clears(0, 1), n.clears(0, -1))
		}
		t.add(ahead.runs, ahead.agree == ahead.numbers, ahead.contradict > 0)
	}
	return t.verdict(), text + fmt.Sprintf("n = %d", t.runs)
}

// farPatches compares attention with the convolutional networks on relations32.
func farPatches(v *verdict) (string, string) {
	n := v.find("relations/accuracy/attention")
	if n.N == 0 {
		return open, noRun
	}
	text, t := fmt.Sprintf("attention %s", form(n)), tally{}
	for _, arm := range relationArms[1:] {
		text += fmt.Sprintf(", `%s` %s", arm, form(v.find("relations/accuracy/"+arm)))
		d := v.find("relations/difference/" + contrast{"attention", arm}.name())
		t.add(d.N, d.clears(0, 1), !d.clears(0, 1))
	}
	return t.verdict(), text + fmt.Sprintf(" (n = %d; chance 33 %%)", t.runs)
}
