package bench

import (
	"fmt"
	"slices"

	"github.com/attnconv/attnconv/internal/table"
	"github.com/attnconv/attnconv/run"
	"github.com/attnconv/attnconv/study"
)

// ofHeldOut reports whether a setting determines what a validation accuracy is of: the data, but not how long or on how
// many batches a run trains, in which runs that race for an accuracy may differ.
func ofHeldOut(key string) bool {
	return study.Question(key) && key != "train.epochs" && key != "train.limit_train_batches"
}

// selectHeldOut reads the runs of entries, oldest first, finished or not. They have validation images and a finished
// epoch. If named, the error is one of study.HeldOut or a *study.MixedError for those that cannot be reported together.
// Otherwise, and for runs without a finished epoch, notes say which were left out; checks (--fast-dev-run,
// --overfit-batches) are left out silently, and the data are those of the newest run that is left.
func selectHeldOut(entries []run.Entry, named bool) (runs []study.Run, notes []string, err error) {
	entries = slices.Clone(entries)
	slices.SortStableFunc(entries, func(a, b run.Entry) int { return b.Status.Started.Compare(a.Status.Started) })
	otherData, onTest := 0, 0
	for _, e := range entries {
		c, err := study.NewCandidate(e)
		if err == nil && !named && (c.Config.Train.OverfitBatches > 0 || c.Config.IsFastDevRun()) {
			continue
		}
		if err == nil {
			if err = study.HeldOut(e.Status.ID, c.Config); err != nil && !named {
				onTest++
				continue
			}
		}
		if err == nil {
			err = c.Study.Read(e)
		}
		switch {
		case err != nil && named:
			return nil, nil, err
		case err != nil:
			notes = append(notes, fmt.Sprintf("left out: %v", err))
		case len(c.Study.Curve) == 0:
			if named {
				notes = append(notes, fmt.Sprintf("run %s is left out: no epoch is finished yet", e.Status.ID))
			}
		case !named && len(runs) > 0 && study.Mix([]study.Run{runs[0], c.Study}, ofHeldOut) != nil:
			otherData++
		default:
			runs = append(runs, c.Study)
		}
	}
	if otherData > 0 {
		notes = append(notes, fmt.Sprintf("%s left out: other data than run %s", table.Count(otherData, "run"),
			runs[0].ID))
	}
	if onTest > 0 {
		notes = append(notes, table.Count(onTest,
			"run")+" left out: validated on the test images (--protocol paper), so nothing is held out")
	}
	slices.Reverse(runs)
	if m := study.Mix(runs, ofHeldOut); m != nil {
		return nil, nil, m
	}
	return runs, notes, nil
}
