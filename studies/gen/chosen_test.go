package main

import (
	"math"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/attnconv/attnconv/configs"
	"github.com/attnconv/attnconv/model"
	"github.com/attnconv/attnconv/nn"
)

// A secondTrial of the second plan has arguments in studies/plan.json, or in the command of its result file.
type secondTrial struct{ study, arm, seed, args string }

// trials are all of the second plan: planned ones that the runner reads, and those that are done.
func trials(t *testing.T, all *runs) (list []secondTrial) {
	_, entries := planFile(t, repository)
	add := func(study, name, args string) {
		arm, seed, _ := strings.Cut(name, "-seed")
		list = append(list, secondTrial{study, arm, seed, args})
	}
	for _, e := range entries {
		add(e.Study, e.Trial, strings.Join(e.Args, " "))
	}
	for _, p := range second {
		for _, r := range all.of[p.study] {
			add(r.Study, r.Trial, r.Command)
		}
	}
	return list
}

func (of secondTrial) searches() bool {
	return of.study == "rates" || strings.HasPrefix(of.arm, "search-")
}

// search is what decides on the rates of a trial: a study, and the arms of a search in it.
func (of secondTrial) search() (study string, arms []string) {
	model, _, _ := strings.Cut(of.arm, "-e")
	switch of.study {
	case "marks":
		return of.study, atRates("search-"+of.arm, markRates...)
	case "zoo":
		return of.study, zooSearch(of.arm)
	case "control-full":
		return of.study, fullSearch(model)
	}
	switch {
	case of.arm == "dcls":
		return of.study, dclsPairs()
	case of.study == "places" && of.arm != "learned" && of.arm != "grid":
		return of.study, atRates("search-transplanted")
	case of.study == "dilated" || model == "conv-twin":
		return "rates", atRates("conv-twin")
	case model == "resnet18":
		return "rates", atRates(model, append(slices.Clone(resNetRates), 0.24)...)
	case of.arm == "grid" || of.arm == "quadratic-grid":
		return "rates", atRates("quadratic-grid")
	case strings.HasPrefix(of.arm, "quadratic-frozen"):
		return "rates", atRates("quadratic-frozen")
	}
	return "rates", pairs("quadratic", positionRates)
}

var (
	matrixArg   = regexp.MustCompile(`--lr ([0-9.]+)`)
	positionArg = regexp.MustCompile(`train\.position_lr=([0-9.]+)`)
)

func argument(of *regexp.Regexp, args string) float64 {
	if m := of.FindStringSubmatch(args); m != nil {
		v, _ := strconv.ParseFloat(m[1], 64)
		return v
	}
	return math.NaN()
}

// Nothing of the second plan is chosen on test images: every trial says its rates, which are those with the best mean
// accuracy on validation images where their search is done, and no trial has a seed of a search.
func TestNothingIsChosenOnTestImages(t *testing.T) {
	all, err := read(filepath.Join(repository, "studies"))
	if err != nil {
		t.Fatal(err)
	}
	list, compared, searched := trials(t, all), 0, map[string]bool{}
	for _, of := range list {
		searched[of.seed] = searched[of.seed] || of.searches()
	}
	learns := map[string]bool{} // presets whose heads move
	for _, of := range list {
		if of.searches() {
			continue
		}
		if searched[of.seed] {
			t.Errorf("%s/%s has seed %s, which a search has too", of.study, of.arm, of.seed)
		}
		study, arms := of.search()
		if slices.ContainsFunc(all.count(planOf(study)).Arms, func(a Arm) bool {
			return slices.Contains(arms, a.Arm) && a.Done < a.Planned
		}) {
			continue
		}
		rates := rateInName.FindAllStringSubmatch(all.best(study, arms), -1)
		want, _ := strconv.ParseFloat(rates[0][1], 64)
		if got := argument(matrixArg, of.args); got != want {
			t.Errorf("%s/%s has the rate %v, its search chose %v", of.study, of.arm, got, want)
		}
		if len(rates) == 2 && !strings.HasPrefix(of.arm, "table") { // table learns scores instead of places
			position, _ := strconv.ParseFloat(rates[1][1], 64)
			if got := argument(positionArg, of.args) * want; math.Abs(got-position) > 1e-5 {
				t.Errorf("%s/%s has the rate %v of positions, its search chose %v", of.study, of.arm, got, position)
			}
		}
		compared++
	}
	for _, of := range list {
		m := regexp.MustCompile(`--preset ([a-z0-9/-]+)`).FindStringSubmatch(of.args)
		if m == nil || math.IsNaN(argument(matrixArg, of.args)) {
			t.Fatalf("%s/%s has the rate of its preset, which test images may have chosen", of.study, of.arm)
		}
		if _, known := learns[m[1]]; !known {
			learns[m[1]] = moves(t, m[1])
		}
		if learns[m[1]] && !strings.Contains(of.args, "--freeze heads") && math.IsNaN(argument(positionArg, of.args)) {
			t.Errorf("%s/%s has position_lr of its preset, which test images may have chosen", of.study, of.arm)
		}
	}
	if compared < 80 || !learns["small/quadratic"] || learns["small/quadratic-grid"] {
		t.Errorf("%d rates were compared, and heads move in %v", compared, learns)
	}
}

// moves reports whether a preset learns places.
func moves(t *testing.T, preset string) bool {
	t.Helper()
	r, err := configs.Preset(preset)
	if err != nil {
		t.Fatal(err)
	}
	net, err := model.New(r.Model, 1)
	if err != nil {
		t.Fatal(err)
	}
	return !slices.Contains(r.Train.Freeze, "heads") &&
		slices.ContainsFunc(net.Params, func(p *nn.Param) bool { return p.Group == nn.Position })
}

// What follows a search does not depend on the accuracy of its runs on test images.
func TestSearchesReadNoTestImages(t *testing.T) {
	s := synthetic{t, t.TempDir()}
	s.whole()
	s.searchedPlaces()
	all, err := read(filepath.Join(s.root, "studies"))
	if err != nil {
		t.Fatal(err)
	}
	_, planned := planFile(t, repository)
	more, says := follow(all, planned)
	for study, list := range all.of {
		for i, r := range list {
			arm, _, _ := strings.Cut(r.Trial, "-seed")
			if (secondTrial{study: study, arm: arm}).searches() && r.Test != nil {
				r.Test.Acc = float64(i%97) / 97
			}
		}
	}
	again, text := follow(all, planned)
	if !reflect.DeepEqual(again, more) || !slices.Equal(text, says) || len(more) < 50 {
		t.Errorf("%d runs follow, other accuracies on test images: %d\n%s", len(more), len(again), strings.Join(text, "\n"))
	}
}
