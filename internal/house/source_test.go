package house

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
)

const root = "../.."

// A source is what the pages may name: the files of the module, and what each package declares.
type source struct {
	paths    map[string]bool            // of files and folders, from the root
	packages map[string]map[string]bool // folder → its names: "Name", "Type.Member", ".Member", "yaml key"
	files    map[string]map[string]bool // file → the names of its declarations
	literals map[string]bool            // every string constant
	commands string                     // docs/commands.md
	makefile string
	modules  string // go.mod
}

var readModule = sync.OnceValues(func() (*source, error) {
	s := &source{
		paths: map[string]bool{}, packages: map[string]map[string]bool{}, files: map[string]map[string]bool{},
		literals: map[string]bool{},
	}
	if err := s.readGorgonia(); err != nil {
		return nil, err
	}
	err := filepath.WalkDir(root, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(root, name)
		rel = filepath.ToSlash(rel)
		switch {
		case err != nil:
			return err
		// as in .gitignore
		case d.IsDir() && slices.Contains([]string{".git", "bin", "dist", "runs", "sweeps", "demo"}, rel):
			return fs.SkipDir
		case strings.HasSuffix(rel, ".go"):
			err = s.read(rel, name)
		}
		s.paths[rel] = true
		return err
	})
	if err != nil {
		return nil, err
	}
	commands, err := os.ReadFile(filepath.Join(root, "docs/commands.md"))
	if err != nil {
		return nil, err
	}
	makefile, err := os.ReadFile(filepath.Join(root, "Makefile"))
	if err != nil {
		return nil, err
	}
	modules, err := os.ReadFile(filepath.Join(root, "go.mod"))
	s.commands, s.makefile, s.modules = string(commands), string(makefile), string(modules)
	return s, err
})

// readGorgonia adds what gorgonia declares, as the package gorgonia.
func (s *source) readGorgonia() error {
	dir, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", "gorgonia.org/gorgonia").Output()
	if err != nil {
		return err
	}
	files, err := filepath.Glob(filepath.Join(strings.TrimSpace(string(dir)), "*.go"))
	for _, name := range files {
		if err == nil {
			err = s.read("gorgonia/"+filepath.Base(name), name)
		}
	}
	return err
}

func readSource(t *testing.T) *source {
	t.Helper()
	s, err := readModule()
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// read adds the declarations and string constants of a Go file. A file for another system counts as well.
func (s *source) read(rel, name string) error {
	f, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution)
	if err != nil {
		return err
	}
	names := map[string]bool{}
	for _, d := range f.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			if d.Recv == nil {
				names[d.Name.Name] = true
			} else {
				names[receiver(d.Recv.List[0].Type)+"."+d.Name.Name], names["."+d.Name.Name] = true, true
			}
		case *ast.GenDecl:
			for _, spec := range d.Specs {
				declared(names, spec)
			}
		}
	}
	ast.Inspect(f, func(n ast.Node) bool {
		if l, ok := n.(*ast.BasicLit); ok && !strings.HasSuffix(rel, "_test.go") && l.Kind == token.STRING {
			if v, err := strconv.Unquote(l.Value); err == nil {
				s.literals[v] = true
			}
		}
		return true
	})
	s.files[rel] = names
	dir := path.Dir(rel)
	if s.packages[dir] == nil {
		s.packages[dir] = map[string]bool{}
	}
	maps.Copy(s.packages[dir], names)
	return nil
}

func receiver(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.StarExpr:
		return receiver(e.X)
	case *ast.IndexExpr:
		return receiver(e.X)
	case *ast.Ident:
		return e.Name
	}
	return ""
}

// declared adds the names of a declaration of types, variables or constants.
func declared(names map[string]bool, spec ast.Spec) {
	switch spec := spec.(type) {
	case *ast.ValueSpec:
		for _, n := range spec.Names {
			names[n.Name] = true
		}
		if len(spec.Values) == 1 { // a table of anonymous structs
			if l, ok := spec.Values[0].(*ast.CompositeLit); ok {
				members(names, spec.Names[0].Name, l.Type)
			}
		}
	case *ast.TypeSpec:
		names[spec.Name.Name] = true
		members(names, spec.Name.Name, spec.Type)
	}
}

// members adds the fields and methods of a type, and the keys of its yaml tags.
func members(names map[string]bool, of string, t ast.Expr) {
	var list *ast.FieldList
	switch t := t.(type) {
	case *ast.ArrayType:
		members(names, of, t.Elt)
		return
	case *ast.StructType:
		list = t.Fields
	case *ast.InterfaceType:
		list = t.Methods
	default:
		return
	}
	for _, f := range list.List {
		for _, n := range f.Names {
			names["."+n.Name], names[of+"."+n.Name] = true, true
		}
		if f.Tag != nil {
			tag, _ := strconv.Unquote(f.Tag.Value)
			key, _, _ := strings.Cut(reflect.StructTag(tag).Get("yaml"), ",")
			names["yaml "+key] = true
		}
	}
}

