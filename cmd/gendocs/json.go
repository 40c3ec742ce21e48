package main

import (
	"fmt"
	"go/ast"
	"go/doc"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"

	"github.com/attnconv/attnconv/report"
)

// A schema is the types of package report, with their comments.
type schema struct {
	types map[string]*doc.Type
	intro string
}

// readSchema parses package report in the folder dir: comments are in its source only.
func readSchema(dir string) (*schema, error) {
	names, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil || len(names) == 0 {
		return nil, fmt.Errorf("no source of package report in %s: run gendocs in the root of the repository", dir)
	}
	set := token.NewFileSet()
	var files []*ast.File
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		b, err := os.ReadFile(name)
		if err != nil {
			return nil, err
		}
		f, err := parser.ParseFile(set, name, b, parser.ParseComments)
		if err != nil {
			return nil, err
		}
		files = append(files, f)
	}
	pkg, err := doc.NewFromFiles(set, files, "report")
	if err != nil {
		return nil, err
	}
	s := &schema{types: map[string]*doc.Type{}, intro: pkg.Doc}
	for _, t := range pkg.Types {
		s.types[t.Name] = t
	}
	return s, nil
}

// markdown describes every document and the types that it holds.
func (s *schema) markdown() (string, error) {
	var b strings.Builder
	fmt.Fprintf(&b, "# JSON documents\n\nWritten by `make docs` from package `report`, whose types a Go program decodes them into.\n\n%s\n\n"+
		"| command | document |\n| --- | --- |\n", strings.TrimSpace(s.intro))
	var order []string
	for _, d := range report.Documents {
		name := reflect.TypeOf(d.Value).Name()
		types := link(name)
		order = append(order, name)
		if d.Or != nil {
			other := reflect.TypeOf(d.Or).Name()
			types += ", or of other networks " + link(other)
			order = append(order, other)
		}
		fmt.Fprintf(&b, "| `%s` | %s |\n", strings.TrimSpace(d.Command+" "+d.If), types)
	}
	fmt.Fprintf(&b, "| on standard error | %s, %s |\n", link("Error"), link("Warning"))
	order = append(order, "Error", "Warning")
	for i := 0; i < len(order); i++ {
		if slices.Contains(order[:i], order[i]) {
			continue
		}
		inner, err := s.section(&b, order[i])
		if err != nil {
			return "", err
		}
		order = slices.Insert(order, i+1, inner...)
	}
	return b.String(), nil
}

// section describes one type, and returns the names of the types of its fields.
func (s *schema) section(b *strings.Builder, name string) (inner []string, err error) {
	t := s.types[name]
	if t == nil {
		return nil, fmt.Errorf("package report has no type %s", name)
	}
	if t.Doc == "" {
		return nil, fmt.Errorf("report.%s has no comment", name)
	}
	fmt.Fprintf(b, "\n## %s\n\n%s\n\n| key | value | |\n| --- | --- | --- |\n", name, strings.Join(strings.Fields(t.Doc), " "))
	rows, inner, err := s.fields(name)
	for _, row := range rows {
		b.WriteString(row)
	}
	return inner, err
}

// fields returns a row for each field of a struct; those of an embedded struct are among them, as in JSON.
func (s *schema) fields(name string) (rows, inner []string, err error) {
	fields := s.types[name].Decl.Specs[0].(*ast.TypeSpec).Type.(*ast.StructType).Fields.List
	for _, f := range fields {
		if len(f.Names) == 0 {
			more, types, err := s.fields(f.Type.(*ast.Ident).Name)
			if err != nil {
				return nil, nil, err
			}
			rows, inner = append(rows, more...), append(inner, types...)
			continue
		}
		comment := strings.Join(strings.Fields(f.Comment.Text()), " ")
		if f.Tag == nil || comment == "" {
			return nil, nil, fmt.Errorf("report.%s.%s has no key or no comment", name, f.Names[0])
		}
		key, option, _ := strings.Cut(reflect.StructTag(strings.Trim(f.Tag.Value, "`")).Get("json"), ",")
		value := words(f.Type, &inner)
		if option != "" {
			value += ", or absent"
		}
		rows = append(rows, fmt.Sprintf("| `%s` | %s | %s |\n", key, value, strings.ReplaceAll(comment, "|", "\\|")))
	}
	return rows, inner, nil
}

func link(name string) string { return fmt.Sprintf("[%s](#%s)", name, strings.ToLower(name)) }

// basic says what Go's types are in JSON.
var basic = map[string]string{"string": "string", "bool": "boolean", "int": "integer", "int64": "integer", "uint64": "integer",
	"float64": "number", "float32": "number"}

// words describes a type, and appends the names of structs in it to inner.
func words(t ast.Expr, inner *[]string) string {
	switch t := t.(type) {
	case *ast.Ident:
		if word := basic[t.Name]; word != "" {
			return word
		}
		*inner = append(*inner, t.Name)
		return link(t.Name)
	case *ast.StarExpr:
		return words(t.X, inner) + " or null"
	case *ast.MapType:
		return "object of " + words(t.Value, inner)
	case *ast.ArrayType:
		if size, ok := t.Len.(*ast.BasicLit); ok {
			return size.Value + " × " + words(t.Elt, inner)
		}
		return "list of " + words(t.Elt, inner)
	case *ast.SelectorExpr:
		if t.Sel.Name == "Time" {
			return "time"
		}
	}
	return "document"
}
