//go:build unix

package fetch

import (
	"context"
	"errors"
	"net/http"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/attnconv/attnconv/internal/disk"
)

// A partial file that is a link or a pipe, or in a linked folder, is refused: the target stays as it is, and nothing
// waits.
func TestGetFollowsNoLink(t *testing.T) {
	s := serve(t, func(w http.ResponseWriter, r *http.Request, _ int) {
		begin(w, r, published, 0)
		send(w, published)
	})
	big := string(make([]byte, len(published)+10)) // a partial file that is too long is emptied
	for what, in := range map[string]func(dir, target string) error{
		"link": func(dir, target string) error {
			return os.Symlink(target,
				filepath.Join(dir, "sub", "file.part"))
		},
		"dangling": func(dir, target string) error {
			return os.Symlink(target+"2",
				filepath.Join(dir, "sub", "file.part"))
		},
		"pipe": func(dir, _ string) error { return syscall.Mkfifo(filepath.Join(dir, "sub", "file.part"), 0o666) },
		"folder": func(dir, target string) error {
			return errors.Join(os.Remove(filepath.Join(dir, "sub")),
				os.Symlink(filepath.Dir(target), filepath.Join(dir, "sub")))
		},
	} {
		t.Run(what, func(t *testing.T) {
			dir, elsewhere := t.TempDir(), t.TempDir()
			target := filepath.Join(elsewhere, "thesis")
			err := errors.Join(os.WriteFile(target, []byte(big), 0o666), os.Mkdir(filepath.Join(dir, "sub"), 0o777),
				in(dir, target))
			if err != nil {
				t.Fatal(err)
			}
			ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
			defer cancel()
			f := File{URLs: []string{s.URL}, Path: filepath.Join(dir, "sub", "file"), Dir: dir,
				Size:   int64(len(published)),
				SHA256: sum(published)}
			done := make(chan error, 1)
			go func() { done <- Get(ctx, f, Options{}) }()
			select {
			case err = <-done:
			case <-time.After(20 * time.Second):
				t.Fatal("it hangs")
			}
			if bad := (*disk.FileTypeError)(nil); !errors.As(err, &bad) {
				t.Errorf("got %v, want an *Irregular", err)
			}
			list, _ := os.ReadDir(elsewhere)
			if b, err := os.ReadFile(target); err != nil || string(b) != big || len(list) != 1 {
				t.Errorf("elsewhere: %v, a file of %d bytes, %v", list, len(b), err)
			}
		})
	}
}

// The data folder itself may be a link, to a large disk.
func TestGetThroughALinkedFolder(t *testing.T) {
	s := serve(t, func(w http.ResponseWriter, r *http.Request, _ int) {
		begin(w, r, published, 0)
		send(w, published)
	})
	dir := filepath.Join(t.TempDir(), "data")
	if err := os.Symlink(t.TempDir(), dir); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, "sub", "file")
	f := File{URLs: []string{s.URL}, Path: path, Dir: dir, Size: int64(len(published)), SHA256: sum(published)}
	if err := Get(t.Context(), f, Options{}); err != nil {
		t.Fatal(err)
	}
	wantFile(t, path)
}
