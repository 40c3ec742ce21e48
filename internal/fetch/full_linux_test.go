package fetch

import (
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// On a full disk the error names the file and the cause, no other address is asked, and the bytes so far are kept.
func TestGetOnAFullDisk(t *testing.T) {
	dir := t.TempDir()
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, "size=128k"); err != nil {
		t.Skipf("no tmpfs for this user: %v", err)
	}
	defer syscall.Unmount(dir, 0)
	s := serve(t, honest(published))
	path := filepath.Join(dir, "file")
	err := get(t, path, s.URL)
	if disk := (*os.PathError)(nil); !errors.As(err, &disk) || !errors.Is(err, syscall.ENOSPC) ||
		disk.Path != path+".part" {
		t.Fatalf("got %v, want no space left, at %s.part", err, path)
	}
	if info, err := os.Stat(path + ".part"); err != nil || info.Size() != 128<<10 || s.asked.Load() != 1 {
		t.Errorf("kept: %v (%v) after %d requests, want 128 KiB after one", info, err, s.asked.Load())
	}
	if err := syscall.Mount("", dir, "tmpfs", syscall.MS_REMOUNT, "size=1m"); err != nil {
		t.Fatal(err)
	}
	if err := get(t, path, s.URL); err != nil {
		t.Fatal(err)
	}
	wantFile(t, path)
}
