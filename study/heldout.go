package study

import (
	"slices"
	"strconv"
	"strings"

	"github.com/attnconv/attnconv/configs"
	"github.com/attnconv/attnconv/internal/fault"
	"github.com/attnconv/attnconv/option"
)

// HeldOut returns an error if the validation accuracy of a run was not measured on validation images, but on test
// images or on the images that it trains on.
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
