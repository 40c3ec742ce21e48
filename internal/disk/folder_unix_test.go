//go:build unix

package disk

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// within fails the test if do does not return in 20 s.
func within(t *testing.T, do func()) {
	t.Helper()
	done := make(chan struct{})
	go func() { defer close(done); do() }()
	select {
	case <-done:
	case <-time.After(20 * time.Second):
		t.Fatal("it hangs")
	}
}

// Each method refuses what is not what it is for, and leaves it and what it leads to as it was.
func TestFolderFollowsNoLink(t *testing.T) {
	dir, outside := t.TempDir(), t.TempDir()
	in := Folder(dir)
	secret := filepath.Join(outside, "secret")
	err := errors.Join(
		os.WriteFile(secret, []byte("secret"), 0o666), os.Mkdir(in.Path("real"), 0o777),
		os.WriteFile(in.Path("file"), nil, 0o666),
		os.Symlink(secret, in.Path("link")), os.Symlink(filepath.Join(outside, "new"), in.Path("dangling")),
		os.Symlink("file", in.Path("inside")), os.Symlink(outside, in.Path("folder")),
		os.Symlink("real", in.Path("local")),
		syscall.Mkfifo(in.Path("pipe"), 0o666))
	if err != nil {
		t.Fatal(err)
	}
	open := func(flag int) func(string) error {
		return func(name string) error {
			f, err := in.OpenFile(name, flag)
			if err == nil {
				f.Close()
			}
			return err
		}
	}
	write := Bytes([]byte("x"))
	for what, do := range map[string]func(name string) error{
		"append": open(os.O_RDWR | os.O_CREATE | os.O_APPEND), "write": open(os.O_WRONLY | os.O_CREATE),
		"read": open(os.O_RDONLY),
		"lock": func(name string) error { _, err := in.Acquire(name); return err },
		"held": func(name string) error { _, err := in.Held(name); return err },
	} {
		for _, name := range []string{"link", "dangling", "inside", "pipe", "real", "folder/secret", "folder/new",
			"local/new", "../x"} {
			within(t, func() {
				bad := (*FileTypeError)(nil)
				if err := do(name); !errors.As(err, &bad) || !strings.HasPrefix(bad.Path, filepath.Dir(dir)) {
					t.Errorf("%s %s: got %v, want an *Irregular with the whole path", what, name, err)
				}
			})
		}
	}
	for what, do := range map[string]func(name string) error{
		"replace": func(name string) error { return in.Replace(name, write) },
		"create":  func(name string) error { return in.Create(name, write) },
		"remove":  in.Remove, "remove all": in.RemoveAll, "make": in.Mkdir, "make all": in.MkdirAll,
		"rename from": func(name string) error { return in.Rename(name, "y") },
		"rename to":   func(name string) error { return in.Rename("file", name) },
		"link from":   func(name string) error { return in.Link(name, "y") },
		"link to":     func(name string) error { return in.Link("file", name) },
		"symlink":     func(name string) error { return in.Symlink("file", name) },
		"list":        func(name string) error { _, err := in.ReadDir(filepath.Dir(name)); return err },
	} {
		for _, name := range []string{"folder/secret", "folder/new", "local/new", "../x"} {
			if name == "../x" && what == "list" {
				continue
			}
			if err := do(name); err == nil {
				t.Errorf("%s %s: no error", what, name)
			}
		}
	}
	if list, _ := os.ReadDir(outside); len(list) != 1 {
		t.Errorf("outside: %v", list)
	}
	if b, _ := os.ReadFile(secret); string(b) != "secret" {
		t.Errorf("the secret is %q", b)
	}
	if err := in.Replace("link", write); err != nil { // replaces the link itself
		t.Error(err)
	}
	if info, err := os.Lstat(in.Path("link")); err != nil || !info.Mode().IsRegular() {
		t.Errorf("after Replace: %v, %v", info, err)
	}
}

// Errors of the file system name the whole path.
func TestFolderErrors(t *testing.T) {
	in := Folder(t.TempDir())
	_, err := in.OpenFile("a/b", os.O_RDONLY)
	if !errors.Is(err, fs.ErrNotExist) || !strings.Contains(err.Error(), in.Path("a")) {
		t.Errorf("got %v", err)
	}
	if err := in.Remove("b"); !errors.Is(err, fs.ErrNotExist) || !strings.Contains(err.Error(), in.Path("b")) {
		t.Errorf("got %v", err)
	}
	if err := in.MkdirAll("c/d/e"); err != nil {
		t.Error(err)
	}
	if err := in.Mkdir("c"); !errors.Is(err, fs.ErrExist) {
		t.Errorf("got %v", err)
	}
}

// Exchange leaves both, or says that it cannot.
func TestExchange(t *testing.T) {
	in := Folder(t.TempDir())
	err := errors.Join(in.MkdirAll("a"), in.MkdirAll("b"), in.Create("a/old", Bytes(nil)),
		in.Create("b/new", Bytes(nil)))
	if err != nil {
		t.Fatal(err)
	}
	err = in.Exchange("a", "b")
	if errors.Is(err, errors.ErrUnsupported) {
		t.Skip(err)
	}
	_, errA := in.Lstat("a/new")
	_, errB := in.Lstat("b/old")
	if err := errors.Join(err, errA, errB); err != nil {
		t.Error(err)
	}
}
