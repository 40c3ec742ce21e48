//go:build unix

package foreign

import (
	"path/filepath"
	"syscall"
	"testing"
)

// others maps paths that are not regular files to the words that describe them.
func others(t *testing.T) map[string]string {
	dir := t.TempDir()
	pipe := filepath.Join(dir, "pipe")
	if err := syscall.Mkfifo(pipe, 0o666); err != nil {
		t.Fatal(err)
	}
	return map[string]string{
		pipe: "want a regular file, got a named pipe", dir: "got a folder", "/dev/zero": "got a device",
	}
}