var (
	identifier = regexp.MustCompile(`^[A-Za-z_]\w*$`)
	qualified  = regexp.MustCompile(`^([A-Za-z_]\w*)\.([A-Za-z_]\w*(?:\.[A-Za-z_]\w*)?)$`)
	aFile      = regexp.MustCompile(`^\w+(/|\.(yaml|json|jsonl|csv|safetensors|ckpt))$`)
	aMake      = regexp.MustCompile(`^make ([\w-]+)$`)
	aCommand   = regexp.MustCompile(`^[a-z][a-z-]*( [a-z-]+)?$`)
	aFlag      = regexp.MustCompile(`^(-[a-zA-Z]|--[\w-]+)\b`)
	aGoTool    = regexp.MustCompile(`^(\w+=\S+ )*go (test|run|list|build|vet)\b`)
	aVariable  = regexp.MustCompile(`^[A-Z_]+(=\w+|…)?$`)
)

// A place is where names without a package are looked for.
type place struct {
	dirs  []string // folders that the row or section names
	files []string // and files
}

// where returns the files and folders that words name.
func (s *source) where(words []string) (p place) {
	for _, w := range words {
		if dir := strings.TrimSuffix(w, "/"); s.paths[dir] {
			if s.packages[dir] != nil {
				p.dirs = append(p.dirs, dir)
			} else {
				p.files, p.dirs = append(p.files, dir), append(p.dirs, path.Dir(dir))
			}
		} else if m, _ := filepath.Glob(filepath.Join(root, w)); m != nil {
			p.dirs = append(p.dirs, path.Dir(w))
		} else if strings.Contains(w, "/NAME") {
			p.dirs = append(p.dirs, path.Dir(w))
		} else if q := qualified.FindStringSubmatch(strings.TrimPrefix(w, "*")); q != nil {
			p.dirs = append(p.dirs, s.called(q[1])...)
		}
	}
	return p
}

// called returns the folders of the packages of that name.
func (s *source) called(name string) (dirs []string) {
	for dir := range s.packages {
		if path.Base(dir) == name {
			dirs = append(dirs, dir)
		}
	}
	return dirs
}

// has reports whether a word in backticks is there: a path, an identifier, a command, a flag, a target of make. Words
// with a place of the reader's own (DIR, <class>, NAME) are, if the folder before the place is.
func (s *source) has(word string, in place) bool {
	for _, is := range []func(string, place) bool{
		s.isPath, s.isQualified, s.isIdentifier, s.isCommand, s.isLiteral,
	} {
		if is(word, in) {
			return true
		}
	}
	return false
}

func (s *source) isPath(word string, in place) bool {
	word = strings.TrimSuffix(word, "/")
	if i := strings.Index(word, "NAME"); i > 0 && strings.Contains(word, "/") {
		return s.paths[path.Dir(word)]
	}
	for _, dir := range append([]string{"."}, in.dirs...) {
		if m, _ := filepath.Glob(filepath.Join(root, dir, word)); m != nil && !identifier.MatchString(word) {
			return true
		}
	}
	return s.paths[word] || strings.Contains(s.modules, "\t"+word) && strings.Contains(word, ".") // a module
}

func (s *source) isQualified(word string, in place) bool {
	q := qualified.FindStringSubmatch(bare(word))
	if q == nil {
		return false
	}
	return slices.ContainsFunc(s.called(q[1]), func(dir string) bool {
		return s.packages[dir][q[2]] || s.packages[dir]["yaml "+q[2]]
	}) || slices.ContainsFunc(in.dirs, func(dir string) bool { return s.packages[dir][q[0]] })
}

func (s *source) isIdentifier(word string, in place) bool {
	if word = bare(word); !identifier.MatchString(word) {
		return false
	}
	return slices.ContainsFunc(in.dirs, func(dir string) bool {
		return s.packages[dir][word] || s.packages[dir]["."+word]
	})
}

// bare is a word without the punctuation of its type: *T, F(x), T{A}, F() []T.
func bare(word string) string {
	word = strings.TrimPrefix(word, "*")
	if i := strings.IndexAny(word, "({"); i > 0 {
		word = word[:i]
	}
	return word
}

func (s *source) isCommand(word string, _ place) bool {
	if m := aMake.FindStringSubmatch(word); m != nil {
		return strings.Contains(s.makefile, "\n"+m[1]+":")
	}
	if f := aFlag.FindString(word); f != "" {
		return strings.Contains(s.commands, f)
	}
	if aGoTool.MatchString(word) || aVariable.MatchString(word) {
		return true
	}
	call, ours := strings.CutPrefix(word, "attnconv ")
	if strings.Contains(call, "NAME") {
		return ours
	}
	flags := strings.Split(call, " --")
	for _, flag := range flags[1:] {
		if !strings.Contains(s.commands, "--"+strings.Fields(flag)[0]) {
			return false
		}
	}
	f := strings.Fields(flags[0])
	if !ours && !aCommand.MatchString(flags[0]) {
		return false
	}
	return strings.Contains(s.commands, "\n## attnconv "+strings.Join(f[:min(2, len(f))], " ")+"\n") ||
		strings.Contains(s.commands, "\n## attnconv "+f[0]+"\n")
}

// isLiteral takes the names of files that the program writes or reads, which are strings in its code.
func (s *source) isLiteral(word string, _ place) bool {
	return strings.HasPrefix(word, "DIR/") || aFile.MatchString(word) && s.literals[strings.TrimSuffix(word, "/")]
}
