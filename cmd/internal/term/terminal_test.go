package term

import (
	"strings"
	"testing"
	"unicode/utf8"
)

// The banner is wrapped between parts, then between words, indented like the first part.
func TestLabeled(t *testing.T) {
	for _, tt := range []struct {
		width int
		parts []string
		want  string
	}{
		{0, []string{"cifar10  45,000 train", "digest b9e4648a ok"},
			"data   cifar10  45,000 train   digest b9e4648a ok\n"},
		{49, []string{"cifar10  45,000 train", "digest b9e4648a ok"},
			"data   cifar10  45,000 train   digest b9e4648a ok\n"},
		{48, []string{"cifar10  45,000 train", "digest b9e4648a ok"},
			"data   cifar10  45,000 train\n       digest b9e4648a ok\n"},
		{20, []string{"one", "the second of three", "last"}, "data   one\n       the second of\n       three   last\n"},
	} {
		var said strings.Builder
		c := &Console{Err: &said, ErrWidth: func() int { return tt.width }}
		c.Labeled("data", tt.parts...)
		if said.String() != tt.want {
			t.Errorf("%d columns:\n%s\nwant\n%s", tt.width, said.String(), tt.want)
		}
	}
}

// The first line of a message is wrapped on a terminal; the others, which may hold commands, are not.
func TestSayFitsTerminal(t *testing.T) {
	var said strings.Builder
	c := &Console{Err: &said, ErrWidth: func() int { return 40 }}
	c.Color = "never"
	hint := "  attnconv train --from runs/20261122-111247-quadratic-cifar10-s0-kbw9"
	c.Warn("a sentence that is longer than the terminal of forty columns\n" + hint)
	lines := strings.Split(strings.TrimSuffix(said.String(), "\n"), "\n")
	if len(lines) != 3 || lines[2] != hint {
		t.Errorf("%q", lines)
	}
	for _, line := range lines[:2] {
		if utf8.RuneCountInString(line) > 40 || !strings.HasSuffix(said.String(), hint+"\n") {
			t.Errorf("%q", line)
		}
	}
}

// Comments are under each other. A line without room for its comment does not move the others, and a command to copy is
// not folded.
func TestNext(t *testing.T) {
	var said strings.Builder
	c := &Console{Err: &said, ErrWidth: func() int { return 40 }}
	long := "attnconv a command that is longer than a line"
	c.Next([2]string{"attnconv serve", "the page"}, [2]string{"attnconv eval it", "accuracy"}, [2]string{long, "x"})
	want := "\nnext:\n  attnconv serve     # the page\n  attnconv eval it   # accuracy\n  " + long + "\n"
	if said.String() != want {
		t.Errorf("%q, want %q", said.String(), want)
	}
}

func TestColor(t *testing.T) {
	for _, tt := range []struct {
		name  string
		flag  string
		width int
		env   []string
		want  bool
	}{
		{"terminal", "auto", 80, nil, true},
		{"file", "auto", 0, nil, false},
		{"NO_COLOR", "auto", 80, []string{"NO_COLOR=1"}, false},
		{"NO_COLOR wins", "auto", 80, []string{"NO_COLOR=1", "CLICOLOR_FORCE=1"}, false},
		{"flag wins", "always", 0, []string{"NO_COLOR=1"}, true},
		{"never", "never", 80, nil, false},
		{"CLICOLOR", "auto", 80, []string{"CLICOLOR=0"}, false},
		{"forced", "auto", 0, []string{"CLICOLOR_FORCE=1"}, true},
		{"dumb", "auto", 80, []string{"TERM=dumb"}, false},
	} {
		c := &Console{Globals: Globals{Color: tt.flag}, Env: tt.env, ErrWidth: func() int { return tt.width }}
		if got := c.Colored(); got != tt.want {
			t.Errorf("%s: %v", tt.name, got)
		}
	}
}
