package house

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/attnconv/attnconv"
)

// The version of doc.go is that of CITATION.cff, and has a section of its own in the changelog.
func TestVersionIsOne(t *testing.T) {
	for name, line := range map[string]string{
		"CITATION.cff": "version: " + attnconv.Version,
		"CHANGELOG.md": "## " + attnconv.Version,
	} {
		b, err := os.ReadFile(filepath.Join(root, name))
		if err != nil {
			t.Fatal(err)
		}
		if !regexp.MustCompile(`(?m)^` + regexp.QuoteMeta(line) + `\b`).Match(b) {
			t.Errorf("%s has no line %q: doc.go has the version %s", name, line, attnconv.Version)
		}
	}
}

var aGoFile = regexp.MustCompile(`\b[\w/]+\.go\b`)

// The files that doc.go tells to read, and the packages that it lists, are there, and no public package is missing.
func TestRootDocumentation(t *testing.T) {
	s := readSource(t)
	b, err := os.ReadFile(filepath.Join(root, "doc.go"))
	if err != nil {
		t.Fatal(err)
	}
	if named := aGoFile.FindAllString(string(b), -1); len(named) != 7 {
		t.Errorf("doc.go names %d files to read, want seven: %v", len(named), named)
	} else {
		for _, name := range named {
			if !s.paths[name] {
				t.Errorf("doc.go names %s, which is not there", name)
			}
		}
	}
	for _, pkg := range publicPackages(t) {
		if !strings.Contains(string(b), "//   - "+pkg+": ") {
			t.Errorf("doc.go does not list package %s", pkg)
		}
	}
}

// Every public package has an Example, which go test runs and go doc shows.
func TestEveryPublicPackageHasAnExample(t *testing.T) {
	for _, pkg := range publicPackages(t) {
		files, err := filepath.Glob(filepath.Join(root, pkg, "*_test.go"))
		if err != nil {
			t.Fatal(err)
		}
		if !slices.ContainsFunc(files, func(name string) bool {
			b, err := os.ReadFile(name)
			return err == nil && anExample.Match(b)
		}) {
			t.Errorf("package %s has no Example with an output", pkg)
		}
	}
}

var anExample = regexp.MustCompile(`(?s)\nfunc Example\w*\(\) {\n.*?\n\t// Output:`)

// publicPackages lists the packages that another module may import as a library.
func publicPackages(t *testing.T) (all []string) {
	for line := range strings.Lines(goList(t, "./...")) {
		pkg := strings.TrimPrefix(strings.TrimSpace(line)+"/", module)
		pkg = strings.TrimSuffix(pkg, "/")
		if pkg != "" && !strings.Contains("/"+pkg+"/", "/internal/") && pkg != "cmd" &&
			!strings.HasPrefix(pkg, "cmd/") {
			all = append(all, pkg)
		}
	}
	return all
}

// The variable that .ci/release sets is there: the linker ignores a wrong name.
func TestReleaseSetsTheVersion(t *testing.T) {
	b, err := os.ReadFile(filepath.Join(root, ".ci/release"))
	if err != nil {
		t.Fatal(err)
	}
	set := regexp.MustCompile(`-X ` + strings.TrimSuffix(module, "/") + `(/\S+)?\.(\w+)=\$version`).FindSubmatch(b)
	if set == nil {
		t.Fatal(".ci/release sets no variable to $version")
	}
	files, err := filepath.Glob(filepath.Join(root, string(set[1]), "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range files {
		source, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(string(source), "\nvar "+string(set[2])+" string\n") {
			return
		}
	}
	t.Errorf("no file of .%s has var %s string", set[1], set[2])
}

// The comment of each public package says what of it is stable.
func TestPackagesSayWhatIsStable(t *testing.T) {
	for _, pkg := range publicPackages(t) {
		files, err := filepath.Glob(filepath.Join(root, pkg, "*.go"))
		if err != nil {
			t.Fatal(err)
		}
		if !slices.ContainsFunc(files, func(name string) bool {
			b, err := os.ReadFile(name)
			comment, _, _ := strings.Cut(string(b), "\npackage ")
			return err == nil && strings.Contains(comment, "// Package ") && strings.Contains(comment, "\n// Stable: ")
		}) {
			t.Errorf("the comment of package %s has no paragraph that begins with \"Stable: \"", pkg)
		}
	}
}
