// Command gen computes what studies/ shows: the numbers in docs/data/verdict.json, and tables of studies/verdict.md,
// docs/findings.md and README.md. It works with any part of the planned runs. The same files give the same bytes.
package main

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
)

// Where the numbers and the pages are, from the root of the repository.
const (
	numbersFile   = "docs/data/verdict.json"
	pageFile      = "studies/verdict.md"
	findingsFile  = "docs/findings.md"
	readmeFile    = "README.md"
	attentionFile = "docs/attention.md"
	slidesFile    = "docs/slides.md"
)

func main() {
	root := flag.String("root", "..", "`folder` of the repository")
	more := flag.Bool("plan", false, "add runs to studies/plan.json that wait for a finished search, and write nothing else")
	flag.Parse()
	if err := do(*root, *more); err != nil {
		fmt.Fprintln(os.Stderr, "error:", err)
		os.Exit(1)
	}
}

func do(root string, more bool) error {
	if !more {
		return write(root)
	}
	all, err := read(filepath.Join(root, "studies"))
	if err != nil {
		return err
	}
	says, err := planMore(root, all)
	for _, line := range says {
		fmt.Println(line)
	}
	return err
}

func write(root string) error {
	v, numbers, err := compute(root)
	if err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(root, numbersFile), numbers, 0o666); err != nil {
		return err
	}
	for name := range parts {
		text, err := written(root, name, v)
		if err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(root, name), []byte(text), 0o666); err != nil {
			return err
		}
	}
	return nil
}

// written is the text of a page with what is generated in it.
func written(root, name string, v *verdict) (string, error) {
	page, err := os.ReadFile(filepath.Join(root, name))
	if err != nil {
		return "", err
	}
	var words map[string]string
	if quoted[name] != "" {
		if words, err = quote(root, name, v); err != nil || name == findingsFile {
			return words[""], err
		}
	}
	return withTables(name, string(page), words, v)
}

// compute returns the numbers, and the file of them.
func compute(root string) (*verdict, []byte, error) {
	all, err := read(filepath.Join(root, "studies"))
	if err != nil {
		return nil, nil, err
	}
	v := &verdict{V: 1, Runs: all.counts()}
	for _, part := range []struct {
		prefix   string
		runs     *runs
		measures []func(*runs) ([]Number, error)
	}{
		{"", all, []func(*runs) ([]Number, error){searched, compared, layered, converged, costs, robust, related,
			secondNumbers}},
		{halfPrefix, all.half(), []func(*runs) ([]Number, error){
			searched, compared, extended, retuned, layered, converged, robust}},
		{ownPrefix, all.own(), []func(*runs) ([]Number, error){compared, layered, converged, costs, robust}},
	} {
		for _, measure := range part.measures {
			numbers, err := measure(part.runs)
			if err != nil {
				return nil, nil, err
			}
			for _, n := range numbers {
				n.ID = part.prefix + n.ID
				v.Numbers = append(v.Numbers, n)
			}
		}
	}
	v.Predictions = foretold(v)
	numbers, err := json.Marshal(v)
	if err != nil {
		return nil, nil, err
	}
	for _, begin := range []string{`{"id":`, `{"group":`} { // a line for each
		numbers = bytes.ReplaceAll(numbers, []byte(begin), []byte("\n"+begin))
	}
	return v, append(numbers, '\n'), nil
}
