package cmd

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/attnconv/attnconv/internal/invalid"
)

func decimal(s string) (float64, error) { return strconv.ParseFloat(s, 64) }

func positive(v float64) bool { return v > 0 && !math.IsInf(v, 1) }

// numbers reads a list such as 1,3,5.
func numbers[N any](flag, list string, parse func(string) (N, error), ok func(N) bool) (all []N, err error) {
	for _, word := range strings.Split(list, ",") {
		n, err := parse(strings.TrimSpace(word))
		if err != nil || !ok(n) {
			return nil, usagef("", "%s %q: want numbers above 0, such as 1,3", flag, list)
		}
		all = append(all, n)
	}
	return all, nil
}

// choices reads a list of known words, or all of them. alias is another word for means.
func choices(flag, list string, known []string, alias, means string) (all []string, err error) {
	if list == "all" {
		return slices.Clone(known), nil
	}
	for _, word := range strings.Split(list, ",") {
		if alias != "" && word == alias {
			word = means
		}
		if !slices.Contains(known, word) {
			return nil, invalid.Choice(flag, word, append(slices.Clone(known), "all"))
		}
		all = append(all, word)
	}
	return all, nil
}

// channels reads IN:OUT, or one number for both.
func channels(text string) (in, out int, err error) {
	first, second, both := strings.Cut(text, ":")
	if !both {
		second = first
	}
	in, err1 := strconv.Atoi(first)
	out, err2 := strconv.Atoi(second)
	if err1 != nil || err2 != nil || in < 1 || out < 1 {
		return 0, 0, usagef("", "--channels %q: want two numbers from 1, such as 16:32", text)
	}
	return in, out, nil
}
