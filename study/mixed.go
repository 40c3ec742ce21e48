package study

import (
	"fmt"
	"slices"
	"strings"
)

// A Mixed says that runs do not answer the same question: what they were trained on, or for how long, is not the same.
type Mixed struct{ Differences []Difference }

// A Difference is a setting in which runs differ.
type Difference struct {
	Key    string
	Values []Holders
}

// Holders are the runs that have one value.
type Holders struct {
	Value string
	Runs  []string
}

func (m *Mixed) Error() string {
	var b strings.Builder
	b.WriteString("the runs cannot be compared: they differ in more than the model")
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
			fmt.Fprintf(&b, "\n  %-24s %-12s in %s", key, v.Value, strings.Join(runs, ", "))
		}
	}
	return b.String()
}

// Question reports whether a setting is part of the question rather than of a model's answer: runs with different
// values of it are not compared. The data is, but for how its images are changed in training, and the budget.
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

// Mix returns what keeps runs from being compared, or nil.
func Mix(runs []Run) *Mixed {
	var m Mixed
	if len(runs) == 0 {
		return nil
	}
	keys := []string{}
	for _, s := range runs[0].Settings {
		keys = append(keys, s.Key)
	}
	for _, key := range append(keys, digestKey) {
		if d := difference(key, runs); Question(key) && len(d.Values) > 1 {
			m.Differences = append(m.Differences, d)
		}
	}
	if m.Differences == nil {
		return nil
	}
	return &m
}

func difference(key string, runs []Run) Difference {
	d := Difference{Key: key}
	for _, r := range runs {
		value := r.Value(key)
		if key == digestKey {
			if value = fmt.Sprintf("%.8s", r.Environment.DataDigest); value == "" {
				continue // not known: no difference
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
