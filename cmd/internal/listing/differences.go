package listing

import (
	"slices"

	"github.com/attnconv/attnconv/run"
	"github.com/attnconv/attnconv/study"
)

// Differences are how runs compare, as the command compare computes it. There are rows only if the runs were asked to
// do the same.
type Differences struct {
	V        int                `json:"v"`        // 1
	Mixed    []study.Difference `json:"mixed"`    // data and length of training, where they are not the same
	Baseline string             `json:"baseline"` // name of the first run's row
	Rows     []study.Row        `json:"rows"`     // of finished runs
}

// Compare compares runs with the first of them, or with the best model if that one is not finished.
func Compare(entries []run.Entry) (*Differences, error) {
	all, err := candidates(entries)
	if err != nil {
		return nil, err
	}
	return differences(all, entries[0].Status.ID)
}

// CompareEach compares each run with those that were asked to do the same, by its id. What is mixed is of all runs.
func CompareEach(entries []run.Entry) (map[string]*Differences, error) {
	all, err := candidates(entries)
	if err != nil {
		return nil, err
	}
	of := map[string]*Differences{}
	for _, first := range all {
		d, err := differences(slices.DeleteFunc(slices.Clone(all), func(c study.Candidate) bool {
			return study.Mix([]study.Run{first.Study, c.Study}, study.Question) != nil
		}), first.Study.ID)
		if err != nil {
			return nil, err
		}
		d.Mixed = mixed(all)
		of[first.Study.ID] = d
	}
	return of, nil
}

// candidates reads runs, the oldest first.
func candidates(entries []run.Entry) (all []study.Candidate, err error) {
	for _, e := range slices.SortedStableFunc(slices.Values(entries),
		func(a, b run.Entry) int { return a.Status.Started.Compare(b.Status.Started) }) {
		c, err := study.NewCandidate(e)
		if err == nil {
			err = c.Study.Read(e)
		}
		if err != nil {
			return nil, err
		}
		all = append(all, c)
	}
	return all, nil
}

func mixed(all []study.Candidate) []study.Difference {
	var runs []study.Run
	for _, c := range all {
		runs = append(runs, c.Study)
	}
	if m := study.Mix(runs, study.Question); m != nil {
		return m.Differences
	}
	return []study.Difference{}
}

func differences(all []study.Candidate, baseline string) (*Differences, error) {
	d := &Differences{V: 1, Mixed: mixed(all), Rows: []study.Row{}}
	var done []study.Run
	for _, c := range all {
		if c.Tested() {
			done = append(done, c.Study)
		}
	}
	groups := study.Groups(done)
	if len(d.Mixed) > 0 || len(groups) == 0 {
		return d, nil
	}
	first := max(0, study.Baseline(groups, baseline))
	c, err := study.Compare(groups, study.Options{Baseline: groups[first].Name})
	if err != nil {
		return nil, err
	}
	d.Baseline, d.Rows = *c.Baseline, c.Rows
	return d, nil
}
