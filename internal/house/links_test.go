package house

import (
	"net/url"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode"
)

var (
	aLink    = regexp.MustCompile(`\]\(([^()\s]+)\)`)
	aHeading = regexp.MustCompile(`(?m)^#{1,6} (.+)$`)
	// A page that code, help or a preset names.
	aMention = regexp.MustCompile(`\bdocs/[\w/-]+\.(?:md|png|gif)(?:#[\w-]+)?`)
)

// Every link of a page leads to a file and a heading that are there, and every Go file that it names is there; so is
// every docs/… that code, help and presets name.
func TestLinksLeadSomewhere(t *testing.T) {
	s := readSource(t)
	links := 0
	for name := range s.paths {
		switch filepath.Ext(name) {
		case ".md":
			text, blocks := readPage(t, name)
			adds := s.with(blocks)
			for _, w := range words(text) {
				if strings.HasSuffix(w, ".go") && strings.Contains(w, "/") && name != "CHANGELOG.md" &&
					!adds.isPath(w, place{}) {
					t.Errorf("%s names `%s`, which is not there", name, w)
				}
			}
			for _, m := range aLink.FindAllStringSubmatch(text, -1) {
				if u, err := url.Parse(m[1]); err != nil {
					t.Errorf("%s: %v", name, err)
				} else if u.Scheme == "" && u.Path == "" {
					s.follow(t, name, name, u.Fragment)
				} else if u.Scheme == "" {
					s.follow(t, name, path.Join(path.Dir(name), u.Path), u.Fragment)
					links++
				}
			}
		case ".go", ".txt", ".yaml", ".sh", ".py":
			b, err := os.ReadFile(filepath.Join(root, name))
			if err != nil {
				t.Fatal(err)
			}
			for _, m := range aMention.FindAllString(string(b), -1) {
				page, anchor, _ := strings.Cut(m, "#")
				s.follow(t, name, page, anchor)
			}
		}
	}
	if links < 80 {
		t.Errorf("found %d links", links)
	}
}

// follow reports a link from a file to a page, or to one of its headings, that is not there.
func (s *source) follow(t *testing.T, from, page, anchor string) {
	t.Helper()
	if !s.paths[page] {
		t.Errorf("%s links to %s, which is not there", from, page)
		return
	}
	if anchor == "" {
		return
	}
	text, _ := readPage(t, page)
	for _, m := range aHeading.FindAllStringSubmatch(text, -1) {
		if slug(m[1]) == anchor {
			return
		}
	}
	if !strings.Contains(text, `<a id="`+anchor+`">`) {
		t.Errorf("%s links to %s#%s; the page has no such heading", from, page, anchor)
	}
}

// slug is the anchor of a heading on GitHub.
func slug(heading string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == ' ':
			return '-'
		case r == '-' || r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r):
			return unicode.ToLower(r)
		}
		return -1
	}, heading)
}
