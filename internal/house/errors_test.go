package house

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// rewords are the packages that may cut or replace the text of an error: configs says who set a value, refs reports.
var rewords = []string{"configs", "cmd/internal/refs"}

// An error says what is wrong and where, not which package found it. Only the packages of rewords change its text.
func TestErrorsNameNoPackage(t *testing.T) {
	found := 0
	err := filepath.WalkDir(root, func(name string, d fs.DirEntry, err error) error {
		if err != nil || filepath.Ext(name) != ".go" || strings.HasSuffix(name, "_test.go") {
			return err
		}
		set := token.NewFileSet()
		f, err := parser.ParseFile(set, name, nil, 0)
		if err != nil {
			return err
		}
		ast.Inspect(f, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok || len(call.Args) == 0 {
				return true
			}
			at := set.Position(call.Pos())
			switch of := called(call.Fun); {
			case of == "errors.New", of == "fmt.Errorf", of == "fault.Usagef":
				found++
				text, _ := call.Args[0].(*ast.BasicLit)
				if text == nil {
					break
				}
				if s, _ := strconv.Unquote(text.Value); strings.HasPrefix(s, f.Name.Name+": ") {
					t.Errorf("%v: an error that begins with the name of its package: %q", at, s)
				}
			case strings.HasPrefix(of, "strings.Replace"), strings.HasPrefix(of, "strings.Trim"),
				strings.HasPrefix(of, "strings.CutP"):
				folder, err := filepath.Rel(root, filepath.Dir(name))
				text, isCall := call.Args[0].(*ast.CallExpr)
				if err == nil && isCall && strings.HasSuffix(called(text.Fun), ".Error") &&
					!slices.Contains(rewords, filepath.ToSlash(folder)) {
					t.Errorf("%v: the text of an error is changed: want only %v to do so", at, rewords)
				}
			}
			return true
		})
		return nil
	})
	if err != nil || found < 500 {
		t.Errorf("%d errors, %v", found, err)
	}
}

// called names a called function: errors.New, or .Error for a method of an expression.
func called(f ast.Expr) string {
	s, ok := f.(*ast.SelectorExpr)
	if !ok {
		return ""
	}
	if of, ok := s.X.(*ast.Ident); ok {
		return of.Name + "." + s.Sel.Name
	}
	return "." + s.Sel.Name
}
