package house

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// A house is the packages of the program, without examples, benchmarks and programs that only .ci and go generate run.
type house struct {
	imports map[string][]string
	depth   map[string]int    // packages on the longest chain of imports from it downwards
	text    map[string]string // its source without comments and tests
}

var (
	notCounted = regexp.MustCompile(`^(\.ci|examples|bench|.*kernel/gen)(/|$)`)
	lineTail   = regexp.MustCompile(`//.*`)
	exported   = []*regexp.Regexp{
		regexp.MustCompile(`(?m)^func (\([^)]*\) )?[A-Z]\w*`), regexp.MustCompile(`(?m)^(type|var|const) [A-Z]\w*`),
		regexp.MustCompile(`(?m)^\t[A-Z]\w*(, [A-Z]\w*)* ([\w.\[\]*]+ )?=`)}
)

func readHouse(t *testing.T) *house {
	h := &house{map[string][]string{}, map[string]int{}, map[string]string{}}
	for line := range strings.Lines(goList(t, "-f", `{{.ImportPath}} {{join .Imports " "}}`, "./...")) {
		var own []string
		for _, path := range strings.Fields(line) {
			if path+"/" == module {
				own = append(own, ".")
			} else if p, ours := strings.CutPrefix(path, module); ours {
				own = append(own, p)
			}
		}
		if !notCounted.MatchString(own[0]) {
			h.imports[own[0]] = own[1:]
			h.text[own[0]] = packageText(t, own[0])
		}
	}
	for p := range h.imports {
		h.measure(p)
	}
	return h
}

// packageText returns the source of a package without comments and tests.
func packageText(t *testing.T, p string) (text string) {
	files, err := filepath.Glob(filepath.Join(root, p, "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range files {
		b, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if !strings.HasSuffix(name, "_test.go") {
			text += lineTail.ReplaceAllString(string(b), "") + "\n"
		}
	}
	return text
}

func (h *house) measure(p string) int {
	if h.depth[p] == 0 {
		deepest := 0
		for _, i := range h.imports[p] {
			deepest = max(deepest, h.measure(i))
		}
		h.depth[p] = deepest + 1
	}
	return h.depth[p]
}

// edges returns how many imports there are, how many of them are thin (one or two names of a package above the ground,
// whose chain is longer than two), and how many packages import each.
func (h *house) edges() (all, thin int, importers map[string]int) {
	importers = map[string]int{}
	for p, own := range h.imports {
		all += len(own)
		for _, i := range own {
			importers[i]++
			used := map[string]bool{}
			for _, m := range regexp.MustCompile(`\b`+regexp.QuoteMeta(filepath.Base(i))+`\.([A-Z]\w*)`).
				FindAllStringSubmatch(h.text[p], -1) {
				used[m[1]] = true
			}
			if h.depth[i] > 2 && (len(used) == 1 || len(used) == 2) {
				thin++
			}
		}
	}
	return all, thin, importers
}

// Numbers that may only fall: how deep the house is, how much its packages need each other, how large it is. A limit is
// lowered with each change that makes its number smaller, and never raised. All imports are counted, not those of a
// package: fewer packages would make the mean larger.
func TestRatchets(t *testing.T) {
	h := readHouse(t)
	all, thin, importers := h.edges()
	chain, fanOut, public := 0, 0, 0
	var hidden []string
	for p := range h.imports {
		chain = max(chain, h.depth[p])
		if p != "cmd" {
			fanOut = max(fanOut, len(h.imports[p]))
		}
		if !strings.Contains("/"+p+"/", "/internal/") && !strings.HasPrefix(p, "cmd/") {
			hidden = append(hidden, internalNames(t, p)...)
			for _, e := range exported {
				public += len(e.FindAllString(h.text[p], -1))
			}
		}
	}
	slices.Sort(hidden)
	t.Log(strings.Join(hidden, ", "))
	for _, r := range []struct {
		name         string
		value, limit float64
	}{
		{"longest chain of imports", float64(chain), 18},
		{"highest floor", float64(len(floorsOf(t)) - 1), 17},
		{"imports in all", float64(all), 642},
		{"imports of one or two names", float64(thin), 112},
		{"imports of one package, other than cmd", float64(fanOut), 22},
		{"packages that import run", float64(importers["run"]), 20},
		{"exported names of public packages", float64(public), 1562},
		{"internal types in public declarations", float64(len(hidden)), 0},
		{"lines of Go written by hand", float64(handWritten(t)), 106843},
	} {
		if t.Logf("%-40s %9.2f, limit %.2f", r.name, r.value, r.limit); r.value > r.limit {
			t.Errorf("%s: %.2f, above the limit of %.2f", r.name, r.value, r.limit)
		}
	}
}

// handWritten returns the lines of Go of the main module, without tests, generated files and what is not the program.
func handWritten(t *testing.T) (lines int) {
	other := regexp.MustCompile(`_test\.go$|^(\.ci|examples|bench|docs|gpu|studies)/|kernel/gen/`)
	for name := range readSource(t).paths {
		if !strings.HasSuffix(name, ".go") || other.MatchString(name) {
			continue
		}
		b, err := os.ReadFile(filepath.Join(root, name))
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(string(b[:min(len(b), 400)]), "DO NOT EDIT") {
			lines += strings.Count(string(b), "\n")
		}
	}
	return lines
}
