package data

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/attnconv/attnconv/option"
)

// An augmenting is an augmentation with the values of its parameters.
type augmenting struct {
	Augmentation
	values []float64
}

// parseAugment reads entries such as crop or mixup=0.2, and returns them in the order of Augmentations. The error is an
// *option.Error.
func parseAugment(entries []string) (all []augmenting, err error) {
	for _, entry := range entries {
		name, text, given := strings.Cut(entry, "=")
		if err := Augmentations.Check("data.augment", name); err != nil {
			return nil, err
		}
		a := *Augmentations.Find(name)
		if slices.ContainsFunc(all, func(b augmenting) bool { return b.Name == name }) {
			return nil, option.Errorf("data.augment", "%q is given twice", name)
		}
		values := a.defaults()
		if given {
			if values, err = a.parse(text); err != nil {
				return nil, option.Errorf("data.augment", "%s: %v", entry, err)
			}
		}
		all = append(all, augmenting{a, values})
	}
	place := func(a augmenting) int {
		return slices.IndexFunc(Augmentations, func(b Augmentation) bool { return b.Name == a.Name })
	}
	slices.SortFunc(all, func(a, b augmenting) int { return place(a) - place(b) })
	return all, nil
}

// parse reads the numbers behind the name, such as 2x5.
func (a Augmentation) parse(text string) (values []float64, err error) {
	words := strings.Split(text, "x")
	if len(a.Parameters) == 0 {
		return nil, fmt.Errorf("%s takes no number", a.Name)
	}
	if len(words) != len(a.Parameters) {
		return nil, fmt.Errorf("want %d number(s), such as %s=%s", len(a.Parameters), a.Name, valuesText(a.defaults()))
	}
	for i, p := range a.Parameters {
		v, err := strconv.ParseFloat(words[i], 64)
		if err != nil || !(v >= p.Min && v <= p.Max) || p.Whole && v != float64(int(v)) {
			kind := "a number"
			if p.Whole {
				kind = "a whole number"
			}
			return nil, fmt.Errorf("%s %q: want %s from %v to %v", p.Name, words[i], kind, p.Min, p.Max)
		}
		values = append(values, v)
	}
	return values, nil
}
