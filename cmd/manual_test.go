package cmd

import (
	"slices"
	"strings"
	"testing"

	"github.com/spf13/pflag"
)

// Every command has a page that names its flags, and no text in it is taken for a request or escape of roff.
func TestManual(t *testing.T) {
	requests := []string{".TH", ".SH", ".TP", ".PP", ".nf", ".fi", ".nh", ".ad"}
	pages := map[string]string{}
	for _, page := range Manual() {
		pages[strings.TrimSuffix(strings.TrimSuffix(page.Name, ".1"), ".7")] = page.Text
	}
	for _, cmd := range documented() {
		name := strings.ReplaceAll(cmd.CommandPath(), " ", "-")
		page, ok := pages[name]
		if delete(pages, name); !ok {
			t.Fatalf("no page of %s", name)
		}
		for line := range strings.Lines(page) {
			if strings.HasPrefix(line, ".") && !slices.Contains(requests, strings.Fields(line)[0]) {
				t.Errorf("%s: not a request: %s", name, line)
			}
			if strings.HasPrefix(line, "'") {
				t.Errorf("%s: a request: %s", name, line)
			}
		}
		cmd.LocalNonPersistentFlags().VisitAll(func(f *pflag.Flag) {
			if f.Name != "help" && !f.Hidden && !strings.Contains(page,
				strings.ReplaceAll("--"+f.Name, "-", `\-`)+`\fR`) {
				t.Errorf("%s: no --%s", name, f.Name)
			}
		})
	}
	if len(pages) > 0 {
		t.Errorf("pages of no command: %v", pages)
	}
}

// The reference names every command and topic, and the global flags once.
func TestReference(t *testing.T) {
	text := Reference()
	for _, cmd := range documented() {
		if !strings.Contains(text, "\n## "+cmd.CommandPath()+"\n") {
			t.Errorf("nothing on %s", cmd.CommandPath())
		}
	}
	if n := strings.Count(text, "\n      --data-dir DIR"); n != 1 {
		t.Errorf("--data-dir is there %d times, want once", n)
	}
}

func TestRoffKeepsTextAsItIs(t *testing.T) {
	for text, want := range map[string]string{
		"a-b":              `a\-b`,
		`\fB`:              `\efB`,
		".TH x\n'y\nz .TH": "\\&.TH x\n\\&'y\nz .TH",
	} {
		if got := roffLines(text); got != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
}
