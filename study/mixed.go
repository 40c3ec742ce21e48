package study

import (
	"fmt"
	"slices"
	"strings"

	"github.com/attnconv/attnconv/internal/visible"
)

// MixedError is the error for runs that cannot be compared: they differ in the data or in the length of training.
type MixedError struct{ Differences []Difference }

// A Difference is a setting in which runs differ.
type Difference struct {
	Key    string    `json:"key"`
	Values []Holders `json:"values"`
}

// Holders are the runs that have one value.
type Holders struct {
	Value string   `json:"value"` // as YAML on one line
	Runs  []string `json:"runs"`  // ids
}

func (m *MixedError) Error() string {
	var b strings.Builder
	b.WriteString("the runs cannot be compared: they differ in more than the model")
	keys, values := 0, 0
	for _, d := range m.Differences {
		keys = max(keys, len(d.Key))
		for _, v := range d.Values {
			values = max(values, visible.Columns(v.Value))
		}
	}
	for _, d := range m.Differences {
		for i, v := range d.Values {
			key := d.Key
			if i > 0 {
				key = ""
			}
			runs := v.Runs
			if len(runs) > 4 {
				runs = append(slices.Clone(runs[:4]), fmt.Sprintf("and %d more", len(runs)-4))
			}
			fmt.Fprintf(&b, "\n  %-*s  %s  in %s", keys, key, visible.Pad(v.Value, values), strings.Join(runs, ", "))
		}
	}
	return b.String()
}

// Question reports whether a setting belongs to the question rather than to the model: runs with different values of it
// cannot be compared. The data set, without augmentation, and the length of training do.
func Question(key string) bool {
	switch key {
	case "data.augment":
		return false
	case "train.epochs", "train.limit_train_batches", "train.limit_val_batches", "train.overfit_batches", digestKey:
		return true
	}
	return strings.HasPrefix(key, "data.")
}

const digestKey = "digest of the data"

// Mix returns those of the settings that matter, usually by Question, in which runs differ, or nil.
func Mix(runs []Run, matters func(key string) bool) *MixedError {
	var m MixedError
	if len(runs) == 0 {
		return nil
	}
	keys := []string{}
	for _, s := range runs[0].Settings {
		keys = append(keys, s.Key)
	}
	for _, key := range append(keys, digestKey) {
		if d := differenceOf(key, runs); matters(key) && len(d.Values) > 1 {
			m.Differences = append(m.Differences, d)
		}
	}
	if m.Differences == nil {
		return nil
	}
	return &m
}

func differenceOf(key string, runs []Run) Difference {
	d := Difference{Key: key}
	for _, r := range runs {
		value := r.Value(key)
		if key == digestKey {
			if value = fmt.Sprintf("%.8s", r.Environment.DataDigest); value == "" {
				continue // unknown: no difference
			}
		}
		i := slices.IndexFunc(d.Values, func(h Holders) bool { return h.Value == value })
		if i < 0 {
			i = len(d.Values)
			d.Values = append(d.Values, Holders{Value: value})
		}
		d.Values[i].Runs = append(d.Values[i].Runs, r.ID)
	}
	return d
}
