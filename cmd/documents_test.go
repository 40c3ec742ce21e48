package cmd

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/attnconv/attnconv/cmd/internal/clitest"
)

// Every document is written in some script, which checks it.
func TestEveryDocumentIsInAScript(t *testing.T) {
	scripts, err := filepath.Glob("internal/*/testdata/script/*.txtar")
	if err != nil || len(scripts) == 0 {
		t.Fatalf("%d scripts: %v", len(scripts), err)
	}
	own, _ := filepath.Glob("testdata/script/*.txtar")
	written, root := map[string]bool{}, documentedRoot()
	for _, path := range append(scripts, own...) {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(text)) {
			prefix, args, _ := strings.Cut(line, "attnconv ")
			if strings.Contains(prefix, "#") || strings.Contains(prefix, "!") {
				continue
			}
			if d, err := clitest.Document(root, documents, strings.Fields(args)); err == nil && d != nil {
				written[d.Command+d.If] = true
			}
		}
	}
	for _, d := range documents {
		if d.Command != "data get" && !written[d.Command+d.If] { // data get downloads; its type is that of data import
			t.Errorf("no script writes the document of %s %s", d.Command, d.If)
		}
	}
}
