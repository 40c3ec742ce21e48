// Package report writes a report of runs as one HTML file: results, figures, settings, commands and machines, and the
// views of package explorer. The file needs no server and asks for nothing.
//
// The package is new, and its names may change.
package report

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/attnconv/attnconv/cmd/internal/explorer"
	"github.com/attnconv/attnconv/cmd/internal/figures"
	"github.com/attnconv/attnconv/cmd/internal/listing"
	"github.com/attnconv/attnconv/cmd/internal/term"
	"github.com/attnconv/attnconv/internal/table"
	"github.com/attnconv/attnconv/run"
	"github.com/attnconv/attnconv/study"
)

// most is the size of a report in bytes, at most: mail servers take it.
const most = 3_000_000

const (
	mostRuns    = 200 // of a report
	mostModels  = 6   // whose heads are drawn
	mostColumns = 6   // runs next to each other in a table of settings: what an A4 page has room for
	mostViews   = 8   // runs that the views of the explorer have
)

// Options say what a report is of.
type Options struct {
	Runs     string // the folder of runs
	Data     string // of data sets; "": the default one
	Baseline string // name of a model, or id of a run, that the others are compared with; "": none

	Tell func(stage string) // hears what is done next; may be nil
}

// A report is what is known of its runs, the oldest first.
type report struct {
	page
	list       []listing.ListRow
	all        []study.Run
	curves     []figures.CurveRun
	groups     []study.Group
	comparison *study.Comparison
}

// Make returns a report of runs. The error is that of a run that cannot be read, or a usage error.
func Make(ctx context.Context, entries []run.Entry, o Options) ([]byte, error) {
	if len(entries) < 1 || len(entries) > mostRuns {
		return nil, term.Usagef("", "a report of %d runs: want 1 to %d", len(entries), mostRuns)
	}
	if o.Tell == nil {
		o.Tell = func(string) {}
	}
	o.Tell("reading " + table.Count(len(entries), "run"))
	entries = slices.Clone(entries)
	slices.SortStableFunc(entries, func(a, b run.Entry) int { return a.Status.Started.Compare(b.Status.Started) })
	r := &report{list: listing.ReadAll(entries)}
	for _, e := range entries {
		if err := r.read(e); err != nil {
			return nil, fmt.Errorf("%s: %w", e.Path, err)
		}
	}
	if err := r.compare(o.Baseline); err != nil {
		return nil, err
	}
	shown := r.firstOfEach(entries)
	if err := r.write(ctx, shown, o); err != nil {
		return nil, err
	}
	s := explorer.Options{Runs: o.Runs, Data: o.Data}
	for _, e := range entries {
		s.Only = append(s.Only, e.Path)
	}
	b, err := explorer.New(s).Export(ctx, explorer.ExportOptions{Report: r.String(), Most: most, Tell: o.Tell},
		shown[:min(len(shown), mostViews)]...)
	if err == nil && len(b) > most {
		err = term.Usagef("", "the report has %d kB: want at most %d; a report of fewer runs is smaller", len(b)/1000,
			most/1000)
	}
	return b, err
}

// read reads a run.
func (r *report) read(e run.Entry) error {
	c, err := study.NewCandidate(e)
	if err != nil {
		return err
	}
	if err := c.Study.Read(e); err != nil {
		return err
	}
	dir, err := e.Open()
	if err != nil {
		return err
	}
	defer dir.Close()
	curve, err := figures.ReadRun(dir)
	r.all, r.curves = append(r.all, c.Study), append(r.curves, curve)
	return err
}

// compare compares the models, by test accuracy if all runs have one.
func (r *report) compare(baseline string) (err error) {
	metric := "test_acc"
	for _, x := range r.all {
		if !(x.TestAcc >= 0) { // NaN
			metric = "val_acc"
		}
	}
	r.groups = study.Groups(r.all)
	if baseline != "" && study.Baseline(r.groups, baseline) < 0 {
		return term.Usagef("", "--baseline %s: no run of the report is of that model, or has that id", baseline)
	}
	r.comparison, err = study.Compare(r.groups, study.Options{Metric: *study.Metrics.Find(metric), Baseline: baseline})
	return err
}

// firstOfEach returns the runs with a run of each model first, models with attention before others: those that are
// shown if there is no room for all.
func (r *report) firstOfEach(entries []run.Entry) []run.Entry {
	first := func(e run.Entry) int {
		for i, g := range r.groups {
			if g.Runs[0].ID != e.Status.ID {
				continue
			}
			for _, b := range g.Runs[0].Spec.Blocks() {
				if b.Attends() {
					return i
				}
			}
			return len(r.groups) + i
		}
		return 2 * len(r.groups)
	}
	shown := slices.Clone(entries)
	slices.SortStableFunc(shown, func(a, b run.Entry) int { return cmp.Compare(first(a), first(b)) })
	return shown
}
