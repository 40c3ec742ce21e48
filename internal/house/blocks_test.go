package house

import (
	"encoding/json"
	"go/ast"
	"go/format"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// An overlay is a set of files as an extension would leave them, by their names from the root.
type overlay map[string]string

// flag writes the overlay for the go command.
func (o overlay) flag(t *testing.T) string {
	t.Helper()
	dir, replace := t.TempDir(), map[string]string{}
	for name, text := range o {
		at := filepath.Join(dir, strings.ReplaceAll(name, "/", "_"))
		abs, err := filepath.Abs(filepath.Join(root, name))
		if err == nil {
			err = os.WriteFile(at, []byte(text), 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
		replace[abs] = at
	}
	b, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		t.Fatal(err)
	}
	name := filepath.Join(dir, "overlay.json")
	if err := os.WriteFile(name, b, 0o600); err != nil {
		t.Fatal(err)
	}
	return "-overlay=" + name
}

// addLine puts a line at the end of a table, a variable of a package such as posenc.Kinds, and returns its folder.
func (o overlay) addLine(t *testing.T, s *source, table, line string) (dir string) {
	t.Helper()
	q := qualified.FindStringSubmatch(table)
	for _, name := range slices.Sorted(maps.Keys(s.files)) {
		if !s.files[name][q[2]] || !slices.Contains(s.called(q[1]), filepath.ToSlash(filepath.Dir(name))) {
			continue
		}
		b, err := os.ReadFile(filepath.Join(root, name))
		if err != nil {
			t.Fatal(err)
		}
		files := token.NewFileSet()
		f, err := parser.ParseFile(files, name, b, 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range f.Decls {
			if g, ok := d.(*ast.GenDecl); ok && g.Tok == token.VAR {
				if v := g.Specs[0].(*ast.ValueSpec); v.Names[0].Name == q[2] {
					end := files.Position(v.Values[0].(*ast.CompositeLit).Rbrace).Offset
					o[name] = string(b[:end]) + line + string(b[end:])
					return filepath.Dir(name)
				}
			}
		}
	}
	t.Fatalf("no table %s", table)
	return ""
}

// Every Go block of docs/extending.md compiles at the place that the text before it names last: in a file that the
// reader adds, as a line of a table, or, where the file is there, as the lines of that file, which its tests run.
// The additions train.
func TestExtensionsCompile(t *testing.T) {
	s := readSource(t)
	_, blocks := readPage(t, "docs/extending.md")
	added, packages, n := overlay{}, map[string]bool{}, 0
	for _, b := range blocks {
		if b.language != "go" {
			continue
		}
		n++
		at := b.place(s)
		switch known := s.files[at] != nil; {
		case at == "":
			t.Errorf("the text names no place for this block:\n%s", b.code)
		case known && !strings.Contains(s.text(t, at), unindented(b.code)):
			t.Errorf("%s does not contain this block:\n%s", at, b.code)
		case known:
		case strings.HasSuffix(at, ".go"):
			b.formatted(t)
			added[at], packages["./"+filepath.Dir(at)] = b.code, true
		default:
			packages["./"+added.addLine(t, s, at, b.code)] = true
		}
	}
	if n < 7 || len(added) < 5 {
		t.Errorf("docs/extending.md shows %d blocks of Go, and adds or changes %d files", n, len(added))
	}
	flag := added.flag(t)
	goRun(t, append([]string{"vet", flag}, slices.Sorted(maps.Keys(packages))...)...)
	if testing.Short() {
		return
	}
	goRun(t, "run", flag, "./cmd/attnconv", "train", "--data", "stripes", "--preset", "tiny", "--encoding", "bias",
		"--schedule", "linear", "--fast-dev-run", "--runs", t.TempDir(), "--progress", "off")
}

// place returns the file or table that the text names last before the block.
func (b block) place(s *source) string {
	for _, w := range slices.Backward(words(b.before)) {
		if strings.HasSuffix(w, ".go") || qualified.MatchString(w) && s.isQualified(w, place{}) {
			return w
		}
	}
	return ""
}

func (b block) formatted(t *testing.T) {
	t.Helper()
	if f, err := format.Source([]byte(b.code)); err != nil || string(f) != b.code {
		t.Errorf("not as gofmt writes it (%v):\n%s", err, b.code)
	}
}

// text returns a file of the module without indentation.
func (s *source) text(t *testing.T, name string) string {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(root, name))
	if err != nil {
		t.Fatal(err)
	}
	return unindented(string(b))
}

func unindented(text string) string {
	lines := strings.Split(text, "\n")
	for i, l := range lines {
		lines[i] = strings.TrimLeft(l, "\t")
	}
	return strings.Join(lines, "\n")
}

func goRun(t *testing.T, args ...string) {
	t.Helper()
	cmd := exec.Command("go", args...)
	cmd.Dir = root
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("go %s: %v\n%s", strings.Join(args, " "), err, out)
	}
}
