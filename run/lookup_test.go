package run

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/attnconv/attnconv/run/event"

	"github.com/google/go-cmp/cmp"
)

// aRun describes a run of these tests, in the folder x-ID.
type aRun struct {
	id, encoding, data string
	seed               uint64
}

// runsOf writes runs, oldest first. One without an encoding is a residual network.
func runsOf(t *testing.T, root string, all ...aRun) {
	t.Helper()
	for i, r := range all {
		s := Status{Format: 1, ID: r.id, State: event.Done, Started: when.Add(time.Duration(i) * time.Minute),
			Model: "mhsa", Encoding: r.encoding, Data: r.data, Seed: r.seed}
		if r.encoding == "" {
			s.Model = "resnet18"
		}
		b, err := s.encode()
		if err != nil {
			t.Fatal(err)
		}
		touch(t, root, "x-"+r.id, "run.json")
		if err := os.WriteFile(filepath.Join(root, "x-"+r.id, "run.json"), b, 0o666); err != nil {
			t.Fatal(err)
		}
	}
}

// aLookup knows encodings and models by name; only encodings have heads.
func aLookup() Lookup {
	return Lookup{
		Root: "runs",
		Word: func(word string) func(Status) bool {
			if !slices.Contains([]string{"quadratic", "learned", "content", "resnet18"}, word) {
				return nil
			}
			return func(s Status) bool { return s.Encoding == word || s.Encoding == "" && s.Model == word }
		},
		Missing: func(e Entry) string {
			if e.Status.Encoding == "" {
				return "heads"
			}
			return ""
		},
	}
}

func ids(all []Match) string {
	var s []string
	for _, f := range all {
		s = append(s, f.Status.ID)
	}
	return strings.Join(s, " ")
}

// A word refers to the newest suitable run; a path or a name to that run, suitable or not.
func TestFind(t *testing.T) {
	t.Chdir(t.TempDir())
	runsOf(t, "runs", aRun{"q001", "quadratic", "cifar10", 0}, aRun{"q002", "quadratic", "shapes32", 0},
		aRun{"r003", "", "shapes32", 0}, aRun{"r004", "", "cifar10", 0}, aRun{"q000", "quadratic", "cifar10", 0})
	touch(t, "runs", "x-bad5", "run.json") // cannot be read
	runsOf(t, "away", aRun{"q009", "quadratic", "cifar10", 0})
	for _, tt := range []struct{ ref, want, word, passed, err string }{
		{"latest", "q000", "latest", "r004", ""}, // no link: the last by name, and then by time
		{"run.ckpt", "q000", "latest", "r004", ""},
		{"", "q000", "latest", "r004", ""},
		{"quadratic", "q000", "quadratic", "", ""},
		{"resnet18", "r004", "resnet18", "", ""}, // none serves: the command says so
		{"r003", "r003", "", "", ""},
		{"x-r003", "r003", "", "", ""},
		{"runs/x-r003", "r003", "", "", ""},
		{"away/x-q009", "q009", "", "", ""},
		{"q", "", "", "", "could be any of"},
		{"learned", "", "", "", `no run "learned" in runs`},
	} {
		f, err := aLookup().Find(tt.ref)
		var passed []string
		for _, p := range f.Skipped {
			if p.Err == nil {
				passed = append(passed, p.Status.ID)
			}
		}
		switch {
		case tt.err != "":
			if err == nil || !strings.Contains(err.Error(), tt.err) {
				t.Errorf("%q: got %q, %v; want %q", tt.ref, f.Path, err, tt.err)
			}
		case err != nil || f.Status.ID != tt.want || f.Word != tt.word || strings.Join(passed, " ") != tt.passed:
			t.Errorf("%q: got %q by %q past %v, %v; want %+v", tt.ref, f.Status.ID, f.Word, passed, err, tt)
		}
	}
	touch(t, "learned", "run.json") // a path wins over a word
	if f, err := aLookup().Find("learned"); err != nil || f.Path != "learned" || f.Word != "" {
		t.Errorf("a folder called as an encoding: %+v, %v", f, err)
	}
	runsOf(t, "runs", aRun{"content", "quadratic", "cifar10", 0}) // and so does an id
	if f, err := aLookup().Find("content"); err != nil || f.Status.ID != "content" || f.Word != "" {
		t.Errorf("a run called as an encoding: %+v, %v", f, err)
	}
}

func TestFindWhereNothingServes(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, want := range []string{"no run in runs", "no run with heads in runs"} {
		_, err := aLookup().Find("latest")
		if missing := (*NotFoundError)(nil); !errors.As(err, &missing) || err.Error() != want {
			t.Errorf("got %v, want %s", err, want)
		}
		runsOf(t, "runs", aRun{"r001", "", "cifar10", 0}, aRun{"r002", "", "cifar10", 0})
	}
}

// In a run's folder the empty reference is that run.
func TestFindHere(t *testing.T) {
	t.Chdir(t.TempDir())
	runsOf(t, "runs", aRun{"q001", "quadratic", "cifar10", 0}, aRun{"q002", "quadratic", "cifar10", 0})
	t.Chdir(filepath.Join("runs", "x-q001"))
	if f, err := aLookup().Find(""); err != nil || f.Status.ID != "q001" {
		t.Errorf("got %+v, %v", f, err)
	}
}

