package option

import (
	"errors"
	"slices"
	"testing"
)

// shape is a choice with more than a name.
type shape struct {
	name, help string
	corners    int
}

func (s shape) Entry() (name, help string) { return s.name, s.help }

var shapes = List[shape]{{"triangle", "three corners", 3}, {"square", "", 4}}

func TestNamesKeepTheOrderAndAreTheCallersOwn(t *testing.T) {
	names := shapes.Names()
	if !slices.Equal(names, []string{"triangle", "square"}) || shapes.Default() != names[0] {
		t.Errorf("names %v, by default %s", names, shapes.Default())
	}
	if names[0] = "circle"; shapes[0].name != "triangle" || shapes.Names()[0] != "triangle" {
		t.Error("a caller changed the list through its names")
	}
}

func TestFind(t *testing.T) {
	if s := shapes.Find("square"); s == nil || s.corners != 4 {
		t.Errorf("found %v, want the square", s)
	}
	for _, name := range []string{"", "Square", "squar"} {
		if s := shapes.Find(name); s != nil {
			t.Errorf("%q found %v", name, s)
		}
	}
}

// What is appended to a list, in this package or another, is a choice like the first ones.
func TestAppendAddsAChoice(t *testing.T) {
	more := append(slices.Clone(shapes), shape{"circle", "none", 0})
	if !more.Has("circle") || shapes.Has("circle") {
		t.Errorf("%v and %v: want a circle in the longer list alone", more.Names(), shapes.Names())
	}
}

func TestCheck(t *testing.T) {
	for _, tt := range []struct {
		name  string
		other []string
		want  string
	}{
		{"square", nil, ""},
		{"all", []string{"all"}, ""},
		{"squaer", nil, "x.shape \"squaer\": not one of triangle, square\n  did you mean \"square\"?"},
		{"", []string{"all"}, `x.shape "": not one of triangle, square, all`},
	} {
		err := shapes.Check("x.shape", tt.name, tt.other...)
		if tt.want == "" && err == nil {
			continue
		}
		var bad *Error
		if !errors.As(err, &bad) || err.Error() != tt.want {
			t.Errorf("%q: %v, want %q", tt.name, err, tt.want)
		}
	}
}

func TestCompletions(t *testing.T) {
	if got := shapes.Completions(); !slices.Equal(got, []string{"triangle\tthree corners", "square"}) {
		t.Errorf("%q", got)
	}
	words := List[Word]{"on", "off"}
	if got := words.Completions(); !slices.Equal(got, []string{"on", "off"}) {
		t.Errorf("%q", got)
	}
	options := List[Item]{{"on", "it runs"}}
	if got := options.Completions(); !slices.Equal(got, []string{"on\tit runs"}) {
		t.Errorf("%q", got)
	}
}
