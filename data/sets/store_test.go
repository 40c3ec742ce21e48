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

// smallLayouts are those of the set of these tests.
var smallLayouts = layouts{small, smallPython}

func TestStoredListsEveryPlace(t *testing.T) {
	dir := t.TempDir()
	missing, bad := (*data.MissingError)(nil), (*data.CorruptError)(nil)
	if _, err := smallLayouts.stored(dir); !errors.As(err, &missing) {
		t.Errorf("nothing there: %v, want a *Missing", err)
	}
	write(t, filepath.Join(dir, "one.bin"), content(small, 0))
	if _, err := smallLayouts.stored(dir); !errors.As(err, &bad) {
		t.Errorf("one file of three: %v, want a *Corrupt", err)
	}
	if err := os.Remove(filepath.Join(dir, "one.bin")); err != nil {
		t.Fatal(err)
	}
	if _, err := Import(filled(t, small), Source{What: "small archive"}, "", dir, "", false); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(dir, "small.tgz"), gzipped(pack(entries(small)...)))
	writeFiles(t, small, filepath.Join(dir, "small-bin"), nil)
	write(t, filepath.Join(dir, "small-bin", "readme.html"), []byte("<html>"))
	found, err := smallLayouts.stored(dir)
	if err != nil {
		t.Fatal(err)
	}
	var said []string
	for _, s := range found {
		said = append(said, s.Layout)
		if s.Train != 6 || s.Test != 2 || s.Bytes < 1000 {
			t.Errorf("%+v: want 6 + 2 images and their size", s)
		}
	}
	if want := []string{"imported small archive", " folder", " archive"}; !slices.Equal(said, want) {
		t.Fatalf("layouts %q, want %q", said, want)
	}
	for _, s := range found {
		if err := s.Remove(); err != nil {
			t.Errorf("%s: %v", s.Path, err)
		}
	}
	if left, _ := os.ReadDir(dir); len(left) != 0 {
		t.Errorf("left: %v, want nothing", left)
	}
}

func TestRemoveLeavesWhatIsNotOfTheSet(t *testing.T) {
	dir := t.TempDir()
	writeFiles(t, small, filepath.Join(dir, "small-bin"), nil)
	write(t, filepath.Join(dir, "small-bin", "thesis.tex"), []byte("years of work"))
	found, err := smallLayouts.stored(dir)
	if err != nil || len(found) != 1 {
		t.Fatal(found, err)
	}
	if err := found[0].Remove(); err != nil {
		t.Fatal(err)
	}
	left, _ := os.ReadDir(filepath.Join(dir, "small-bin"))
	if len(left) != 1 || left[0].Name() != "thesis.tex" {
		t.Errorf("left: %v, want thesis.tex", left)
	}
}

func TestVerify(t *testing.T) {
	old := Kinds
	t.Cleanup(func() { Kinds = old })
	Kinds = append(slices.Clone(old), Kind{Name: "small", Digest: filled(t, small).Digest})
	flip := func(path string, at int) {
		b, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		b[at] ^= 1
		write(t, path, b)
	}
	dir := t.TempDir()
	if _, err := Import(filled(t, small), Source{What: "small archive"}, "", dir, "", false); err != nil {
		t.Fatal(err)
	}
	writeFiles(t, small, filepath.Join(dir, "small-bin"), nil)
	write(t, filepath.Join(dir, "small.tar"), pack(entries(small)...))
	for round, holds := range []bool{true, false} {
		found, err := smallLayouts.stored(dir)
		if err != nil || len(found) != 3 {
			t.Fatal(found, err)
		}
		for _, s := range found {
			v, err := s.Verify(t.Context())
			if err != nil {
				t.Fatalf("%s: %v", s.Layout, err)
			}
			if v.Holds != holds || v.Exact != holds {
				t.Errorf("round %d, %s: %+v, want them to hold: %v", round, s.Layout, v, holds)
			}
		}
		flip(filepath.Join(dir, "small", "train.bin"), 99)
		flip(filepath.Join(dir, "small-bin", "test.bin"), 99)
		flip(filepath.Join(dir, "small.tar"), 2000) // in an image
	}
}

func TestDownloadsAreThoseThatWerePublished(t *testing.T) {
	for _, name := range []string{"cifar10", "cifar100"} {
		list := downloadsOf(name)
		if len(list) != 2 || !strings.HasSuffix(list[0].URL, "-binary.tar.gz") ||
			!strings.HasPrefix(list[0].URL, origin) {
			t.Errorf("%s: %+v, want the binary archive first, then Python's", name, list)
		}
		for _, d := range list {
			if d.Size < 160<<20 || len(d.SHA256) != 64 || !strings.HasSuffix(d.URL, d.File) {
				t.Errorf("%s: %+v: want a size, a SHA-256 and a name", name, d)
			}
		}
	}
	if list := downloadsOf("shapes32"); list != nil {
		t.Errorf("shapes32: %v, want none", list)
	}
}

func TestListNamesEverySet(t *testing.T) {
	dir := t.TempDir()
	s := filled(t, small)
	s.Name = ""
	for _, name := range []string{"b", "a"} {
		if _, err := Import(s, Source{What: "folder of images"}, "", dir, name, false); err != nil {
			t.Fatal(err)
		}
	}
	write(t, filepath.Join(dir, "bad", packedFile), []byte("{"))
	write(t, filepath.Join(dir, "data_batch_1.bin"), nil)
	list, err := Stores(dir)
	if len(list) != 2 || list[0].Name != "a" || list[1].Name != "b" {
		t.Errorf("got %+v, want a and b", list)
	}
	if err == nil || !strings.Contains(err.Error(), "bad") || !strings.Contains(err.Error(), "data_batch_2.bin") {
		t.Errorf("got %v, want what is wrong with bad and cifar10", err)
	}
	if list, err := Stores(filepath.Join(dir, "nowhere")); len(list) != 0 || err != nil {
		t.Errorf("no folder: %v, %v; want nothing", list, err)
	}
	found, err := find(dir, "a")
	if err != nil || len(found) != 1 || found[0].Train != 6 {
		t.Errorf("found %+v (%v), want a", found, err)
	}
	missing := (*data.MissingError)(nil)
	if _, err := find(dir, "../a"); !errors.As(err, &missing) {
		t.Errorf("../a: %v, want a *Missing", err)
	}
}
