package main

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"

	"github.com/attnconv/attnconv/null"
	"github.com/attnconv/attnconv/study/stats"
)

// A group are planned runs of a study that differ in the seed only, from first on. Seed s of an arm is the trial
// ARM-seeds.
type group struct {
	arm          string
	first, count int
}

// A plan is a study of the second plan of studies/README.md. Nothing of its outcome is computed before all its runs are
// done.
type plan struct {
	study  string
	groups []group
	needs  []string // studies whose runs it compares with
}

// The rates that are searched: of matrices, of positions of quadratic, of ResNet18, and of networks of study marks.
var (
	matrixRates, positionRates = []float64{0.003, 0.01, 0.03}, []float64{0.003, 0.01, 0.03, 0.1, 0.3}
	resNetRates, markRates     = []float64{0.03, 0.06, 0.12}, []float64{0.0003, 0.001, 0.003, 0.01}
)

// second are the studies of the second plan, in the order of the page.
var second = []plan{
	{"rates", rateGroups(), nil},
	{"compute", slices.Concat(groups(20, 8, "quadratic", "conv-twin-e4", "conv-twin-e7", "conv-twin-e10"),
		groups(20, 5, "resnet18-e4", "resnet18-e5", "resnet18-e12")), nil},
	{"outward", append(groups(30, 5, "quadratic-l12", "table", "table-l12", "quadratic-general", "quadratic-shapes32",
		"table-shapes32", "quadratic-frozen", "quadratic-frozen-l12", "quadratic-grid"), group{"quadratic-pool2", 30, 2}),
		[]string{"compute"}},
	{"places", slices.Concat(groups(40, 16, "learned"), groups(214, 2, atRates("search-transplanted")...),
		groups(100, 16, "transplanted"), groups(100, 8, "frozen", "widths", "centers", "rotated", "reversed", "grid")),
		nil},
	{"dilated", slices.Concat(groups(60, 10, "twin-111111", "twin-112233", "twin-332211", "twin-222222"),
		groups(200, 2, dclsPairs()...), groups(60, 10, "dcls")), []string{"compute"}},
	{"marks", slices.Concat(groups(200, 2, markSearches()...), groups(20, 5, markArms...)), nil},
	{"control-full", fullGroups(), []string{"places"}},
	{"zoo", slices.Concat(groups(400, 1, zooSearches()...), groups(410, 3, zooArms...)), nil},
}

func groups(first, count int, arms ...string) (all []group) {
	for _, arm := range arms {
		all = append(all, group{arm, first, count})
	}
	return all
}

// atRates are the arms of a search of rates of matrices, of the usual three where none are named.
func atRates(arm string, rates ...float64) (arms []string) {
	if rates == nil {
		rates = matrixRates
	}
	for _, rate := range rates {
		arms = append(arms, fmt.Sprintf("%s-lr%v", arm, rate))
	}
	return arms
}

func rateGroups() []group {
	arms := pairs("quadratic", positionRates)
	for _, arm := range []string{"conv-twin", "quadratic-grid", "quadratic-frozen"} {
		arms = append(arms, atRates(arm)...)
	}
	return groups(200, 2, append(arms, atRates("resnet18", append(slices.Clone(resNetRates), 0.24)...)...)...)
}

// pairs are the arms of a search of rates of matrices and of positions.
func pairs(arm string, positions []float64) (arms []string) {
	for _, w := range matrixRates {
		for _, p := range positions {
			arms = append(arms, fmt.Sprintf("%s-w%v-p%v", arm, w, p))
		}
	}
	return arms
}

// dclsPairs are the arms of the search of DCLS blocks.
func dclsPairs() []string { return pairs("search-dcls", positionRates[2:]) }

// markArms are the networks of study marks: the attention of preset relations, and four convolutional ones. conv-far is
// preset relations-conv.
var markArms = []string{"attention", "convnet", "resnet10", "conv-twin", "conv-far"}

func markSearches() (arms []string) {
	for _, arm := range markArms {
		arms = append(arms, atRates("search-"+arm, markRates...)...)
	}
	return arms
}

