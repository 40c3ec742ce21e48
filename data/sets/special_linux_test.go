package sets

import (
	"path/filepath"
	"syscall"
	"testing"
	"time"
)

// pipe makes a named pipe, which nobody writes to.
func pipe(t *testing.T, path string) {
	t.Helper()
	if err := syscall.Mkfifo(path, 0o666); err != nil {
		t.Fatal(err)
	}
}

// A device never ends, and a pipe that nobody writes to never begins: neither is read.
func TestDevicesAndPipesAreRefused(t *testing.T) {
	dir := t.TempDir()
	tree(t, filepath.Join(dir, "images"), 2, "red", "blue")
	pipe(t, filepath.Join(dir, "images", "red", "x.png"))
	pipe(t, filepath.Join(dir, "pipe.tar.gz"))
	for path, want := range map[string]string{
		"/dev/zero":                       "/dev/zero: want a regular file, got a device",
		filepath.Join(dir, "pipe.tar.gz"): "pipe.tar.gz: want a regular file, got a named pipe",
		filepath.Join(dir, "images"):      "x.png: want a regular file, got a named pipe",
	} {
		done := make(chan error, 1)
		go func() {
			_, _, err := Recognize(path)
			done <- err
		}()
		select {
		case err := <-done:
			wantCorrupt(t, err, want)
		case <-time.After(20 * time.Second):
			t.Fatalf("%s: it hangs", path)
		}
	}
}
