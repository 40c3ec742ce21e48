package main

import (
	"regexp"
	"slices"
	"strings"
	"testing"
)

// Every command has a page that names its flags and its examples, and no text in it is taken for a request or escape of
// roff.
func TestManual(t *testing.T) {
	requests := []string{".TH", ".SH", ".TP", ".PP", ".nf", ".fi", ".nh", ".ad"}
	root, err := read("attnconv", "", false)
	if err != nil {
		t.Fatal(err)
	}
	pages := root.all()
	if len(pages) < 60 {
		t.Errorf("%d pages, want more", len(pages))
	}
	for _, p := range pages {
		roff := p.roff(root)
		if p == root {
			roff = p.roff(nil)
		}
		for line := range strings.Lines(roff) {
			if strings.HasPrefix(line, ".") && !slices.Contains(requests, strings.Fields(line)[0]) ||
				strings.HasPrefix(line, "'") {
				t.Errorf("%s: %s", p.path, line)
			}
		}
		text := p.text
		if p != root {
			text, _, _ = strings.Cut(text, "\nGlobal:\n")
		}
		flag := regexp.MustCompile(`(?m)^(  -\w, |      )--`)
		if got, want := strings.Count(roff, ".TP\n"), len(flag.FindAllString(text, -1)); !p.topic && got != want {
			t.Errorf("%s: %d flags in the manual, %d in help", p.path, got, want)
		}
		if _, example, there := strings.Cut(text, "\nExamples:\n  "); there {
			if line, _, _ := strings.Cut(example, "\n"); !strings.Contains(roff, "\n"+escape(line)+"\n") {
				t.Errorf("%s: no example %s", p.path, line)
			}
		}
	}
}

// The reference names every command and topic, and the global flags once.
func TestReference(t *testing.T) {
	root, err := read("attnconv", "", false)
	if err != nil {
		t.Fatal(err)
	}
	text := commands(root)
	for _, p := range []string{"attnconv", "attnconv train", "attnconv runs ls", "attnconv exit-codes"} {
		if !strings.Contains(text, "\n## "+p+"\n") {
			t.Errorf("nothing on %s", p)
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
		if got := literal(text); got != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
}