// An Arm is how many of the planned runs of an arm are done.
type Arm struct {
	Arm     string `json:"arm"`
	Done    int    `json:"done"`
	Planned int    `json:"planned"`
}

// count returns how many planned runs of a study are done. Runs that are not planned do not count.
func (all *runs) count(p plan) Count {
	c := Count{Study: p.study}
	for _, g := range all.groupsOf(p.study) {
		arm := Arm{g.arm, 0, g.count}
		for seed := g.first; seed < g.first+g.count; seed++ {
			if all.trial(p.study, fmt.Sprintf("%s-seed%d", g.arm, seed)) != nil {
				arm.Done++
			}
		}
		c.Done, c.Planned, c.Arms = c.Done+arm.Done, c.Planned+arm.Planned, append(c.Arms, arm)
	}
	return c
}

func planOf(study string) plan {
	return second[slices.IndexFunc(second, func(p plan) bool { return p.study == study })]
}

// finished reports whether the stopping rule of a study is met, and that of those that it compares with.
func (all *runs) finished(p plan) bool {
	c := all.count(p)
	return c.Done == c.Planned && !slices.ContainsFunc(p.needs, func(study string) bool {
		return !all.finished(planOf(study))
	})
}

// trial returns a run by its name, or nil.
func (all *runs) trial(study, name string) *result {
	for _, r := range all.of[study] {
		if r.Trial == name {
			return r
		}
	}
	return nil
}

// planned returns the runs of an arm of the second plan. A run that diverged is not one of them.
func (all *runs) planned(study, arm string) (list []*result) {
	for _, g := range all.groupsOf(study) {
		for seed := g.first; g.arm == arm && seed < g.first+g.count; seed++ {
			if r := all.trial(study, fmt.Sprintf("%s-seed%d", arm, seed)); r != nil && !r.Diverged {
				list = append(list, r)
			}
		}
	}
	return list
}

// secondNumbers are those of the studies of the second plan whose stopping rule is met.
func secondNumbers(all *runs) (numbers []Number, err error) {
	measures := map[string]func(*runs) ([]Number, error){"rates": ratesFound, "compute": computeNumbers,
		"outward": outwardNumbers, "places": placesNumbers, "dilated": dilatedNumbers, "marks": marksNumbers,
		"control-full": fullNumbers, "zoo": zooNumbers}
	for _, p := range second {
		if !all.finished(p) {
			continue
		}
		of, err := measures[p.study](all)
		if err != nil {
			return nil, err
		}
		for _, n := range of {
			n.ID = p.study + "/" + n.ID
			numbers = append(numbers, n)
		}
	}
	return numbers, nil
}

// searchedIn are the accuracies on validation images of the arms of a search, means over its seeds.
func (all *runs) searchedIn(study string, arms []string) (numbers []Number) {
	for _, g := range planOf(study).groups {
		if slices.Contains(arms, g.arm) {
			numbers = append(numbers, plain("val/"+g.arm, g.count, all.validation(study, g.arm)))
		}
	}
	return numbers
}

// testAccuracies are those of runs on all test images.
func testAccuracies(list []*result) []float64 {
	return each(list, func(r *result) (float64, bool) { return r.Test.Acc, true })
}

// accuracyNumbers are the mean accuracies of arms, with Student's interval over seeds.
func (all *runs) accuracyNumbers(study string, arms ...string) (numbers []Number) {
	for _, arm := range arms {
		if list := all.planned(study, arm); len(list) > 0 {
			numbers = append(numbers, fractionOverSeeds("accuracy/"+arm, testAccuracies(list)))
		}
	}
	return numbers
}

// apart is the difference x - base of two arms, by Welch over seeds. An arm of another study is STUDY/ARM.
func (all *runs) apart(study, x, base string) (numbers []Number) {
	of := func(arm string) []float64 {
		if other, name, ok := strings.Cut(arm, "/"); ok {
			return testAccuracies(all.planned(other, name))
		}
		return testAccuracies(all.planned(study, arm))
	}
	name := contrast{x, base[strings.Index(base, "/")+1:]}.name()
	if n, ok := welch("difference/"+name, of(x), of(base)); ok {
		numbers = append(numbers, n)
	}
	return numbers
}

