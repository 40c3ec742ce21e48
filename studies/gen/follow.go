package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// An entry is a planned run of studies/plan.json: arguments of `attnconv train`, the commit of the program, and what
// the runner analyses.
type entry struct {
	Study   string   `json:"study"`
	Trial   string   `json:"trial"`
	Program string   `json:"program"`
	Args    []string `json:"args"`
	Analyse string   `json:"analyse"`
}

// placed are the arms of study places that begin with heads of a donor: what of heads_init is before the colon.
var placed = map[string]func(seed int) string{
	"transplanted": func(int) string { return "from" },
	"widths":       func(int) string { return "from+widths" },
	"centers":      func(int) string { return "from+centers" },
	"rotated":      func(seed int) string { return fmt.Sprintf("from+rotated=%d", seed) },
	"reversed":     func(int) string { return "from+reversed" },
}

// donorSeeds is how much the seed of a recipient is above the seed of its donor.
const donorSeeds = 60

// A search is what some runs of a study wait for.
type search struct {
	study string
	arms  []string // of the search
	waits string   // an arm whose runs have to be there too
	after string   // a study that has to be done too
	inner bool     // a rate at the edge of the search is not enough
	then  func(best string) []entry
}

// searches are those of studies places, dilated, marks, control-full and zoo.
func searches(all *runs, planned []entry) []search {
	list := []search{
		{study: "places", arms: atRates("search-transplanted"), waits: "learned",
			then: func(best string) []entry { return placesRuns(all, planned, best) }},
		{study: "dilated", arms: dclsPairs(),
			then: func(best string) []entry { return again(all, planned, "dilated", best, "dcls", 0) }},
	}
	for _, arm := range markArms {
		list = append(list, search{study: "marks", arms: atRates("search-"+arm, markRates...),
			then: func(best string) []entry { return again(all, planned, "marks", best, arm, 0) }})
	}
	for _, model := range fullModels {
		list = append(list, search{study: "control-full", arms: fullSearch(model), after: "places", inner: true,
			then: func(best string) []entry { return fullRuns(all, planned, best, model) }})
	}
	for _, arm := range zooArms {
		list = append(list, search{study: "zoo", arms: zooSearch(arm),
			then: func(best string) []entry { return again(all, planned, "zoo", best, arm, zooEpochs) }})
	}
	return list
}

// follow returns the runs that searches were waited for, and a line for each search that says which rate has the best
// accuracy on validation images, or what is missing.
func follow(all *runs, planned []entry) (more []entry, says []string) {
	for _, of := range searches(all, planned) {
		done, wanted := 0, 0
		for _, a := range all.count(planOf(of.study)).Arms {
			if slices.Contains(of.arms, a.Arm) || a.Arm == of.waits {
				done, wanted = done+a.Done, wanted+a.Planned
			}
		}
		if done < wanted {
			says = append(says, fmt.Sprintf("%s: %d of %d runs of %s and its like are done; nothing to plan yet", of.study,
				done, wanted, of.arms[0]))
			continue
		}
		best := all.best(of.study, of.arms)
		if edge := of.inner && atEdge(of.arms, best); edge || of.after != "" && !all.finished(planOf(of.after)) {
			why := "waits for study " + of.after
			if edge {
				why = "is at the edge of the search: extend it"
			}
			says = append(says, fmt.Sprintf("%s: %s %s; nothing to plan yet", of.study, best, why))
			continue
		}
		added := slices.DeleteFunc(of.then(best), func(e entry) bool {
			return slices.ContainsFunc(planned, func(p entry) bool { return p.Study == e.Study && p.Trial == e.Trial })
		})
		more = append(more, added...)
		edge := ""
		if atEdge(of.arms, best) {
			edge = ", at the edge of the search"
		}
		says = append(says, fmt.Sprintf("%s: %s has the best validation accuracy, %.2f %%%s; runs to add: %d", of.study, best,
			100*all.validation(of.study, best), edge, len(added)))
	}
	return more, says
}

// rateInName finds the rates in the name of an arm.
var rateInName = regexp.MustCompile(`-(?:lr|[wp])([0-9.]+)`)

// atEdge reports whether one of the rates of an arm is the smallest or the largest that was searched.
func atEdge(arms []string, best string) bool {
	for axis, m := range rateInName.FindAllStringSubmatch(best, -1) {
		var rates []string
		for _, arm := range arms {
			rates = append(rates, rateInName.FindAllStringSubmatch(arm, -1)[axis][1])
		}
		if slices.Sort(rates); m[1] == rates[0] || m[1] == rates[len(rates)-1] { // 0.003, 0.01: as text, like numbers
			return true
		}
	}
	return false
}

// cmpFirst orders accuracies so that the first of equal ones is the largest for slices.MaxFunc.
func cmpFirst(a, b float64) int {
	if a > b {
		return 1
	}
	return -1
}

