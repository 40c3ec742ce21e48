package term

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/attnconv/attnconv/option"
)

// A Requirement is a bound on a metric, such as test_acc>=0.80.
type Requirement struct {
	Text, Name string
	Row        string // of a table; "": every row
	holds      func(got, want float64) bool
	want       float64
}

// operators are tried in this order: of two that begin alike, the longer one is first. None holds for NaN.
var operators = []struct {
	sign  string
	holds func(got, want float64) bool
}{
	{">=", func(got, want float64) bool { return got >= want }},
	{"<=", func(got, want float64) bool { return got <= want }},
	{">", func(got, want float64) bool { return got > want }},
	{"<", func(got, want float64) bool { return got < want }},
}

// ParseRequirement reads a bound on one of the metrics that known lists; with rows, it may be that of a table's row:
// resnet18:test_acc>=80%.
func ParseRequirement(text string, known []string, rows bool) (r Requirement, err error) {
	for _, op := range operators {
		name, number, found := strings.Cut(text, op.sign)
		if !found {
			continue
		}
		name, row := strings.TrimSpace(name), ""
		if of, rest, ok := strings.Cut(name, ":"); ok && rows {
			row, name = of, rest
		}
		if !slices.Contains(known, name) {
			if near := option.Nearest(name, known); near != "" {
				return r, fmt.Errorf("no metric %q: did you mean %q?", name, near)
			}
			return r, fmt.Errorf("no metric %q; there are %s", name, strings.Join(known, ", "))
		}
		number, percent := strings.CutSuffix(strings.TrimSpace(number), "%")
		want, err := strconv.ParseFloat(strings.TrimSpace(number), 64)
		if err != nil || math.IsNaN(want) {
			return r, fmt.Errorf("want a number after %s", op.sign)
		}
		if percent {
			want /= 100
		}
		if isShare(name) && !(want >= 0 && want <= 1) {
			return r, fmt.Errorf("accuracies are 0 to 1, such as %s%s0.80 or %[1]s%[2]s80%%", name, op.sign)
		}
		return Requirement{text, name, row, op.holds, want}, nil
	}
	if len(known) == 0 {
		return r, fmt.Errorf("%q: there is no metric to set a bound on", text)
	}
	return r, fmt.Errorf("want a bound on a metric, such as %s>=0.80", known[0])
}

// isShare reports whether a metric is a part of the images.
func isShare(metric string) bool {
	return slices.Contains([]string{"acc", "top5"}, metric[strings.LastIndexByte(metric, '_')+1:])
}

// Require returns an error for a check that failed, which names the requirements that values miss, or nil. A value that
// is NaN or lacking meets none.
func Require(list []Requirement, values map[string]float64) error {
	var missed []string
	for _, r := range list {
		got, ok := values[r.Name]
		if ok && r.holds(got, r.want) {
			continue
		}
		is := "is unknown"
		if ok && !math.IsNaN(got) {
			is = "is " + strconv.FormatFloat(got, 'f', 4, 64)
			if got == math.Trunc(got) {
				is = "is " + strconv.FormatFloat(got, 'f', 0, 64)
			}
		}
		missed = append(missed, fmt.Sprintf("%s %s, and --require wants %s", r.Name, is, r.Text))
	}
	if missed == nil {
		return nil
	}
	return Unmetf("%s", strings.Join(missed, "\n  "))
}