// welch is the difference of two means with the interval and the p-value of Welch over seeds,
//
//	d ± t(ν)·√(v_x + v_b),  v = variance / n,  ν = (v_x + v_b)² / (v_x²/(n_x-1) + v_b²/(n_b-1))
//
// N is the smaller number of runs.
func welch(id string, x, base []float64) (Number, bool) {
	if len(x) == 0 || len(base) == 0 {
		return Number{}, false
	}
	n := plain(id, min(len(x), len(base)), stats.Average(x)-stats.Average(base))
	if n.N > 1 {
		if side, t := spreadOf(x, base); side > 0 {
			half := t.Quantile(0.975) * side
			n.CI, n.Covers = stats.Interval{Lo: float64(n.Value) - half, Hi: float64(n.Value) + half}, []string{"seeds"}
			n.P = null.Float(2 * t.CDF(-math.Abs(float64(n.Value))/side))
		}
	}
	return n, true
}

// notInferior is welch with the one-sided p of x - base being -margin or less.
func notInferior(id string, x, base []float64, margin float64) (Number, bool) {
	n, ok := welch(id, x, base)
	if n.P.Known() {
		side, t := spreadOf(x, base)
		n.P = null.Float(t.CDF(-(float64(n.Value) + margin) / side))
	}
	return n, ok
}

// spreadOf is the standard error of a difference of two means, and its distribution in units of it.
func spreadOf(x, base []float64) (float64, distuv.StudentsT) {
	vx, vb := stat.Variance(x, nil)/float64(len(x)), stat.Variance(base, nil)/float64(len(base))
	nu := (vx + vb) * (vx + vb) / (vx*vx/float64(len(x)-1) + vb*vb/float64(len(base)-1))
	return math.Sqrt(vx + vb), distuv.StudentsT{Mu: 0, Sigma: 1, Nu: nu}
}

// testedNumbers are differences with p-values that are corrected together, and estimates without.
func (all *runs) testedNumbers(study string, tests, estimates []contrast) (numbers []Number) {
	for _, c := range tests {
		numbers = append(numbers, all.apart(study, c.arm, c.base)...)
	}
	correct(numbers)
	for _, c := range estimates {
		numbers = append(numbers, withoutTest(all.apart(study, c.arm, c.base))...)
	}
	return numbers
}

// computeTests are the six comparisons of study compute. conv-twin-e7 has 7 epochs, and so on.
var computeTests = []contrast{{"conv-twin-e4", "quadratic"}, {"conv-twin-e7", "quadratic"}, {"conv-twin-e10", "quadratic"},
	{"resnet18-e4", "quadratic"}, {"resnet18-e5", "quadratic"}, {"resnet18-e12", "quadratic"}}

func computeNumbers(all *runs) ([]Number, error) {
	return append(all.accuracyNumbers("compute", "quadratic", "conv-twin-e4", "conv-twin-e7", "conv-twin-e10",
		"resnet18-e4", "resnet18-e5", "resnet18-e12"), all.testedNumbers("compute", computeTests, nil)...), nil
}

// Study places: four tests, one of no inferiority, and two estimates.
var (
	placesTests = []contrast{{"transplanted", "frozen"}, {"widths", "frozen"}, {"rotated", "transplanted"},
		{"reversed", "transplanted"}}
	placesEstimates = []contrast{{"centers", "frozen"}, {"learned", "grid"}}
)

// inferior is the loss of accuracy below which transplanted places are not inferior to learned ones.
const inferior = 0.01

func placesNumbers(all *runs) ([]Number, error) {
	numbers := all.searchedIn("places", atRates("search-transplanted"))
	numbers = append(numbers, all.accuracyNumbers("places", "learned", "transplanted", "centers", "widths", "frozen", "rotated",
		"reversed", "grid")...)
	tests := all.testedNumbers("places", placesTests, placesEstimates)
	n, ok := notInferior("not-inferior/transplanted-minus-learned", testAccuracies(all.planned("places", "transplanted")),
		testAccuracies(all.planned("places", "learned")), inferior)
	if ok {
		tests = append(tests, n)
	}
	return append(numbers, tests...), nil
}

