// Package house tests how the house is built: who may import whom, and which modules it stands on.
package house

import (
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

const module = "github.com/attnconv/attnconv/"

// floors lists the packages from the ground up. A package imports only from floors below its own.
var floors = [][]string{
	{"internal/fault"},
	{"internal/disk", "internal/foreign", "internal/option", "internal/memory", "internal/mpi", "internal/null",
		"internal/shell",
		"internal/visible", "internal/kernel", "internal/kernel/pool", "internal/kernel/threads"},
	{".", "internal/stream", "internal/choice", "internal/strict", "internal/pickle", "internal/fetch", "model/ckpt",
		"theorem/plain", "internal/kernel/vec", "internal/kernel/kerneltest"},
	{"internal/own", "internal/exampleruns", "internal/gemm", "internal/npy", "internal/table", "internal/torch", "run", "data",
		"internal/sweep/engine"},
	{"internal/kernel/convolution", "internal/kernel/depthwise", "internal/tfevents", "analyse", "internal/progress", "study/stats", "data/sets"},
	{"internal/op"},
	{"internal/op/rewrite", "nn/op"},
	{"nn"},
	{"posenc", "conv", "internal/describe"},
	{"attention"},
	{"theorem"},
	{"model"},
	{"train", "viz", "model/torchnames", "model/heads", "model/convert"},
	{"configs", "internal/bench", "internal/accelerator"},
	{"internal/doctor"},
	{"study/runs"},
	{"study"},
	{"analyse/network"},
	{"viz/figures"},
	{"session/trained"},
	{"session"},
	{"internal/sweep", "internal/explorer"},
	{"internal/document", "internal/report"},
	{"cmd/internal/cli"},
	{"cmd/internal/serve"},
	{"cmd/internal/output", "cmd/internal/train", "cmd/internal/clitest"},
	{"cmd/internal/analyse", "cmd/internal/bench", "cmd/internal/compare", "cmd/internal/config", "cmd/internal/data",
		"cmd/internal/demo", "cmd/internal/doctor", "cmd/internal/eval", "cmd/internal/inspect", "cmd/internal/manual",
		"cmd/internal/plot", "cmd/internal/predict", "cmd/internal/prove", "cmd/internal/report", "cmd/internal/runs", "cmd/internal/sweep",
		"cmd/internal/topics", "cmd/internal/weights"},
	{"cmd"},
	{"cmd/attnconv", "cmd/gendocs", "cmd/genfigures", "cmd/genstudies", "cmd/tour"},
}

// doors says which packages, and those in their own internal folder, may import each dependency.
var doors = map[string][]string{
	"gorgonia.org/":                {"internal/op", "nn", "train"},
	"gonum.org/v1/plot":            {"viz"},
	"github.com/google/pprof":      {"internal/bench"},
	"gonum.org/v1/gonum":           {"analyse", "analyse/network", "cmd/genstudies", "study/stats", "theorem"},
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

func TestImports(t *testing.T) {
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
			t.Errorf("%s stands on no floor: add it to floors", pkg)
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
