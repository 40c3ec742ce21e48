package cli

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/attnconv/attnconv/internal/invalid"
)

// A Requirement is a bound on a metric, such as test_acc>=0.80. A command that misses it ends with exit code 5.
type Requirement struct {
	Text, Name, op string
	Row            string // of a table; "": every row
	want           float64
}

// operators are tried in this order: of two that begin alike, the longer one is first.
var operators = []string{">=", "<=", ">", "<"}

// requirements is the flag --require.
type requirements struct {
	list  *[]Requirement
	known []string // metrics
	rows  bool     // a row may be given: resnet18:test_acc
}

// Require adds --require for the metrics that known lists; with rows, those of a table's rows.
func (f Flags) Require(p *[]Requirement, known []string, rows bool, meta, help string) {
	f.Value(requirements{p, known, rows}, "require", "", meta, help, nil)
}

func (r requirements) Type() string   { return "requirement" }
func (r requirements) String() string { return "" }
func (r requirements) Set(text string) error {
	for _, op := range operators {
		name, number, found := strings.Cut(text, op)
		if !found {
			continue
		}
		name, row := strings.TrimSpace(name), ""
		if of, rest, ok := strings.Cut(name, ":"); ok && r.rows {
			row, name = of, rest
		}
		if !slices.Contains(r.known, name) {
			msg := fmt.Sprintf("no metric %q; there are %s", name, strings.Join(r.known, ", "))
			if near := invalid.Nearest(name, r.known); near != "" {
				msg = fmt.Sprintf("no metric %q: did you mean %q?", name, near)
			}
			return fmt.Errorf("%s", msg)
		}
		number, percent := strings.CutSuffix(strings.TrimSpace(number), "%")
		want, err := strconv.ParseFloat(strings.TrimSpace(number), 64)
		if err != nil || math.IsNaN(want) {
			return fmt.Errorf("want a number after %s", op)
		}
		if percent {
			want /= 100
		}
		*r.list = append(*r.list, Requirement{Text: text, Name: name, op: op, Row: row, want: want})
		return nil
	}
	return fmt.Errorf("want a bound on a metric, such as %s>=0.80", r.known[0])
}

// holds reports whether a value meets the bound; NaN does not.
func (r Requirement) holds(got float64) bool {
	switch r.op {
	case ">=":
		return got >= r.want
	case "<=":
		return got <= r.want
	case ">":
		return got > r.want
	}
	return got < r.want
}

// Unmet returns an error that lists the requirements that values miss, or nil.
func Unmet(list []Requirement, values map[string]float64) error {
	var missed []string
	for _, r := range list {
		if got, ok := values[r.Name]; !ok || !r.holds(got) {
			is := "is unknown"
			if ok && !math.IsNaN(got) {
				is = "is " + strconv.FormatFloat(got, 'f', 4, 64)
				if got == math.Trunc(got) {
					is = "is " + strconv.FormatFloat(got, 'f', 0, 64)
				}
			}
			missed = append(missed, fmt.Sprintf("%s %s, and --require wants %s", r.Name, is, r.Text))
		}
	}
	if missed == nil {
		return nil
	}
	return Unmetf("%s", strings.Join(missed, "\n  "))
}
