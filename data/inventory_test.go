package data

import (
	"slices"
	"testing"
)

// What was left is a line a kind and reason, with few names or a count, escaped; what inputs always have is not shown.
func TestInventoryLines(t *testing.T) {
	var v Inventory
	for _, name := range []string{"a", "b", "c", "d", "e"} {
		v.Leave("file", name, "not read", "")
		v.LeaveUsual("file", "."+name, "hidden")
		v.Lose(1, name, "resized")
	}
	v.Leave("class", "x\x1b[31m", "empty", "remove it")
	v.Notes = []string{"val/ became the test images"}
	want := []string{"5 files: not read", `1 class (x\u001b[31m): empty; remove it`, "5 pictures resized",
		"val/ became the test images"}
	if got := v.Lines(); !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	if n := len(v.Left[0].Names) + len(v.Left[1].Names) + len(v.Left[2].Names); n != 11 || v.Losses[0].N != 5 ||
		v.Losses[0].First != "a" {
		t.Errorf("%d names, %+v", n, v.Losses)
	}
}
