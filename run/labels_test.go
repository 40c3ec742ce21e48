package run

import (
	"errors"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/attnconv/attnconv/internal/fault"
	"github.com/attnconv/attnconv/run/event"
)

func TestCheckLabels(t *testing.T) {
	for _, tag := range []string{"a", "wide-2.1", "lr=", "größer", "x:y/z+1_2", strings.Repeat("x", 40)} {
		if err := CheckTag(tag); (err == nil) != (tag != "lr=") {
			t.Errorf("tag %q: %v", tag, err)
		}
	}
	for _, tag := range []string{"", "two words", "a,b", "-x", "a\x1b[2J", "\xff", strings.Repeat("x", 41)} {
		if CheckTag(tag) == nil {
			t.Errorf("tag %q is taken", tag)
		}
	}
	if err := CheckNote("two\nlines,\ta tab"); err != nil {
		t.Error(err)
	}
	for _, text := range []string{"\x1b]0;x\a", "\xff", strings.Repeat("x", 4001)} {
		if CheckNote(text) == nil {
			t.Errorf("note %.20q is taken", text)
		}
	}
}

// A run has labels from its start; they change only while no process trains it.
func TestLabels(t *testing.T) {
	d, err := Create(t.TempDir(), Info{Model: "mhsa", Data: "shapes32", Tags: []string{"a", "b", "a"}, Note: "first"})
	if err != nil {
		t.Fatal(err)
	}
	var busy *BusyError
	if _, err := Tag(d.Path, []string{"c"}, nil); !errors.As(err, &busy) {
		t.Errorf("a run that is alive takes a tag: %v", err)
	}
	if err := SetNote(d.Path, "second"); !errors.As(err, &busy) {
		t.Errorf("a run that is alive takes a note: %v", err)
	}
	if err := d.Append(event.Record{Time: when, Event: event.End{State: event.Done}}); err != nil {
		t.Fatal(err)
	}
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
	tags, err := Tag(d.Path, []string{"c", "b"}, []string{"a", "x"})
	if err != nil || !slices.Equal(tags, []string{"b", "c"}) {
		t.Errorf("got %v, %v", tags, err)
	}
	if err := SetNote(d.Path, "second"); err != nil {
		t.Error(err)
	}
	s, err := readStatus(d.Path)
	if err != nil || !slices.Equal(s.Tags, []string{"b", "c"}) || s.Note != "second" || s.State != event.Done ||
		s.Leg != d.Status().Leg {
		t.Errorf("got %+v, %v", s, err)
	}
	var missing *NotFoundError
	if _, err := Tag(t.TempDir(), []string{"c"}, nil); !errors.As(err, &missing) {
		t.Errorf("a folder that is no run takes a tag: %v", err)
	}
}

// A new name changes the middle of the folder's name and nothing else; latest leads to the run as before.
func TestRename(t *testing.T) {
	root := t.TempDir()
	var paths []string
	for range 2 {
		d, err := Create(root, Info{Model: "mhsa", Data: "shapes32", Label: "first"})
		if err != nil {
			t.Fatal(err)
		}
		var busy *BusyError
		if _, err := Rename(d.Path, root, "x"); !errors.As(err, &busy) {
			t.Errorf("a run that is alive takes a name: %v", err)
		}
		if err := errors.Join(d.Append(event.Record{Time: when, Event: event.End{State: event.Done}}),
			d.Close()); err != nil {
			t.Fatal(err)
		}
		paths = append(paths, d.Path)
	}
	for i, path := range paths {
		before := At(path)
		to, err := Rename(path, root, "Half of it")
		want := strings.Replace(path, "-first-", "-half-of-it-", 1)
		if err != nil || to != want {
			t.Fatalf("%s, %v; want %s", to, err, want)
		}
		after := At(to)
		if after.Err != nil || after.Label() != "half-of-it" || after.Status.ID != before.Status.ID ||
			after.Status.Name != after.Name || At(path).Err == nil {
			t.Errorf("run %d is now %+v", i, after)
		}
	}
	newest := strings.Replace(paths[1], "-first-", "-half-of-it-", 1)
	if got, err := latest(root); err != nil || !samePlace(got, newest) {
		t.Errorf("latest is %s, %v; want %s", got, err, newest)
	}
	path := root + "/mine"
	if err := os.Rename(newest, path); err != nil {
		t.Fatal(err)
	}
	if _, err := Rename(path, root, "other"); fault.Hint(err) == "" {
		t.Errorf("a folder that a user named is renamed: %v", err)
	}
}
