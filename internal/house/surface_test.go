package house

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// internalNames lists the names of internal packages in what a public package declares for others: types, fields,
// arguments and results. A program can use such a value, but cannot name its type.
func internalNames(t *testing.T, pkg string) (found []string) {
	files, err := filepath.Glob(filepath.Join(root, pkg, "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		internal := map[string]bool{}
		for _, i := range f.Imports {
			if p, err := strconv.Unquote(i.Path.Value); err == nil && strings.Contains(p, "/internal/") {
				internal[path.Base(p)] = true
			}
		}
		for _, d := range f.Decls {
			for _, n := range shownBy(d) {
				ast.Inspect(n, func(n ast.Node) bool {
					if field, ok := n.(*ast.Field); ok && len(field.Names) > 0 && !field.Names[0].IsExported() {
						_, isFunc := d.(*ast.FuncDecl)
						return isFunc // arguments have small names; fields with small names are private
					}
					if s, ok := n.(*ast.SelectorExpr); ok {
						if x, ok := s.X.(*ast.Ident); ok && internal[x.Name] {
							found = append(found, pkg+" "+x.Name+"."+s.Sel.Name)
						}
					}
					return true
				})
			}
		}
	}
	return found
}

// shownBy returns the types that a declaration shows outside of its package.
func shownBy(d ast.Decl) (nodes []ast.Node) {
	switch d := d.(type) {
	case *ast.FuncDecl:
		if d.Name.IsExported() && (d.Recv == nil || ast.IsExported(receiver(d.Recv.List[0].Type))) {
			nodes = append(nodes, d.Type)
		}
	case *ast.GenDecl:
		for _, s := range d.Specs {
			switch s := s.(type) {
			case *ast.TypeSpec:
				if s.Name.IsExported() {
					nodes = append(nodes, s.Type)
				}
			case *ast.ValueSpec:
				if s.Names[0].IsExported() && s.Type != nil {
					nodes = append(nodes, s.Type)
				}
			}
		}
	}
	return nodes
}
