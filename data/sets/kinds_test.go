package sets

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/attnconv/attnconv/data"
)

func TestClassNamesWithoutImages(t *testing.T) {
	dir := t.TempDir()
	for _, class := range []string{"train/owl", "train/cat", "test/owl", "flat/b", "flat/a"} {
		if err := os.MkdirAll(filepath.Join(dir, class), 0o777); err != nil {
			t.Fatal(err)
		}
	}
	for _, tt := range []struct {
		name        string
		n           int
		first, last string
	}{
		{"cifar10", 10, "airplane", "truck"},
		{"cifar100", 100, "apple", "worm"},
		{"shapes32", 10, Shapes().Classes[0], Shapes().Classes[9]},
		{dir, 2, "cat", "owl"},
		{filepath.Join(dir, "flat"), 2, "a", "b"},
	} {
		got := ClassNames(tt.name, dir)
		if len(got) != tt.n || got[0] != tt.first || got[len(got)-1] != tt.last {
			t.Errorf("%s: %v, want %d from %s to %s", tt.name, got, tt.n, tt.first, tt.last)
		}
	}
	if got := ClassNames("nothing", dir); !slices.Equal(got, nil) {
		t.Errorf("a folder that is not there has classes %v", got)
	}
}

// withKind adds a line to Kinds for a test.
func withKind(t *testing.T, k Kind) {
	old := Kinds
	t.Cleanup(func() { Kinds = old })
	Kinds = append(slices.Clone(old), k)
}

// A line in Kinds is all that a set needs which is made here: every way to ask for a set knows it.
func TestBuiltInSetAddedByALine(t *testing.T) {
	k := Kind{
		Name: "grays", Help: "20 + 4 images of noise", Classes: []string{"dark", "light"}, Train: 20, Test: 4,
		ValSize: 6,
		Make: func(data.Options) *data.Set {
			return &data.Set{Format: rgb32, Train: noiseImages(20, 2), Test: noiseImages(4, 2)}
		},
	}
	first := k.Make(data.Options{})
	first.Classes = k.Classes
	k.Digest = finish(first).Digest
	withKind(t, k)
	o, dir := data.Default(), t.TempDir()
	o.Name = "grays"
	s, err := Open(o, dir)
	if err := errors.Join(err, Validate(o), Known("grays", dir)); err != nil {
		t.Fatal(err)
	}
	train, val, test, err := s.Split(o)
	if err != nil || train.Len() != 14 || val.Len() != 6 || test.Len() != 4 || !s.Published || s.Name != "grays" {
		t.Errorf("%d + %d + %d images of %s, published: %v (%v)", train.Len(), val.Len(), test.Len(), s.Name,
			s.Published, err)
	}
	if got := ClassNames("grays", dir); !slices.Equal(got, k.Classes) {
		t.Errorf("classes %v", got)
	}
	if got := OwnValSize("grays"); got != "the set's own: 6" {
		t.Errorf("val_size is said to be %q", got)
	}
	if err := Known("gray", dir); err == nil || !strings.HasSuffix(err.Error(), "did you mean \"grays\"?") {
		t.Errorf("gray: %v, want the hint grays", err)
	}
	if Placeholder("grays") != nil || downloadsOf("grays") != nil {
		t.Error("a set that is made here needs no placeholder and no download")
	}
}

// The same for a set that comes as files: it is found, imported, recognized, listed and verified.
func TestSetOfFilesAddedByALine(t *testing.T) {
	mine := small // its files have names of their own: test.bin is also CIFAR-100's
	mine.test = "third.bin"
	want := filled(t, mine)
	withKind(t, fileKind("a small set", want.Digest, mine))
	dir := t.TempDir()
	writeFiles(t, mine, filepath.Join(dir, "small-bin"), nil)
	o := data.Default()
	o.Name = "small"
	s, err := Open(o, dir)
	if err != nil || !s.Published || s.Digest != want.Digest {
		t.Fatalf("%+v, %v: want the published images", s, err)
	}
	list, err := Stores(dir)
	if err != nil || len(list) != 1 || list[0].Name != "small" {
		t.Fatalf("listed %+v, %v", list, err)
	}
	if v, err := list[0].Verify(t.Context()); err != nil || !v.Exact {
		t.Errorf("verified %+v, %v", v, err)
	}
	other := t.TempDir()
	if set, src, err := Recognize(filepath.Join(dir, "small-bin")); err != nil || set.Name != "small" {
		t.Errorf("recognized %v, %v", src, err)
	} else if _, err := Import(set, src, dir, other, "", false); err != nil || Known("small", other) != nil {
		t.Error(err)
	}
	if p := Placeholder("small"); p == nil || p.Train.Len() != small.trainLen() ||
		len(p.Classes) != len(small.classes) {
		t.Errorf("placeholder %+v", p)
	}
	if _, err := Open(o, t.TempDir()); err == nil || !strings.Contains(err.Error(), "\"small\" is not in") {
		t.Errorf("not there: %v", err)
	}
}

// Auto takes an imported CIFAR-10, which is where data get leaves it, as Open does.
func TestAutoKnowsImportedSets(t *testing.T) {
	dir := t.TempDir()
	if got := Auto(dir); got != "shapes32" {
		t.Errorf("with nothing there, auto is %s", got)
	}
	s := filled(t, small)
	s.Name = "cifar10"
	if _, err := Import(s, Source{What: "archive"}, "", dir, "", false); err != nil {
		t.Fatal(err)
	}
	if got := Auto(dir); got != "cifar10" {
		t.Errorf("with cifar10 imported, auto is %s", got)
	}
	write(t, filepath.Join(dir, "cifar10", packedFile), []byte("{"))
	if got := Auto(dir); got != "cifar10" {
		t.Errorf("with a damaged cifar10, auto is %s in place of it", got)
	}
}

// The table says of itself what its sets are.
func TestKindsAreWhatTheySay(t *testing.T) {
	for _, k := range Kinds {
		for _, name := range k.First {
			if f := Kinds.Find(name); f == nil || f.First != nil {
				t.Errorf("%s: %s is no set", k.Name, name)
			}
		}
		if k.First == nil && (len(k.Classes) < 2 || k.Train < 1 || k.Test < 1 || k.ValSize < 1 ||
			k.ValSize >= k.Train) {
			t.Errorf("%+v lacks its sizes", k)
		}
		if k.Help == "" || (k.First != nil) == (k.comesAsFiles() || k.Make != nil) {
			t.Errorf("%s: want help, and one way to open it", k.Name)
		}
	}
	s := shapes()
	if k := shapesKind; s.Train.Len() != k.Train || s.Test.Len() != k.Test {
		t.Errorf("shapes32 has %d + %d images, want %d + %d", s.Train.Len(), s.Test.Len(), k.Train, k.Test)
	}
}
