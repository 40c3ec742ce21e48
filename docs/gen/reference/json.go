package main

import (
	"cmp"
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

	"github.com/attnconv/attnconv/cmd"
)

// A schema is types that are written as JSON, with their comments.
type schema struct {
	types map[string]*doc.Type // by name: run.Status
}

// An output is what commands write besides documents: a file, or a line of standard error. Its type is a name in
// schema.types.
type output struct{ name, typeName string }

// files are written into the folders of runs and sweeps.
var files = []output{
	{"run.json", "run.Status"}, {"environment.json", "run.Environment"}, {"summary.json", "run.Summary"},
	{"sweep.json", "sweep.Plan"},
}

// lines are those of --progress json; metrics.jsonl has some of them.
var lines = []output{
	{"start", "event.Start"}, {"step", "event.Step"}, {"epoch", "event.Epoch"}, {"heads", "event.Heads"},
	{"surgery", "event.Surgery"}, {"eval", "event.Eval"}, {"warn", "event.Warn"}, {"end", "event.End"},
	{"note", "event.Note"}, {"setup", "session.Setup"}, {"forecast", "train.Forecast"}, {"saved", "train.SavedFiles"},
	{"next", "train.NextCommands"}, {"stopped", "train.StopPoint"}, {"error", "term.FailureLine"},
	{"download", "progress.Download"}, {"stage", "progress.Stage"},
}

// intro is the beginning of the page.
const intro = `Commands write these documents to standard output with --json, and some write them to
files. A document is a type of the package that makes its values. A value that is unknown, NaN or infinite is null.
Accuracies are fractions in 0..1, times are seconds, sizes are bytes.

Stable: every key. A later version may add keys, and changes no meaning without a higher v.`

// owners are the packages that have the types.
var owners = []string{
	".", "analyse", "analyse/network", "analyse/vision", "cmd/internal/bench", "cmd/internal/claims", "cmd/internal/compare",
	"cmd/internal/config", "cmd/internal/data", "cmd/internal/demo", "cmd/internal/doctor", "cmd/internal/eval",
	"cmd/internal/figures", "cmd/internal/listing", "cmd/internal/plot", "cmd/internal/predict", "cmd/internal/runs", "cmd/internal/term",
	"cmd/internal/train", "cmd/internal/weights", "configs", "data", "data/sets", "internal/foreign",
	"internal/progress", "internal/sweep", "model/convert", "model/heads", "run", "run/event", "session",
	"session/trained", "study", "train",
}

// readSchema parses the packages that have the types, below the root of the repository: comments are in the source
// only.
func readSchema(root string) (*schema, error) {
	s := &schema{types: map[string]*doc.Type{}}
	for _, dir := range owners {
		pkg, err := parse(filepath.Join(root, dir))
		if err != nil {
			return nil, err
		}
		for _, t := range pkg.Types {
			s.types[pkg.Name+"."+t.Name] = t
		}
	}
	return s, nil
}

// nameOf is the name in schema.types.
func nameOf(value any) string { return reflect.TypeOf(value).String() }

// parse reads a package in the folder dir, without its tests.
func parse(dir string) (*doc.Package, error) {
	names, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil || len(names) == 0 {
		return nil, fmt.Errorf("no source in %s: want the folder of the repository in -root", dir)
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
	return doc.NewFromFiles(set, files, dir, doc.AllDecls)
}

// markdown describes every document and the types that it holds.
func (s *schema) markdown() (string, error) {
	var b strings.Builder
	fmt.Fprintf(&b, "# JSON documents\n\nWritten by `make docs` from the types that a Go program decodes them into; "+
		"[files](#files-of-runs-and-sweeps) and [lines](#lines-of-events) are below.\n\n%s\n\n"+
		"| command | document |\n| --- | --- |\n", intro)
	var order []string
	for _, d := range cmd.Documents() {
		name := nameOf(d.Value)
		types := link(name)
		order = append(order, name)
		for _, or := range d.Or {
			other := nameOf(or)
			types += ", or with other arguments " + link(other)
			order = append(order, other)
		}
		fmt.Fprintf(&b, "| `%s` | %s |\n", strings.TrimSpace(d.Command+" "+d.If), types)
	}
	fmt.Fprintf(&b, "| on standard error | %s, %s |\n", link("term.Error"), link("term.Warning"))
	order = append(order, "term.Error", "term.Warning")
	for _, of := range []struct {
		head string
		list []output
	}{
		{"\n## Files of runs and sweeps\n\nFiles in their folders.\n\n| file | |\n| --- | --- |\n", files},
		{"\n## Lines of events\n\nThe lines of `--progress json` on standard error, and of `metrics.jsonl`. Each " +
			"also has `v` (1), `t` (time, RFC 3339) and " +
			"`ev`, its kind. `metrics.jsonl` has start, step, epoch, heads, eval, warn and end.\n\n| `ev` | |\n| --- " +
			"| --- |\n", lines},
	} {
		b.WriteString(of.head)
		for _, w := range of.list {
			fmt.Fprintf(&b, "| `%s` | %s |\n", w.name, link(w.typeName))
			order = append(order, w.typeName)
		}
	}
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
		return nil, fmt.Errorf("no type %s", name)
	}
	if t.Doc == "" {
		return nil, fmt.Errorf("%s has no comment", name)
	}
	fmt.Fprintf(b, "\n## %s\n\n%s\n\n| key | value | |\n| --- | --- | --- |\n", heading(name),
		strings.Join(strings.Fields(t.Doc), " "))
	rows, inner, err := s.fields(name)
	for _, row := range rows {
		b.WriteString(row)
	}
	return inner, err
}

