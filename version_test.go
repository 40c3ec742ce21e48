package attnconv

import (
	"os"
	"path/filepath"
	"regexp"
	"runtime/debug"
	"testing"
)

// Where a page shows what the program prints of itself, it is this version.
func TestVersionInPages(t *testing.T) {
	pages, err := filepath.Glob("docs/*.md")
	if err != nil || len(pages) == 0 {
		t.Fatalf("%d pages: %v", len(pages), err)
	}
	for _, page := range append(pages, "README.md") {
		b, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range regexp.MustCompile(`attnconv v([0-9][^\s]*)`).FindAllSubmatch(b, -1) {
			if string(m[1]) != Version {
				t.Errorf("%s shows version %s, want %s", page, m[1], Version)
			}
		}
	}
}

// A program of somebody else's shows the version of this module, not its own.
func TestVersionIn(t *testing.T) {
	other := debug.Module{Path: "example.org/mine", Version: "v9.9.9"}
	for want, info := range map[string]debug.BuildInfo{
		"v1.2.3": {Main: debug.Module{Path: module, Version: "v1.2.3"}},
		"v1.2.4": {Main: other, Deps: []*debug.Module{&other, {Path: module, Version: "v1.2.4"}}},
		"v1.2.5": {Main: other, Deps: []*debug.Module{{Path: module, Version: "v1.2.4",
			Replace: &debug.Module{Path: "fork", Version: "v1.2.5"}}}},
		devel: {Main: other, Deps: []*debug.Module{{Path: module, Version: "v0.0.0",
			Replace: &debug.Module{Path: "../"}}}},
	} {
		if got := versionIn(&info); got != want {
			t.Errorf("version %s, want %s", got, want)
		}
	}
}
