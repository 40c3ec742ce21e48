package ckpt

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
)

// What differs is listed in the order of the network, then of the file; in one line a wrong shape comes first, for it
// is a mistake even where much is missing. A scalar has a shape, too.
func TestCompare(t *testing.T) {
	want := []Tensor{{Name: "a", Shape: []int{2, 3}}, {Name: "b"}, {Name: "c", Shape: []int{4}}, {Name: "d"}}
	if got := Compare(want, slices.Clone(want)); got != nil || Fit(want, want) != nil {
		t.Errorf("equal tensors do not fit: %v, %v", got, Fit(want, want))
	}
	for _, tt := range []struct {
		got  []Tensor
		list string
		line string
	}{
		{[]Tensor{{Name: "x"}, {Name: "c", Shape: []int{2, 2}}, want[0], want[3]},
			"b is missing: want shape []; c: want shape [4], got [2 2]; x is unknown: got shape []",
			"c: want shape [4], got [2 2]"},
		{[]Tensor{{Name: "x"}, want[0], want[1], want[2]},
			"d is missing: want shape []; x is unknown: got shape []", "1 of 4 weights are missing: d"},
		{nil, "a is missing: want shape [2 3]; b is missing: want shape []; c is missing: want shape [4]; d is " +
			"missing: want shape []",
			"4 of 4 weights are missing: a, b, c, …"},
		{append(slices.Clone(want), Tensor{Name: "x"}), "x is unknown: got shape []",
			"1 weights that this model does not have: x"},
	} {
		var list []string
		for _, m := range Compare(want, tt.got) {
			list = append(list, m.String())
		}
		if got := strings.Join(list, "; "); got != tt.list {
			t.Errorf("%s\nwant %s", got, tt.list)
		}
		if got := fmt.Sprint(Fit(want, tt.got)); got != tt.line {
			t.Errorf("%s, want %s", got, tt.line)
		}
	}
}

func TestShapes(t *testing.T) {
	s := ShapesOf([]Tensor{{Name: "m.fc.weight", Shape: []int{2, 3}}, {Name: "m.scale"},
		{Name: "fc.weight", Shape: []int{9}}}).In("m.")
	if got := s.In("fc.").At("weight", 1); got != 3 || s.At("scale", 0) != 0 || s.At("none", 0) != 0 {
		t.Errorf("%d inputs, want 3; a scalar has %d, nothing %d", got, s.At("scale", 0), s.At("none", 0))
	}
	if !s.Has("scale") || s.Has("m.scale") {
		t.Error("a name counts behind the prefix alone")
	}
	if got := slices.Sorted(maps.Keys(maps.Collect(s.All()))); !slices.Equal(got, []string{"fc.weight", "scale"}) {
		t.Errorf("all of m. are %v", got)
	}
}
