package house

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// internalNames lists the names of internal packages in what a public package declares for others: types, fields,
// arguments and results. A program can use such a value, but cannot name its type. It can if the type has a public name,
// an alias, whose comment then names each field and method: the documentation shows none of an internal type.
func internalNames(t *testing.T, pkg string) (found []string) {
	files, err := filepath.Glob(filepath.Join(root, pkg, "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution|parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		internal := map[string]string{}
		for _, i := range f.Imports {
			if p, err := strconv.Unquote(i.Path.Value); err == nil && strings.Contains(p, "/internal/") {
				internal[path.Base(p)] = strings.TrimPrefix(p, module)
			}
		}
		for _, d := range f.Decls {
			if a := aliasOf(d); a != nil && internal[a.pkg] != "" && a.tells(membersOf(t, internal[a.pkg], a.name)) {
				continue
			}
			for _, n := range shownBy(d) {
				ast.Inspect(n, func(n ast.Node) bool {
					if field, ok := n.(*ast.Field); ok && len(field.Names) > 0 && !field.Names[0].IsExported() {
						_, isFunc := d.(*ast.FuncDecl)
						return isFunc // arguments have small names; fields with small names are private
					}
					if s, ok := n.(*ast.SelectorExpr); ok {
						if x, ok := s.X.(*ast.Ident); ok && internal[x.Name] != "" {
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

// An alias gives a type of another package a name in this one.
type alias struct{ pkg, name, comment string }

func aliasOf(d ast.Decl) *alias {
	g, ok := d.(*ast.GenDecl)
	if !ok || len(g.Specs) != 1 {
		return nil
	}
	s, ok := g.Specs[0].(*ast.TypeSpec)
	if !ok || !s.Assign.IsValid() {
		return nil
	}
	of := s.Type
	if generic, ok := of.(*ast.IndexExpr); ok {
		of = generic.X
	}
	if of, ok := of.(*ast.SelectorExpr); ok {
		return &alias{fmt.Sprint(of.X), of.Sel.Name, g.Doc.Text()}
	}
	return nil
}

// tells reports whether the comment has all words.
func (a *alias) tells(words []string) bool {
	for _, w := range words {
		if !regexp.MustCompile(`\b` + w + `\b`).MatchString(a.comment) {
			return false
		}
	}
	return true
}

// membersOf lists the fields and methods of a type that others see, without those by which other packages know it.
func membersOf(t *testing.T, pkg, name string) (members []string) {
	usual := []string{"Error", "MarshalYAML", "String", "UnmarshalYAML", "Unwrap"}
	add := func(n *ast.Ident) {
		if n.IsExported() && !slices.Contains(usual, n.Name) {
			members = append(members, n.Name)
		}
	}
	files, err := filepath.Glob(filepath.Join(root, pkg, "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		f, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range f.Decls {
			if m, ok := d.(*ast.FuncDecl); ok && m.Recv != nil && receiver(m.Recv.List[0].Type) == name {
				add(m.Name)
			}
		}
		ast.Inspect(f, func(n ast.Node) bool {
			s, ok := n.(*ast.TypeSpec)
			if !ok || s.Name.Name != name {
				return true
			}
			if fields, ok := s.Type.(*ast.StructType); ok {
				for _, field := range fields.Fields.List {
					for _, n := range field.Names {
						add(n)
					}
				}
			}
			return false
		})
	}
	return members
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
