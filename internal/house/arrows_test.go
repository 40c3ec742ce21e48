package house

import (
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// arrowsAgainst bounds the part of the arrows between the files of a package that run against its order. An arrow goes
// from a file to each file whose functions, types, methods, fields and values it uses. It runs against the order if the
// other file needs the first as well, directly or through others, so that neither can be read first.
var arrowsAgainst = map[string]float64{
	"analyse/network": 0.151, "data": 0.09, "model": 0, "cmd/internal/refs": 0,
	"cmd/internal/term": 0, "run": 0.02,
}

func TestArrowsBetweenFiles(t *testing.T) {
	for _, p := range slices.Sorted(maps.Keys(arrowsAgainst)) {
		arrows := arrowsOf(t, p)
		all, against := 0, 0
		for from, to := range arrows {
			for file := range to {
				if all++; reaches(arrows, file, from, map[string]bool{}) {
					against++
				}
			}
		}
		share := float64(against) / float64(max(1, all))
		if t.Logf("%-20s %3d of %3d arrows against the order, %.3f", p, against, all, share); share > arrowsAgainst[p] {
			t.Errorf("%s: %.3f of the arrows run against the order, above the limit of %.3f", p, share, arrowsAgainst[p])
		}
	}
}

// arrowsOf returns the files that each file of a package uses.
func arrowsOf(t *testing.T, p string) map[string]map[string]bool {
	names, err := filepath.Glob(filepath.Join(root, p, "*.go"))
	if err != nil || len(names) == 0 {
		t.Fatal(p, "has no files:", err)
	}
	fset, files := token.NewFileSet(), []*ast.File{}
	for _, name := range names {
		if !strings.HasSuffix(name, "_test.go") {
			f, err := parser.ParseFile(fset, name, nil, parser.SkipObjectResolution)
			if err != nil {
				t.Fatal(err)
			}
			files = append(files, f)
		}
	}
	info := &types.Info{Uses: map[*ast.Ident]types.Object{}}
	lax := types.Config{Error: func(error) {}, Importer: noImports{}} // what other packages declare is not needed
	pkg, _ := lax.Check(p, fset, files, info)
	arrows := map[string]map[string]bool{}
	for id, of := range info.Uses {
		from, to := fset.Position(id.Pos()).Filename, fset.Position(of.Pos()).Filename
		if of.Pkg() == pkg && from != to {
			if arrows[from] == nil {
				arrows[from] = map[string]bool{}
			}
			arrows[from][to] = true
		}
	}
	return arrows
}

// reaches reports whether one file uses another, directly or through others.
func reaches(arrows map[string]map[string]bool, from, to string, seen map[string]bool) bool {
	if from == to {
		return true
	}
	seen[from] = true
	for next := range arrows[from] {
		if !seen[next] && reaches(arrows, next, to, seen) {
			return true
		}
	}
	return false
}

type noImports struct{}

func (noImports) Import(string) (*types.Package, error) { return nil, errors.New("not needed") }
