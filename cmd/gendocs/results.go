package main

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"

	"github.com/attnconv/attnconv/internal/table"
)

// Where README.md has the table of results.
const beginResults, endResults = "<!-- results -->\n", "<!-- end of results -->"

// results is docs/data/results.json.
type results struct {
	Caption string
	Rows    []struct {
		Model, Parameters   string
		Accuracy, Low, High float64 // percent of the test images, and its 95 % interval
		N                   int     // runs
	}
}

// withResults returns a page with the table of results in a file.
func withResults(page, file string) (string, error) {
	b, err := os.ReadFile(file)
	if err != nil {
		return "", err
	}
	var r results
	if err := json.Unmarshal(b, &r); err != nil {
		return "", fmt.Errorf("%s: %w", file, err)
	}
	before, rest, begins := strings.Cut(page, beginResults)
	_, after, ends := strings.Cut(rest, endResults)
	if !begins || !ends {
		return "", fmt.Errorf("the page has no place for results, between %q and %q", beginResults, endResults)
	}
	return before + beginResults + r.markdown() + endResults + after, nil
}

func (r results) markdown() string {
	var b strings.Builder
	b.WriteString("| model | parameters | test accuracy | 95 % interval | n |\n| --- | ---: | ---: | ---: | ---: |\n")
	single := false
	for _, row := range r.Rows {
		star := ""
		if row.N == 1 {
			star, single = "*", true
		}
		fmt.Fprintf(&b, "| %s | %s | %.2f %% | [%.2f, %.2f]%s | %d |\n", row.Model, row.Parameters, row.Accuracy,
			row.Low, row.High, star, row.N)
	}
	caption := r.Caption
	if single {
		caption += " \\* One run: for other test images, not seeds."
	}
	return b.String() + "\n" + strings.Join(table.Wrap(caption, 120), "\n") + "\n"
}
