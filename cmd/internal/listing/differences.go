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
	var all, done []study.Run
	for _, e := range slices.SortedStableFunc(slices.Values(entries),
		func(a, b run.Entry) int { return a.Status.Started.Compare(b.Status.Started) }) {
		c, err := study.NewCandidate(e)
		if err == nil {
			err = c.Study.Read(e)
		}
		if err != nil {
			return nil, err
		}
		if all = append(all, c.Study); c.Tested() {
			done = append(done, c.Study)
		}
	}
	d := &Differences{V: 1, Mixed: []study.Difference{}, Rows: []study.Row{}}
	if m := study.Mix(all, study.Question); m != nil {
		d.Mixed = m.Differences
		return d, nil
	}
	groups := study.Groups(done)
	if len(groups) == 0 {
		return d, nil
	}
	first := max(0, study.Baseline(groups, entries[0].Status.ID))
	c, err := study.Compare(groups, study.Options{Baseline: groups[first].Name})
	if err != nil {
		return nil, err
	}
	d.Baseline, d.Rows = *c.Baseline, c.Rows
	return d, nil
}
