package disk_test

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
	"testing/fstest"

	"github.com/attnconv/attnconv/internal/disk"
)

func nothing(disk.Folder) error { return nil }

func TestUnpack(t *testing.T) {
	path := filepath.Join(t.TempDir(), "new")
	from := fstest.MapFS{"a.txt": {Data: []byte("first")}, "in/b.txt": {Data: []byte("second")}}
	seen := ""
	err := disk.Unpack(t.Context(), path, from, func(made disk.Folder) error {
		seen = string(made)
		return os.WriteFile(made.Path("c.txt"), nil, 0o666)
	})
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{"a.txt": "first", "in/b.txt": "second", "c.txt": ""} {
		if got, err := os.ReadFile(filepath.Join(path, filepath.FromSlash(name))); err != nil || string(got) != want {
			t.Errorf("%s is %q, %v", name, got, err)
		}
	}
	if filepath.Dir(seen) != filepath.Dir(path) || filepath.Base(seen)[0] != '.' {
		t.Errorf("it was written in %s: a reader of the parent would have seen a part of it", seen)
	}
	if list, err := os.ReadDir(filepath.Dir(path)); err != nil || len(list) != 1 {
		t.Errorf("%v, %v; want the new folder only", list, err)
	}
}

// Whatever ends it early leaves nothing, neither at the path nor next to it.
func TestUnpackLeavesNothing(t *testing.T) {
	wrong := errors.New("no space left")
	interrupted, interrupt := context.WithCancelCause(t.Context())
	interrupt(wrong)
	from := fstest.MapFS{"a.txt": {Data: []byte("first")}, "b.txt": {Data: []byte("second")}}
	for name, unpack := range map[string]func(path string) error{
		"a file that cannot be read": func(path string) error {
			return disk.Unpack(t.Context(), path, broken{from, "b.txt", wrong}, nothing)
		},
		"finish fails": func(path string) error {
			return disk.Unpack(t.Context(), path, from, func(disk.Folder) error { return wrong })
		},
		"an interrupt": func(path string) error { return disk.Unpack(interrupted, path, from, nothing) },
	} {
		dir := t.TempDir()
		if err := unpack(filepath.Join(dir, "new")); !errors.Is(err, wrong) {
			t.Errorf("%s: got %v", name, err)
		}
		if list, err := os.ReadDir(dir); err != nil || len(list) != 0 {
			t.Errorf("%s: left %v, %v", name, list, err)
		}
	}
}

// What is at the path stays, whatever it is.
func TestUnpackKeepsWhatIsThere(t *testing.T) {
	dir := t.TempDir()
	from := fstest.MapFS{"a.txt": {Data: []byte("ours")}}
	for _, path := range []string{"folder", "empty", "file", "link"} {
		var err error
		switch path = filepath.Join(dir, path); filepath.Base(path) {
		case "folder":
			err = os.MkdirAll(filepath.Join(path, "a.txt"), 0o777)
		case "empty":
			err = os.Mkdir(path, 0o777)
		case "file":
			err = os.WriteFile(path, []byte("mine"), 0o666)
		case "link":
			if os.Symlink(filepath.Join(dir, "nowhere"), path) != nil {
				continue // a system without links
			}
		}
		if err != nil {
			t.Fatal(err)
		}
		before, _ := os.Lstat(path)
		if err := disk.Unpack(t.Context(), path, from, nothing); !errors.Is(err, fs.ErrExist) {
			t.Errorf("%s: got %v", path, err)
		}
		if after, err := os.Lstat(path); err != nil || !os.SameFile(before, after) || after.Mode() != before.Mode() {
			t.Errorf("%s was changed: %v", path, err)
		}
	}
}

// A broken file system fails to open one file.
type broken struct {
	fs.FS
	name string
	err  error
}

func (b broken) Open(name string) (fs.File, error) {
	if name == b.name {
		return nil, b.err
	}
	return b.FS.Open(name)
}