// placesRuns are the runs of study places that follow its search: as the best runs of the search, with other heads.
func placesRuns(all *runs, planned []entry, best string) (more []entry) {
	like := find(planned, "places", best)
	for _, g := range planOf("places").groups {
		for i := range g.count {
			seed := g.first + i
			e := entry{Study: "places", Trial: fmt.Sprintf("%s-seed%d", g.arm, seed), Program: like.Program,
				Analyse: "no"}
			switch start, donated := placed[g.arm]; {
			case donated:
				file := fmt.Sprintf("studies/places/learned-seed%d.json", seed-donorSeeds)
				e.Args = with(like.Args, "--heads-init", start(seed)+":"+file)
			case g.arm == "frozen":
				e.Args = with(like.Args, "--heads-init", "")
			case g.arm == "grid":
				e.Args = with(with(like.Args, "--heads-init", ""), "--freeze", "")
				e.Args = with(e.Args, "--preset", "small/quadratic-grid")
				e.Args = with(e.Args, "--lr", all.bestRate("rates", atRates("quadratic-grid")))
			default: // donors and the search
				continue
			}
			e.Args = with(e.Args, "--seed", fmt.Sprint(seed))
			more = append(more, e)
		}
	}
	return more
}

// best is the arm of a search with the best accuracy on validation images, the first of equal ones.
func (all *runs) best(study string, arms []string) string {
	return slices.MaxFunc(arms, func(a, b string) int {
		return cmpFirst(all.validation(study, a), all.validation(study, b))
	})
}

// bestRate is the rate of matrices of the best of a search.
func (all *runs) bestRate(study string, arms []string) string {
	_, rate, _ := strings.Cut(all.best(study, arms), "-lr")
	return rate
}

// again are the planned runs of an arm, as the best runs of its search with other seeds, and for more epochs unless
// that is 0.
func again(all *runs, planned []entry, study, best, arm string, epochs int) (more []entry) {
	like := find(planned, study, best)
	if epochs > 0 {
		like.Args = with(like.Args, "--epochs", fmt.Sprint(epochs))
	}
	for _, g := range all.groupsOf(study) {
		for i := range g.count {
			if g.arm == arm {
				seed := g.first + i
				more = append(more, entry{study, fmt.Sprintf("%s-seed%d", arm, seed), like.Program,
					with(like.Args, "--seed", fmt.Sprint(seed)), "no"})
			}
		}
	}
	return more
}

// find returns the first planned run of an arm.
func find(planned []entry, study, arm string) entry {
	for _, e := range planned {
		if e.Study == study && strings.HasPrefix(e.Trial, arm+"-seed") {
			return e
		}
	}
	return entry{}
}

// with returns arguments with another value of a flag, or without the flag if the value is empty.
func with(args []string, flag, value string) []string {
	args = slices.Clone(args)
	i := slices.Index(args, flag)
	switch {
	case i < 0:
		return append(args, flag, value)
	case value == "":
		return slices.Delete(args, i, i+2)
	}
	args[i+1] = value
	return args
}

// planMore adds to studies/plan.json what follow returns, behind the runs of the same study. Other lines stay as they
// are.
func planMore(root string, all *runs) ([]string, error) {
	file := filepath.Join(root, "studies/plan.json")
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	var planned []entry
	if err := json.Unmarshal(text, &planned); err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	more, says := follow(all, planned)
	for _, e := range more {
		last := slices.IndexFunc(planned, func(p entry) bool { return p.Study == e.Study })
		for i, p := range planned {
			if p.Study == e.Study {
				last = i
			}
		}
		planned = slices.Insert(planned, last+1, e)
	}
	var b bytes.Buffer
	for i, e := range planned {
		line, err := lineOf(e)
		if err != nil {
			return nil, err
		}
		b.WriteString([]string{"[\n", ",\n"}[min(i, 1)] + line)
	}
	b.WriteString("\n]\n")
	return says, os.WriteFile(file, b.Bytes(), 0o666)
}

// lineOf is an entry in one line, as the others of plan.json are written.
func lineOf(e entry) (string, error) {
	var quoted []string
	for _, arg := range append([]string{e.Study, e.Trial, e.Program, e.Analyse}, e.Args...) {
		var b bytes.Buffer
		encoder := json.NewEncoder(&b)
		encoder.SetEscapeHTML(false)
		if err := encoder.Encode(arg); err != nil {
			return "", err
		}
		quoted = append(quoted, strings.TrimSpace(b.String()))
	}
	return fmt.Sprintf(`{"study": %s, "trial": %s, "program": %s, "args": [%s], "analyse": %s}`, quoted[0], quoted[1], quoted[2],
		strings.Join(quoted[4:], ", "), quoted[3]), nil
}
