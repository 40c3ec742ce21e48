// Command genstudies computes what studies/ shows: the numbers in docs/data/verdict.json, and the tables of
// docs/verdict.md. It works with any part of the planned runs. The same files give the same bytes.
package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
)

// Where the numbers and the page are, from the root of the repository.
const (
	numbersFile = "docs/data/verdict.json"
	pageFile    = "docs/verdict.md"
)

func main() {
	root := flag.String("root", ".", "`folder` of the repository")
	flag.Parse()
	if err := write(*root); err != nil {
		fmt.Fprintln(os.Stderr, "error:", err)
		os.Exit(1)
	}
}

func write(root string) error {
	page, err := os.ReadFile(filepath.Join(root, pageFile))
	if err != nil {
		return err
	}
	numbers, text, err := generate(root, string(page))
	if err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(root, numbersFile), numbers, 0o666); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(root, pageFile), []byte(text), 0o666)
}

// generate returns the file of numbers, and the page with its tables.
func generate(root, page string) (numbers []byte, text string, err error) {
	all, err := read(filepath.Join(root, "studies"))
	if err != nil {
		return nil, "", err
	}
	v := &verdict{V: 1, Runs: all.counts()}
	for _, part := range []struct {
		prefix   string
		runs     *runs
		measures []func(*runs) ([]Number, error)
	}{
		{"", all, []func(*runs) ([]Number, error){searched, compared, layered, converged, robust, related}},
		{halfPrefix, all.half(), []func(*runs) ([]Number, error){
			searched, compared, extended, retuned, layered, converged, robust}},
		{ownPrefix, all.own(), []func(*runs) ([]Number, error){compared, layered, converged, robust}},
	} {
		for _, measure := range part.measures {
			numbers, err := measure(part.runs)
			if err != nil {
				return nil, "", err
			}
			for _, n := range numbers {
				n.ID = part.prefix + n.ID
				v.Numbers = append(v.Numbers, n)
			}
		}
	}
	if numbers, err = json.MarshalIndent(v, "", " "); err != nil {
		return nil, "", err
	}
	text, err = withTables(page, v)
	return append(numbers, '\n'), text, err
}