// fields returns a row for each field of a struct; those of an embedded struct are among them, as in JSON.
func (s *schema) fields(name string) (rows, inner []string, err error) {
	pkg, _, _ := strings.Cut(name, ".")
	for _, f := range s.types[name].Decl.Specs[0].(*ast.TypeSpec).Type.(*ast.StructType).Fields.List {
		if len(f.Names) == 0 {
			more, types, err := s.fields(typeName(f.Type, pkg))
			if err != nil {
				return nil, nil, err
			}
			rows, inner = append(rows, more...), append(inner, types...)
			continue
		}
		if f.Tag != nil && strings.Contains(f.Tag.Value, `"-"`) || !f.Names[0].IsExported() {
			continue
		}
		comment := strings.Join(strings.Fields(cmp.Or(f.Doc.Text(), f.Comment.Text())), " ")
		if f.Tag == nil || comment == "" {
			return nil, nil, fmt.Errorf("%s.%s has no key or no comment", name, f.Names[0])
		}
		key, option, _ := strings.Cut(reflect.StructTag(strings.Trim(f.Tag.Value, "`")).Get("json"), ",")
		value := s.words(f.Type, pkg, &inner)
		if option != "" {
			value += ", or absent"
		}
		rows = append(rows, fmt.Sprintf("| `%s` | %s | %s |\n", key, value, strings.ReplaceAll(comment, "|", "\\|")))
	}
	return rows, inner, nil
}

// typeName is the name of a type in schema.types, as package pkg writes it.
func typeName(t ast.Expr, pkg string) string {
	if of, ok := t.(*ast.SelectorExpr); ok {
		return of.X.(*ast.Ident).Name + "." + of.Sel.Name
	}
	return pkg + "." + t.(*ast.Ident).Name
}

// heading is that of a type's section. GitHub makes its anchor.
func heading(name string) string {
	if pkg, of, other := strings.Cut(name, "."); other {
		return of + " of package " + pkg
	}
	return name
}

func link(name string) string {
	return fmt.Sprintf("[%s](#%s)", name, strings.ToLower(strings.ReplaceAll(heading(name), " ", "-")))
}

// basic says what Go's types are in JSON, and those of the packages that are not structs.
var basic = map[string]string{"string": "string", "bool": "boolean", "int": "integer", "int64": "integer",
	"uint64": "integer", "float64": "number", "float32": "number", "stats.Bits": "string", "doctor.Status": "string",
	"null.Float": "number or null", "stats.Interval": "2 × number or null", "analyse.Grid": "2 × integer", "analyse.Shift": "2 × integer",
	"time.Time": "time", "json.RawMessage": "document"}

// words describes a type in package pkg, and appends the names of structs in it to inner.
func (s *schema) words(t ast.Expr, pkg string, inner *[]string) string {
	switch t := t.(type) {
	case *ast.Ident, *ast.SelectorExpr:
		name := typeName(t, pkg)
		plain, _ := t.(*ast.Ident)
		word := basic[name]
		if plain != nil && word == "" {
			word = basic[plain.Name]
		}
		switch {
		case word == "number" && (pkg == "run" || pkg == "event"): // its floats are null if they are not finite
			return "number or null"
		case word != "":
			return word
		}
		*inner = append(*inner, name)
		return link(name)
	case *ast.StarExpr:
		return strings.TrimSuffix(s.words(t.X, pkg, inner), " or null") + " or null"
	case *ast.MapType:
		return "object of " + s.words(t.Value, pkg, inner)
	case *ast.ArrayType:
		if size, ok := t.Len.(*ast.BasicLit); ok {
			return size.Value + " × " + s.words(t.Elt, pkg, inner)
		}
		return "list of " + s.words(t.Elt, pkg, inner)
	}
	return "document"
}
