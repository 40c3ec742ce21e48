package prove

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/attnconv/attnconv/internal/invalid"
)

// floats is a comma-separated list of positive numbers.
type floats struct{ p *[]float64 }

func (d floats) Type() string { return "numbers" }
func (d floats) String() string {
	if d.p == nil {
		return ""
	}
	return strings.Trim(strings.Join(strings.Fields(fmt.Sprint(*d.p)), ","), "[]")
}

func (d floats) Set(text string) error {
	var all []float64
	for part := range strings.SplitSeq(text, ",") {
		v, err := strconv.ParseFloat(strings.TrimSpace(part), 64)
		if err != nil || !(v > 0) || math.IsInf(v, 1) {
			return fmt.Errorf("want numbers above 0, such as 46 or 1,4.5")
		}
		all = append(all, v)
	}
	*d.p = all
	return nil
}

// pair is two positive numbers, such as 16:32; one number stands for both.
type pair struct{ p *[2]int }

func (c pair) Type() string { return "pair" }
func (c pair) String() string {
	if c.p == nil {
		return ""
	}
	return fmt.Sprintf("%d:%d", c.p[0], c.p[1])
}

func (c pair) Set(text string) error {
	first, second, both := strings.Cut(text, ":")
	if !both {
		second = first
	}
	a, err := strconv.Atoi(first)
	b, err2 := strconv.Atoi(second)
	if err != nil || err2 != nil || a < 1 || b < 1 {
		return fmt.Errorf("want two numbers from 1, such as 16:32")
	}
	*c.p = [2]int{a, b}
	return nil
}

// chosen checks words against the known ones; "all" stands for all of them.
func chosen(flag string, words, known []string) ([]string, error) {
	if slices.Equal(words, []string{"all"}) {
		return slices.Clone(known), nil
	}
	for _, word := range words {
		if !slices.Contains(known, word) {
			return nil, invalid.Choice(flag, word, append(slices.Clone(known), "all"))
		}
	}
	return words, nil
}
