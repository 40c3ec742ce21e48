package disk_test

import (
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"testing/fstest"

	"github.com/attnconv/attnconv/internal/disk"
)

// On a disk that is full nothing is unpacked, and nothing is left behind.
func TestUnpackOnAFullDisk(t *testing.T) {
	dir := t.TempDir()
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, "size=48k"); err != nil {
		t.Skipf("no tmpfs for this user: %v", err)
	}
	defer syscall.Unmount(dir, 0)
	from := fstest.MapFS{"a": {Data: make([]byte, 24<<10)}, "b": {Data: make([]byte, 48<<10)}}
	if err := disk.Unpack(t.Context(), filepath.Join(dir, "new"), from, nothing); !errors.Is(err, syscall.ENOSPC) {
		t.Errorf("got %v, want no space left", err)
	}
	if list, err := os.ReadDir(dir); err != nil || len(list) != 0 {
		t.Errorf("left: %v, %v", list, err)
	}
}
