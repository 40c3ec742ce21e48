package sets

import (
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// On a disk that is full nothing is imported, nothing is left behind, and what was there stays as it was.
func TestImportOnAFullDisk(t *testing.T) {
	dir := t.TempDir()
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, "size=48k"); err != nil {
		t.Skipf("no tmpfs for this user: %v", err)
	}
	defer syscall.Unmount(dir, 0)
	s := filled(t, small) // 24 kB
	if _, err := Import(s, Source{What: "first"}, "", dir, "", false); err != nil {
		t.Fatal(err)
	}
	if _, err := Import(s, Source{What: "second"}, "", dir, "", true); !errors.Is(err, syscall.ENOSPC) {
		t.Fatalf("got %v, want no space left", err)
	}
	left, _ := os.ReadDir(dir)
	p, err := readPacked(filepath.Join(dir, "small"))
	if len(left) != 1 || err != nil || p.Source != "first" {
		t.Errorf("left: %v, %+v (%v); want the first one alone", left, p, err)
	}
	if _, err := (layouts{small}).open(dir); err != nil {
		t.Errorf("it cannot be opened: %v", err)
	}
}
