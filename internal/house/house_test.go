// Package house tests how the house is built: who may import whom, and which modules it stands on.
package house

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

const module = "github.com/attnconv/attnconv/"

// floorsOf returns the packages of each floor in the table of ARCHITECTURE.md, from the ground up.
func floorsOf(t *testing.T) (floors [][]string) {
	text, _ := readPage(t, "ARCHITECTURE.md")
	for i := 0; ; i++ {
		_, row, found := strings.Cut(text, fmt.Sprintf("\n| %d | ", i))
		if !found {
			return floors
		}
		row, _, _ = strings.Cut(row, "\n")
		var packages []string
		for _, w := range words(row) {
			if files, err := filepath.Glob(filepath.Join(root, w, "*.go")); err == nil && len(files) > 0 {
				packages = append(packages, w)
			}
		}
		floors = append(floors, packages)
	}
}

// doors says which packages, and those in their own internal folder, may import each dependency.
var doors = map[string][]string{
	"gorgonia.org/":                {"internal/op", "nn", "train"},
	"gonum.org/v1/plot":            {"viz"},
	"github.com/google/pprof":      {"cmd/internal/bench"},
	"gonum.org/v1/gonum":           {"analyse", "analyse/network", "cmd/internal/claims", "study/stats", "theorem"},
	"github.com/ebitengine/purego": {"internal/mpi"},
	"github.com/spf13/":            {"cmd"},
	"go.yaml.in/yaml":              {"configs", "internal/strict", "model"},
	"golang.org/x/term":            {"internal/progress"},
	"golang.org/x/text":            {"internal/visible"},
	"golang.org/x/sys":             {"internal/disk", "internal/kernel", "internal/memory", "run"},
	"github.com/mmcloughlin/avo":   {},
}

func goList(t *testing.T, args ...string) string {
	t.Helper()
	cmd := exec.Command("go", append([]string{"list"}, args...)...)
	cmd.Dir = "../.."
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("go list %v: %v", args, err)
	}
	return string(out)
}

// A package imports only from floors below its own.
func TestImports(t *testing.T) {
	floors := floorsOf(t)
	floor := func(pkg string) int {
		return slices.IndexFunc(floors, func(f []string) bool { return slices.Contains(f, pkg) })
	}
	for line := range strings.Lines(goList(t, "-f", `{{.ImportPath}} {{join .Imports " "}}`, "./...")) {
		f := strings.Fields(line)
		pkg := strings.TrimPrefix(f[0], module)
		if f[0]+"/" == module {
			pkg = "."
		}
		if pkg == "internal/house" {
			continue
		}
		if floor(pkg) < 0 {
			t.Errorf("%s stands on no floor: add it to the table in ARCHITECTURE.md", pkg)
		}
		for _, imp := range f[1:] {
			if dep, ours := strings.CutPrefix(imp, module); ours && floor(dep) >= floor(pkg) {
				t.Errorf("%s imports %s, which is not below it", pkg, dep)
			}
			for door, may := range doors {
				opens := func(who string) bool { return pkg == who || strings.HasPrefix(pkg, who+"/internal/") }
				if strings.HasPrefix(imp, door) && !slices.ContainsFunc(may, opens) {
					t.Errorf("%s imports %s; only %v may", pkg, imp, may)
				}
			}
		}
	}
}

// GoMLX is in the module gpu alone, and the program links no way to MPI.
func TestLeftOut(t *testing.T) {
	for _, name := range []string{"go.mod", "go.sum"} {
		text, err := os.ReadFile("../../" + name)
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(string(text), "github.com/gomlx/") {
			t.Errorf("%s names GoMLX", name)
		}
	}
	for _, dep := range strings.Fields(goList(t, "-deps", "./cmd/attnconv")) {
		if strings.HasPrefix(dep, "github.com/ebitengine/") {
			t.Errorf("the program links %s", dep)
		}
	}
}

// gorgonia of 2023 panics at start on today's Go unless this module is at least as new; and newer gorgonias do not
// exist.
func TestPins(t *testing.T) {
	for path, want := range map[string]string{
		"gorgonia.org/gorgonia":              "v0.9.18",
		"gorgonia.org/tensor":                "v0.9.24",
		"go4.org/unsafe/assume-no-moving-gc": "v0.0.0-20231121144256-b99613f794b6",
	} {
		if got := strings.TrimSpace(goList(t, "-m", "-f", "{{.Version}}", path)); got != want {
			t.Errorf("%s is at %s, want %s (never go get -u ./...)", path, got, want)
		}
	}
}

// The product builds without a C compiler, and its go.mod serves go install: no replace lines.
func TestModFile(t *testing.T) {
	b, err := os.ReadFile("../../go.mod")
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(string(b), "\nreplace") {
		t.Error("go.mod has a replace line: go install …@version refuses it")
	}
	for line := range strings.Lines(goList(t, "-f", `{{.ImportPath}} {{join .CgoFiles ","}}`, "./...")) {
		if f := strings.Fields(line); len(f) > 1 {
			t.Errorf("%s needs cgo: %s", f[0], f[1])
		}
	}
}