// withoutTest leaves out the p-values of estimates that no test was planned for.
func withoutTest(numbers []Number) []Number {
	for i := range numbers {
		numbers[i].P = null.Unknown
	}
	return numbers
}

// Study dilated: two tests, and two estimates.
var (
	dilatedTests     = []contrast{{"twin-112233", "twin-111111"}, {"twin-112233", "twin-222222"}}
	dilatedEstimates = []contrast{{"twin-332211", "twin-112233"}, {"dcls", "compute/quadratic"}}
)

func dilatedNumbers(all *runs) ([]Number, error) {
	accuracies := all.accuracyNumbers("dilated", "twin-111111", "twin-112233", "twin-332211", "twin-222222", "dcls")
	return slices.Concat(all.searchedIn("dilated", dclsPairs()), accuracies,
		all.testedNumbers("dilated", dilatedTests, dilatedEstimates)), nil
}

// marksNumbers are the accuracies on relations32, and what attention is ahead.
func marksNumbers(all *runs) ([]Number, error) {
	var tests []contrast
	for _, arm := range markArms[1:] {
		tests = append(tests, contrast{"attention", arm})
	}
	return slices.Concat(all.searchedIn("marks", markSearches()), all.accuracyNumbers("marks", markArms...),
		all.testedNumbers("marks", tests, nil)), nil
}

// ratesFound are the validation accuracy of each pair of rates after the last epoch, the best rate of positions at each
// rate of matrices, and how many of the 54 heads become taps.
func ratesFound(all *runs) (numbers []Number, err error) {
	for _, g := range planOf("rates").groups {
		numbers = append(numbers, all.searchedIn("rates", []string{g.arm})...)
	}
	taps := map[[2]float64]float64{}
	for _, w := range matrixRates {
		best, chosen := -1.0, 0.0
		for _, p := range positionRates {
			arm := fmt.Sprintf("quadratic-w%v-p%v", w, p)
			if val := all.validation("rates", arm); val > best {
				best, chosen = val, p
			}
			of, err := allTaps(arm, 6, all.planned("rates", arm))
			if err != nil || len(of) == 0 {
				return nil, fmt.Errorf("study rates, %s: no heads (%v)", arm, err)
			}
			taps[[2]float64{w, p}] = float64(of[0].Value)
			numbers = append(numbers, plain("taps/"+arm, of[0].N, float64(of[0].Value)))
		}
		numbers = append(numbers, plain(fmt.Sprintf("position/%v", w), 2, chosen))
	}
	// Along the rates of positions: the largest of the fewest taps, the smallest of the most. Along those of matrices:
	// the largest change.
	fewest, most, change := 0.0, math.Inf(1), 0.0
	for _, w := range matrixRates {
		along := valuesAlong(positionRates, func(p float64) float64 { return taps[[2]float64{w, p}] })
		fewest, most = max(fewest, slices.Min(along)), min(most, slices.Max(along))
	}
	for _, p := range positionRates {
		along := valuesAlong(matrixRates, func(w float64) float64 { return taps[[2]float64{w, p}] })
		change = max(change, slices.Max(along)-slices.Min(along))
	}
	return append(numbers, plain("taps-fewest", 2, fewest), plain("taps-most", 2, most),
		plain("taps-change", 2, change)), nil
}

func valuesAlong(rates []float64, of func(float64) float64) (values []float64) {
	for _, rate := range rates {
		values = append(values, of(rate))
	}
	return values
}

// validation is the mean accuracy of an arm's runs on validation images after the last epoch. A run that diverged, or
// has none, counts as 0.
func (all *runs) validation(study, arm string) float64 {
	sum, count := 0.0, 0
	for _, g := range planOf(study).groups {
		for seed := g.first; g.arm == arm && seed < g.first+g.count; seed++ {
			count++
			if r := all.trial(study, fmt.Sprintf("%s-seed%d", arm, seed)); r != nil && !r.Diverged {
				val, _ := r.val(len(r.Epochs) - 1)
				sum += val
			}
		}
	}
	return sum / float64(count)
}
