package configs

import (
	"fmt"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/attnconv/attnconv/internal/strict"
)

// An Axis is a setting of a sweep with all the values that it takes in turn.
type Axis struct {
	Key    string
	Flag   string   // that it was typed with; "" is --set
	Values []string // as typed; of a range, only that
	Range  *Range   // nil: the values are all
}

// A Range is the numbers of an axis from which values are drawn.
type Range struct {
	Lo, Hi float64
	Log    bool // equal factors are equally likely, and not equal differences
	Whole  bool // whole numbers
}

// Draw returns the value of the range for a number u in [0, 1), with four significant digits.
func (r Range) Draw(u float64) string {
	lo, hi := r.Lo, r.Hi
	if r.Whole { // each number has the same room
		lo, hi = lo-0.5, hi+0.5
	}
	x := lo + u*(hi-lo)
	if r.Log {
		x = lo * math.Pow(hi/lo, u)
	}
	if r.Whole {
		return strconv.FormatFloat(min(r.Hi, max(r.Lo, math.Round(x))), 'f', 0, 64)
	}
	return strconv.FormatFloat(x, 'g', 4, 64)
}

// rangeOf reads 0.1..0.5 or log:0.001..0.1 for a key whose values are numbers; nil: it is something else.
func rangeOf(key, text string) (*Range, error) {
	rest, log := strings.CutPrefix(strings.TrimSpace(text), "log:")
	from, to, is := strings.Cut(rest, "..")
	f, known := current().byKey[key]
	if !known || !is && !log {
		return nil, nil
	}
	r := &Range{Log: log}
	switch f.typ.Kind() {
	case reflect.Int:
		r.Whole = true
	case reflect.Float64:
	default:
		return nil, nil
	}
	var errs [2]error
	r.Lo, errs[0] = strconv.ParseFloat(from, 64)
	r.Hi, errs[1] = strconv.ParseFloat(to, 64)
	whole := r.Lo == math.Trunc(r.Lo) && r.Hi == math.Trunc(r.Hi)
	switch {
	case errs != [2]error{} || !(r.Lo < r.Hi) || math.IsInf(r.Hi-r.Lo, 0) || r.Whole && !whole:
		return nil, fmt.Errorf("%q: want a range of numbers such as 16..64 or log:0.001..0.1", strict.Clip(text))
	case log && r.Lo <= 0:
		return nil, fmt.Errorf("%q: want a logarithmic range of numbers above 0", strict.Clip(text))
	}
	return r, nil
}

// Over puts one value of each axis over the settings of s, as if it had been typed.
func Over(s Sources, axes []Axis, values []string) Sources {
	s.Flags, s.Set = slices.Clone(s.Flags), slices.Clone(s.Set)
	for i, a := range axes {
		if a.Flag != "" {
			s.Flags = append(s.Flags, Flag{a.Flag, a.Key, values[i]})
		} else {
			s.Set = append(s.Set, a.Key+"="+values[i])
		}
	}
	return s
}

// Grid takes out of s the flags and --set that have several values, or a range of them, and returns them as axes in the
// order in which they were typed. Values stand between commas (0.05,0.1); where a setting is a list itself, so does
// each list in brackets ([9,9,4],[16,16,16]).
func (s Sources) Grid() (fixed Sources, axes []Axis, err error) {
	fixed = s
	fixed.Flags, fixed.Set = nil, nil
	add := func(key, text string, from Origin) (several bool, err error) {
		values, err := alternatives(key, text)
		if err != nil {
			return false, valueError(from, key, err)
		}
		span, err := rangeOf(key, text)
		if err != nil {
			return false, valueError(from, key, err)
		}
		if len(values) < 2 && span == nil {
			return false, nil
		}
		for _, a := range axes {
			if a.Key == key {
				return false, errorf(from.Subject(key), "has several values already")
			}
		}
		flag := ""
		if from.Kind == FromFlag {
			flag = from.Name
		}
		axes = append(axes, Axis{key, flag, values, span})
		return true, nil
	}
	for _, f := range s.Flags {
		switch several, err := add(f.Key, f.Text, Origin{Kind: FromFlag, Name: f.Name}); {
		case err != nil:
			return s, nil, err
		case !several:
			fixed.Flags = append(fixed.Flags, f)
		}
	}
	for _, text := range s.Set {
		key, value, _ := strings.Cut(text, "=")
		key = strings.TrimSpace(key)
		switch several, err := add(key, value, Origin{Kind: FromSet, Name: key}); {
		case err != nil:
			return s, nil, err
		case !several:
			fixed.Set = append(fixed.Set, text)
		}
	}
	return fixed, axes, nil
}

// alternatives splits what was typed for a key into the values of an axis.
func alternatives(key, text string) ([]string, error) {
	if f, ok := current().byKey[key]; ok && strict.Own(f.typ) {
		return between(text)
	}
	if f, ok := current().byKey[key]; ok && (f.typ.Kind() == reflect.Slice || f.typ.Kind() == reflect.Array) {
		var lists []string
		for _, part := range strings.SplitAfter(text, "]") {
			part = strings.TrimSpace(strings.TrimPrefix(strings.TrimSpace(part), ","))
			if part != "" {
				lists = append(lists, part)
			}
		}
		for _, l := range lists {
			if len(lists) > 1 && !(strings.HasPrefix(l, "[") && strings.HasSuffix(l, "]")) {
				return nil, fmt.Errorf("%q: want lists in brackets with commas between them, such as [9,9,4],[16]",
					strict.Clip(text))
			}
		}
		return lists, nil
	}
	return between(text)
}

// between splits a text at the commas that stand in no brackets.
func between(text string) (words []string, err error) {
	depth, from := 0, 0
	for i, c := range text + "," {
		switch {
		case strings.ContainsRune("[{", c):
			depth++
		case strings.ContainsRune("]}", c):
			depth--
		case c == ',' && depth <= 0:
			words, from = append(words, strings.TrimSpace(text[from:i])), i+1
		}
	}
	switch {
	case len(words) < 2:
		return []string{text}, nil
	case slices.Contains(words, ""):
		return nil, fmt.Errorf("%q: want values with commas between them", strict.Clip(text))
	}
	return words, nil
}