// FindCheckpoint passes over runs without a checkpoint.
func TestFindCheckpointOfTheNewestThatHasOne(t *testing.T) {
	t.Chdir(t.TempDir())
	runsOf(t, "runs", aRun{"q001", "quadratic", "cifar10", 0}, aRun{"q002", "quadratic", "cifar10", 0},
		aRun{"r003", "", "cifar10", 0})
	_, _, err := aLookup().FindCheckpoint("run.ckpt")
	if err == nil || err.Error() != "no run with heads and a checkpoint in runs" {
		t.Errorf("no checkpoint anywhere: %v", err)
	}
	touch(t, "runs", "x-q001", "run.ckpt")
	touch(t, "runs", "x-r003", "run.ckpt")
	path, found, err := aLookup().FindCheckpoint("run.ckpt")
	if err != nil || filepath.ToSlash(path) != "runs/x-q001/run.ckpt" || len(found.Skipped) != 2 ||
		found.Skipped[0].Missing != "heads" || found.Skipped[1].Missing != "a checkpoint" {
		t.Errorf("got %s, %+v, %v", path, found, err)
	}
}

func TestFindAll(t *testing.T) {
	t.Chdir(t.TempDir())
	runsOf(t, "runs", aRun{"q001", "quadratic", "cifar10", 0}, aRun{"a002", "learned", "cifar10", 0},
		aRun{"q003", "quadratic", "cifar10", 1}, aRun{"q004", "quadratic", "cifar10", 1},
		aRun{"q005", "quadratic", "shapes32", 0}, aRun{"c006", "content", "tiny", 0})
	touch(t, "runs", "comparison", "table.txt")
	touch(t, "runs", "curves.svg")
	if err := os.Symlink("x-q005", "runs/latest"); err != nil {
		t.Skip(err)
	}
	if err := os.Symlink("runs", "linked"); err != nil {
		t.Fatal(err)
	}
	whole, err := filepath.Abs("runs/x-q001")
	if err != nil {
		t.Fatal(err)
	}
	everything, err := filepath.Glob("runs/*")
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		refs                []string
		seeds               bool
		want, skipped, miss string
	}{
		{refs: everything, want: "q005 a002 c006 q001 q003 q004", skipped: "runs/comparison runs/curves.svg"},
		{refs: []string{"q001", "runs/x-q001", "runs/x-q001/run.ckpt", "q001"}, want: "q001"},
		{refs: []string{"latest", "q005"}, want: "q005"},
		{refs: []string{"q001", whole, "linked/x-q001"}, want: "q001"},
		{refs: []string{"q00[13]"}, want: "q001 q003"},
		{refs: []string{"runs/x-q00[13]"}, want: "q001 q003"},
		{refs: []string{"x-*"}, want: "a002 c006 q001 q003 q004 q005"},
		{refs: []string{"r*x"}, miss: `no run "r*x" in runs`},
		{refs: []string{"quadratic"}, want: "q005"},
		{refs: []string{"quadratic"}, seeds: true, want: "q005"},
		{refs: []string{"quadratic", "learned"}, want: "q004 a002"},
		{refs: []string{"quadratic", "learned"}, seeds: true, want: "q004 q001 a002"},
		{refs: []string{"learned", "q005"}, want: "a002 q005"}, // a name is of any data set
		{refs: []string{"learned", "content"}, miss: `no run "learned" on tiny in runs`},
		{refs: []string{"quadratic", "resnet18"}, miss: `no run "resnet18" in runs`},
		{refs: []string{"runs/comparison"}, miss: `no run "runs/comparison"`},
		{refs: []string{"runs/comparison", "runs/curves.svg"}, miss: `no run "runs/comparison"`},
		{refs: []string{"q001", "runs/nothing"}, miss: `no run "runs/nothing"`},
	} {
		l := aLookup()
		if tt.seeds {
			l.Alike = func(a, b Entry) bool {
				return a.Status.Encoding == b.Status.Encoding &&
					a.Status.Data == b.Status.Data
			}
		}
		all, skipped, err := l.FindAll(tt.refs)
		if tt.miss != "" {
			if missing := (*NotFoundError)(nil); !errors.As(err, &missing) || !strings.Contains(err.Error(), tt.miss) {
				t.Errorf("%v: got %s, %v; want %s", tt.refs, ids(all), err, tt.miss)
			}
			continue
		}
		if err != nil || ids(all) != tt.want || strings.Join(skipped, " ") != tt.skipped {
			t.Errorf("%v: got %s, skipped %s, %v; want %+v", tt.refs, ids(all), skipped, err, tt)
		}
	}
}

// If no data set has suitable runs of all words, FindAll prefers the one with the newest suitable run.
func TestFindAllOnTheDataOfRunsThatServe(t *testing.T) {
	t.Chdir(t.TempDir())
	runsOf(t, "runs", aRun{"q001", "quadratic", "cifar10", 0}, aRun{"r002", "", "shapes32", 0},
		aRun{"q003", "quadratic", "shapes32", 0}, aRun{"r004", "", "cifar10", 0})
	if all, _, err := aLookup().FindAll([]string{"quadratic", "resnet18"}); err != nil || ids(all) != "q003 r002" {
		t.Errorf("got %s, %v; want q003 r002", ids(all), err)
	}
}

// A link to itself is an error.
func TestFindLinkToItself(t *testing.T) {
	t.Chdir(t.TempDir())
	if err := os.Symlink("loop", "loop"); err != nil {
		t.Skip(err)
	}
	if _, _, err := aLookup().FindAll([]string{"loop", "loop"}); err == nil {
		t.Error("found a run")
	}
	_, err := os.Stat("loop")
	if diff := cmp.Diff(true, err != nil && !errors.Is(err, fs.ErrNotExist)); diff != "" {
		t.Error(fmt.Sprint("another error than that of the link: ", err))
	}
}
