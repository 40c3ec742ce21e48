package cmd

import (
	"slices"
	"strings"
	"testing"

	"github.com/attnconv/attnconv/cmd/internal/manual"
	"github.com/spf13/pflag"
)

// Every command has a page that names its flags, and no text in it is taken for a request or escape of roff.
func TestManual(t *testing.T) {
	requests := []string{".TH", ".SH", ".TP", ".PP", ".nf", ".fi", ".nh", ".ad"}
	pages := Manual()
	for i, cmd := range manual.Commands(documentedRoot()) {
		page := pages[i]
		if want := strings.ReplaceAll(cmd.CommandPath(), " ", "-") + "."; !strings.HasPrefix(page.Name, want) {
			t.Fatalf("page %d is %s, want %s", i, page.Name, want)
		}
		for line := range strings.Lines(page.Text) {
			if strings.HasPrefix(line, ".") && !slices.Contains(requests, strings.Fields(line)[0]) {
				t.Errorf("%s: not a request: %s", page.Name, line)
			}
			if strings.HasPrefix(line, "'") {
				t.Errorf("%s: a request: %s", page.Name, line)
			}
		}
		cmd.LocalNonPersistentFlags().VisitAll(func(f *pflag.Flag) {
			if f.Name != "help" && !f.Hidden && !strings.Contains(page.Text, strings.ReplaceAll("--"+f.Name, "-", `\-`)+`\fR`) {
				t.Errorf("%s: no --%s", page.Name, f.Name)
			}
		})
	}
}

// The reference names every command and topic, and the global flags once.
func TestReference(t *testing.T) {
	text := Reference()
	for _, cmd := range manual.Commands(documentedRoot()) {
		if !strings.Contains(text, "\n## "+cmd.CommandPath()+"\n") {
			t.Errorf("nothing on %s", cmd.CommandPath())
		}
	}
	if n := strings.Count(text, "\n      --data-dir DIR"); n != 1 {
		t.Errorf("--data-dir is there %d times, want once", n)
	}
}
