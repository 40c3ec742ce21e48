package study

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/attnconv/attnconv/configs"
	"github.com/attnconv/attnconv/internal/fault"
	"github.com/attnconv/attnconv/internal/table"
	"github.com/attnconv/attnconv/option"
	"github.com/attnconv/attnconv/run"
)

// HeldOut returns an error if the validation accuracy of a run is not that of validation images: because it is that of
// the test images, or of the images that it trains on.
func HeldOut(id string, c configs.Run) error {
	const none = "run %s has no accuracy on validation images: "
	switch {
	case c.Data.OnTest():
		return fault.Usagef(none+"it was trained with --protocol %s, whose validation images are the test images", id,
			c.Data.Protocol)
	case c.Train.OverfitBatches > 0:
		return fault.Usagef(none+"it overfits the images that it is validated on (--overfit-batches %d)", id,
			c.Train.OverfitBatches)
	}
	return nil
}

// DefaultTargets are the accuracies in per cent whose times are usually reported.
const DefaultTargets = "70,80,85,90"

// mostTargets bounds the columns of a table, and the lines of a figure.
const mostTargets = 20

// Targets reads a list of accuracies in per cent, such as 70,80,85,90, as fractions, ascending, each once. The error is
// an *option.Error for key.
func Targets(key, list string) (targets []float64, err error) {
	for part := range strings.SplitSeq(list, ",") {
		part = strings.TrimSuffix(strings.TrimSpace(part), "%")
		percent, err := strconv.ParseFloat(part, 64)
		if err != nil || !(percent >= 1 && percent <= 100) {
			return nil, option.Errorf(key, "%q: want accuracies in per cent, from 1 to 100, such as %s", list,
				DefaultTargets)
		}
		// Rounded once, as the accuracy of a run is: 70.1/100 is less than 0.701.
		target, err := strconv.ParseFloat(strconv.FormatFloat(percent, 'f', -1, 64)+"e-2", 64)
		if err != nil {
			return nil, err
		}
		targets = append(targets, target)
	}
	slices.Sort(targets)
	if targets = slices.Compact(targets); len(targets) > mostTargets {
		return nil, option.Errorf(key, "%d accuracies: want %d at most", len(targets), mostTargets)
	}
	return targets, nil
}

// OfHeldOut reports whether a setting determines what a validation accuracy is of: the data, but not how long or on how
// many batches a run trains, in which runs that race for an accuracy may differ.
func OfHeldOut(key string) bool {
	return Question(key) && key != "train.epochs" && key != "train.limit_train_batches"
}

// SelectHeldOut reads the runs of entries for TimeToAccuracy, oldest first, finished or not. They have validation
// images and a finished epoch. If named, the error is one of HeldOut or a *MixedError for those that cannot be
// reported together. Otherwise, and for runs without a finished epoch, notes say which were left out; checks
// (--fast-dev-run, --overfit-batches) are left out silently, and the data are those of the newest run that is left.
func SelectHeldOut(entries []run.Entry, named bool) (runs []Run, notes []string, err error) {
	entries = slices.Clone(entries)
	slices.SortStableFunc(entries, func(a, b run.Entry) int { return b.Status.Started.Compare(a.Status.Started) })
	otherData, onTest := 0, 0
	for _, e := range entries {
		c, err := NewCandidate(e)
		if err == nil && !named && (c.Config.Train.OverfitBatches > 0 || c.Config.IsFastDevRun()) {
			continue
		}
		if err == nil {
			if err = HeldOut(e.Status.ID, c.Config); err != nil && !named {
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
		case !named && len(runs) > 0 && mixOf([]Run{runs[0], c.Study}, OfHeldOut) != nil:
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
	if m := mixOf(runs, OfHeldOut); m != nil {
		return nil, nil, m
	}
	return runs, notes, nil
}
