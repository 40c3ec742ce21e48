package house

import (
	"strings"
	"testing"
)

// Every Go block of docs/library.md and of README.md is part of the file that the text names last before it, an Example
// that go test runs; names of packages' own in backticks are there.
func TestLibraryPage(t *testing.T) {
	s := readSource(t)
	text, blocks := readPage(t, "docs/library.md")
	more, readme := readPage(t, "README.md")
	text, blocks = text+more, append(blocks, readme...)
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
	if shown < 13 {
		t.Errorf("docs/library.md shows %d blocks of Go", shown)
	}
	for _, w := range words(text) {
		if m := qualified.FindStringSubmatch(bare(w)); m != nil && len(s.called(m[1])) > 0 &&
			!s.isQualified(w, place{}) {
			t.Errorf("docs/library.md names `%s`, which is not there", w)
		}
	}
}
