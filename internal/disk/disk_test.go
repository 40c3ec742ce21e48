package disk

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"
	"time"
)

func TestReplace(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "file")
	if err := WriteFile(path, []byte("one")); err != nil {
		t.Fatal(err)
	}
	broken := errors.New("broken")
	err := Replace(path, func(w io.Writer) error {
		w.Write([]byte("two"))
		return broken
	})
	if b, _ := os.ReadFile(path); !errors.Is(err, broken) || string(b) != "one" {
		t.Errorf("after an error: %q, %v", b, err)
	}
	if err := WriteFile(path, []byte("three")); err != nil {
		t.Error(err)
	}
	if b, _ := os.ReadFile(path); string(b) != "three" {
		t.Errorf("got %q", b)
	}
	if list, _ := os.ReadDir(dir); len(list) != 1 {
		t.Errorf("left: %v", list)
	}
}

// A writer removes the temporary files of killed writers. It keeps those of live writers and of other files.
func TestReplaceSweeps(t *testing.T) {
	needLocks(t)
	dir := t.TempDir()
	path := filepath.Join(dir, "a.ckpt")
	long := time.Now().Add(-2 * young)
	make := func(name string, when time.Time) string {
		t.Helper()
		p := filepath.Join(dir, name)
		if err := errors.Join(os.WriteFile(p, nil, 0o666), os.Chtimes(p, when, when)); err != nil {
			t.Fatal(err)
		}
		return p
	}
	dead := make(".a.ckpt.1-00000000.tmp", long)
	kept := []string{
		make(".a.ckpt.1-00000001.tmp", long), // locked below
		make(".a.ckpt.1-00000002.tmp", time.Now()),
		make(".b.ckpt.1-00000000.tmp", long),
		make(".a.ckpt.mine.tmp", long),
		make("a.ckpt.1-00000000.tmp", long),
	}
	l, err := acquire(kept[0])
	if err != nil {
		t.Fatal(err)
	}
	defer l.Release()
	if err := WriteFile(path, nil); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(dead); err == nil {
		t.Error("the file of a killed writer is never removed")
	}
	for _, p := range kept {
		if _, err := os.Stat(p); err != nil {
			t.Error(err)
		}
	}
}
