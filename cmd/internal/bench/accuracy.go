package bench

import (
	"slices"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/attnconv/attnconv/cmd/internal/refs"
	"github.com/attnconv/attnconv/cmd/internal/term"
	"github.com/attnconv/attnconv/internal/table"
	"github.com/attnconv/attnconv/option"
	"github.com/attnconv/attnconv/run"
	"github.com/attnconv/attnconv/study"
)

// What bench reports.
const (
	speed          = "speed"
	timeToAccuracy = "time-to-accuracy"
)

// A reportKind is a value of --report.
type reportKind struct{ name, help string }

// Entry implements option.Named.
func (r reportKind) Entry() (name, help string) { return r.name, r.help }

// reports lists the values of --report.
var reports = option.List[reportKind]{
	{speed, "measure steps of models on this machine"},
	{timeToAccuracy, "read from runs how long they trained until validation accuracies"},
}

// accuracyOptions holds the flags of --report time-to-accuracy.
type accuracyOptions struct {
	Refs    []string // runs; nil: all of the data of the newest
	Targets string
	Format  string
}

// accuracyFlags are the flags that only time-to-accuracy has.
var accuracyFlags = []string{"targets", "format"}

func (o *accuracyOptions) flags(f term.Flags) {
	f.Common().Text(&o.Targets, "targets", study.DefaultTargets, "LIST",
		"with time-to-accuracy: validation accuracies in per cent", nil)
	f.Format(&o.Format, "with time-to-accuracy: of the table on standard output")
}

// checkReport reports flags that go with another report than the one asked for.
func checkReport(cmd *cobra.Command, report string) (err error) {
	cmd.LocalNonPersistentFlags().VisitAll(func(f *pflag.Flag) {
		ofAccuracy := slices.Contains(accuracyFlags, f.Name)
		if err != nil || !f.Changed || f.Name == "report" || ofAccuracy == (report == timeToAccuracy) {
			return
		}
		other := speed
		if ofAccuracy {
			other = timeToAccuracy
		}
		err = term.Usagef("", "--%s goes with --report %s", f.Name, other)
	})
	return err
}

// run reports how long runs trained until they reached validation accuracies.
func (o accuracyOptions) run(c *term.Console) error {
	targets, err := study.Targets("--targets", o.Targets)
	if err != nil {
		return err
	}
	runs, err := o.runs(c)
	if err != nil {
		return err
	}
	t, err := NewTimeToAccuracy(runs, targets)
	if err != nil {
		return err
	}
	if n := len(runs) - t.Runs(); n > 0 {
		c.Note("note   %s left out: a newer one has the same settings and seed", table.Count(n, "run"))
	}
	if warning := t.Warning(); warning != "" {
		c.Warn(warning)
	}
	return c.Show(*t, func(c *term.Console) error { return c.WriteText(c.Formatted(t.Table(), o.Format)) })
}

// runs reads the runs that are named, or all that have validation images and the data of the newest of these.
func (o accuracyOptions) runs(c *term.Console) ([]study.Run, error) {
	var entries []run.Entry
	if len(o.Refs) > 0 {
		found, err := refs.FindRuns(c, o.Refs, refs.NeedCurves, study.SeedsOf)
		if err != nil {
			return nil, err
		}
		for _, f := range found {
			entries = append(entries, f.Entry)
		}
	} else {
		all, err := run.List(c.Runs)
		if err != nil {
			return nil, err
		}
		entries = all
	}
	of, notes, err := selectHeldOut(entries, len(o.Refs) > 0)
	for _, note := range notes {
		c.Note("note   %s", note)
	}
	switch {
	case term.Is[*study.MixedError](err):
		return nil, term.Usagef("the runs of each data set can have a report of their own", "%s", err)
	case err != nil:
		return nil, err
	case len(of) == 0:
		return nil, &run.NotFoundError{What: "run", With: "validation images and a finished epoch", Root: c.Runs}
	}
	return of, nil
}
