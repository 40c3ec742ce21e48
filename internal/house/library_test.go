package house

import (
	"go/format"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// The Go block of README.md is a whole program. It compiles as it is written, and draws.
func TestProgramOfREADME(t *testing.T) {
	_, blocks := readPage(t, "README.md")
	var programs []string
	for _, b := range blocks {
		if b.language == "go" {
			programs = append(programs, b.code)
		}
	}
	if len(programs) != 1 {
		t.Fatalf("README.md has %d blocks of Go, want one", len(programs))
	}
	if f, err := format.Source([]byte(programs[0])); err != nil || string(f) != programs[0] {
		t.Errorf("not as gofmt writes it (%v)", err)
	}
	dir := t.TempDir()
	binary := filepath.Join(dir, "readme.exe")
	build := func(code string) {
		goRun(t, "build", overlay{"cmd/readme/main.go": code}.flag(t), "-o", binary, "./cmd/readme")
	}
	if build(programs[0]); testing.Short() || t.Failed() {
		return
	}
	const settings = `"preset=smoke"` // which take a minute
	build(strings.Replace(programs[0], settings, settings+`, "train.epochs=1", "train.limit_train_batches=2"`, 1))
	cmd := exec.Command(binary)
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	svg, err := os.ReadFile(filepath.Join(dir, "heads.svg"))
	if err != nil || !strings.Contains(string(svg), "layer 3") {
		t.Errorf("no figure of three layers: %v", err)
	}
}

// Every Go block of docs/library.md is part of the file that the text names last before it, an Example that go test
// runs; names of packages' own in backticks, also in README.md, are there.
func TestLibraryPage(t *testing.T) {
	s := readSource(t)
	text, blocks := readPage(t, "docs/library.md")
	more, _ := readPage(t, "README.md")
	text += more
	shown := 0
	for _, b := range blocks {
		if b.language != "go" {
			continue
		}
		shown++
		named := words(b.before)
		for len(named) > 0 && !strings.HasSuffix(named[len(named)-1], "_test.go") {
			named = named[:len(named)-1]
		}
		if len(named) == 0 {
			t.Errorf("the text names no Example for this block:\n%s", b.code)
			continue
		}
		if at := named[len(named)-1]; !strings.Contains(s.text(t, at), unindented(b.code)) {
			t.Errorf("%s does not contain this block:\n%s", at, b.code)
		}
	}
	if shown < 12 {
		t.Errorf("docs/library.md shows %d blocks of Go", shown)
	}
	for _, w := range words(text) {
		if m := qualified.FindStringSubmatch(bare(w)); m != nil && len(s.called(m[1])) > 0 &&
			!s.isQualified(w, place{}) {
			t.Errorf("docs/library.md names `%s`, which is not there", w)
		}
	}
}
