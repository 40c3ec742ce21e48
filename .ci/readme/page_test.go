package main

import (
	"slices"
	"testing"
)

const aPage = "# Page\n\n```sh\none 1        # a comment\ntwo --x '#1'\n```\n\n```text\na  1\n…\nb\n```\n\n" +
	"```\nnot a command\n```\n\n```python\nfragment()\n```\n\n```python\n# save.py\nprint(1)\n```\n\n```sh\nthree\n```\n"

// A page is its commands without comments, its named programs, and the output below a command.
func TestSteps(t *testing.T) {
	want := []step{
		{command: "one 1"},
		{command: "two --x '#1'", shown: "a  1\n…\nb\n"},
		{file: "save.py", code: "# save.py\nprint(1)\n"},
		{command: "three"},
	}
	if got := steps([]byte(aPage)); !slices.Equal(got, want) {
		t.Errorf("got %+v", got)
	}
}

// The page's lines are in the output, in order; only inexact numbers may differ.
func TestDiffers(t *testing.T) {
	const out = "epoch   1\n   0  21.5 ± 8\n   1  -3 9e-07\nlast\n"
	for _, tt := range []struct {
		name, shown string
		inexact     bool
		want        string
	}{
		{"the same", out, false, ""},
		{"lines left out, other spaces", "epoch 1\n…\n1 -3  9e-07\n", false, ""},
		{"another number", "0  21.6 ± 8\n", false, "0  21.6 ± 8\n"},
		{"another number, inexact", "0  7 ± 80\n1 3 1.5e+04\n", true, ""},
		{"another word, inexact", "0  7 ± eight\n", true, "0  7 ± eight\n"},
		{"a column more, inexact", "1 -3 9e-07 4\n", true, "1 -3 9e-07 4\n"},
		{"another order", "last\nepoch 1\n", false, "epoch 1\n"},
		{"a line twice", "last\nlast\n", false, "last\n"},
	} {
		if got := differs(tt.shown, out, tt.inexact); got != tt.want {
			t.Errorf("%s: got %q, want %q", tt.name, got, tt.want)
		}
	}
}
