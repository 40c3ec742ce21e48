package table

import (
	"encoding/csv"
	"math"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
)

func sample() *Table {
	t := &Table{
		Title: "data cifar10, 15 epochs",
		Columns: []Column{
			{Head: "model", Key: "model", Name: true},
			{Head: "n", Key: "n", Right: true, Group: "accuracy"},
			{Head: "test acc %", Right: true, Group: "accuracy"},
			{Key: "mean", Right: true},
			{Head: "params", Key: "params", Right: true, Group: "cost"},
			{Head: "note", Key: "note", Group: "cost"},
		},
		Notes: []string{"note   95 % interval"},
	}
	t.Add(Words("resnet18"), Cell{"3", 3}, Cell{"78.91 ± 0.22", nil}, Cell{"", 0.7891}, Cell{"0.18 M", 180_000},
		Words("a|b"))
	t.Add(Words("mhsa_1"), Cell{"1", 1}, Cell{"61.4", nil}, Cell{"", math.NaN()}, Cell{"12.1 M", 12_086_844},
		Words(`50 % & "x"`))
	return t
}

func TestText(t *testing.T) {
	want := `data cifar10, 15 epochs

model     n    test acc %  params  note
resnet18  3  78.91 ± 0.22  0.18 M  a|b
mhsa_1    1          61.4  12.1 M  50 % & "x"

note   95 % interval
`
	if diff := cmp.Diff(want, sample().Text(80)); diff != "" {
		t.Error(diff)
	}
}

// A group stays in one block unless it is too wide by itself. No line is wider than the terminal as long as the name
// and one more column fit.
func TestTextIsBrokenIntoBlocks(t *testing.T) {
	want := `data cifar10, 15 epochs

model     n    test acc %
resnet18  3  78.91 ± 0.22
mhsa_1    1          61.4

model     params  note
resnet18  0.18 M  a|b
mhsa_1    12.1 M  50 % & "x"

note   95 % interval
`
	if diff := cmp.Diff(want, sample().Text(36)); diff != "" {
		t.Error(diff)
	}
	for width := 22; width < 60; width++ {
		for line := range strings.Lines(sample().Text(width)) {
			if n := utf8.RuneCountInString(strings.TrimSuffix(line, "\n")); n > width {
				t.Errorf("width %d: %d columns: %s", width, n, line)
			}
		}
	}
	if got := strings.Count(sample().Text(5), "resnet18"); got != 4 {
		t.Errorf("on 5 columns there are %d blocks, want one for each of 4 columns", got)
	}
}

func TestWrap(t *testing.T) {
	for _, tt := range []struct {
		text  string
		width int
		want  []string
	}{
		{"short", 10, []string{"short"}},
		{"any width at all", 0, []string{"any width at all"}},
		{"one two three", 8, []string{"one two", "three"}},
		{"note   one two three", 14, []string{"note   one two", "       three"}},
		{"unbreakable", 4, []string{"unbreakable"}},
		{"a 1   b 2   c 3", 10, []string{"a 1   b 2", "c 3"}},
		{"null 60 ± 7 %, or more", 13, []string{"null 60 ±", "7 %, or more"}},
		{"it is 7 %", 8, []string{"it is", "7 %"}},
		{"  one two three", 9, []string{"  one two", "  three"}},
		{"to go on: prog on now, all   # then this", 12, []string{"to go on:", "prog on now, all", "# then this"}},
	} {
		if diff := cmp.Diff(tt.want, Wrap(tt.text, tt.width, "prog", "#")); diff != "" {
			t.Errorf("%q: %s", tt.text, diff)
		}
	}
}

func TestMarkdown(t *testing.T) {
	want := `data cifar10, 15 epochs

| model | n | test acc % | params | note |
| --- | ---: | ---: | ---: | --- |
| resnet18 | 3 | 78.91 ± 0.22 | 0.18 M | a\|b |
| mhsa_1 | 1 | 61.4 | 12.1 M | 50 % & "x" |

note   95 % interval
`
	if diff := cmp.Diff(want, sample().Markdown()); diff != "" {
		t.Error(diff)
	}
}

func TestCSV(t *testing.T) {
	got, err := csv.NewReader(strings.NewReader(sample().CSV())).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	want := [][]string{
		{"model", "n", "mean", "params", "note"},
		{"resnet18", "3", "0.7891", "180000", "a|b"},
		{"mhsa_1", "1", "", "12086844", `50 % & "x"`},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestLaTeX(t *testing.T) {
	want := `% data cifar10, 15 epochs
% note   95 % interval
\begin{tabular}{@{}lrrrl@{}} % \usepackage{booktabs}
  \toprule
  model & n & test acc \% & params & note \\
  \midrule
  resnet18 & 3 & 78.91 $\pm$ 0.22 & 0.18 M & a|b \\
  mhsa\_1 & 1 & 61.4 & 12.1 M & 50 \% \& "x" \\
  \bottomrule
\end{tabular}
`
	if diff := cmp.Diff(want, sample().LaTeX()); diff != "" {
		t.Error(diff)
	}
	if got := latex(`-1.5 [-2, +3] <0.1 a-1`); got != `$-$1.5 {[}$-$2, +3{]} $<$0.1 a-1` {
		t.Errorf("latex: %s", got)
	}
	if got := latex(`a\b{[^~]}`); got != `a\textbackslash{}b\{{[}\textasciicircum{}\textasciitilde{}{]}\}` {
		t.Errorf("latex: %s", got)
	}
}

func TestRowsHaveACellForEveryColumn(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("a short row was taken")
		}
	}()
	sample().Add(Words("x"))
}

// Three digits never round up to a thousand of a unit.
func TestSI(t *testing.T) {
	for _, tt := range []struct {
		n    float64
		unit string
		want string
	}{
		{12086844, "", "12.1 M"}, {12086844, "MAC", "12.1 MMAC"}, {999_700, "", "1 M"}, {999_400, "", "999 k"},
		{950, "MAC", "950 MAC"},
		{0, "", "0"}, {math.NaN(), "", "–"},
	} {
		if got := SI(tt.n, tt.unit); got != tt.want {
			t.Errorf("%g %s is %q, want %q", tt.n, tt.unit, got, tt.want)
		}
	}
}

// Runs of consecutive numbers; a single one is a range of itself.
func TestRanges(t *testing.T) {
	for _, c := range []struct {
		numbers []int
		want    [][2]int
	}{{nil, nil}, {[]int{4}, [][2]int{{4, 4}}}, {[]int{0, 1, 2, 5, 7, 8}, [][2]int{{0, 2}, {5, 5}, {7, 8}}}} {
		if got := Ranges(c.numbers); !slices.Equal(got, c.want) {
			t.Errorf("%v: %v, want %v", c.numbers, got, c.want)
		}
	}
}
