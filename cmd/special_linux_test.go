package cmd

import (
	"bytes"
	"context"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/attnconv/attnconv/data"
	"github.com/attnconv/attnconv/internal/fault"
	"github.com/attnconv/attnconv/internal/npy"
	"github.com/attnconv/attnconv/session/trained"
)

// Commands refuse devices, which never end, and pipes, which may never begin, and say why.
func TestCommandsRefuseDevicesAndPipes(t *testing.T) {
	dir := t.TempDir()
	pipe := filepath.Join(dir, "pipe")
	if err := syscall.Mkfifo(pipe, 0o666); err != nil {
		t.Fatal(err)
	}
	for _, special := range []string{pipe, "/dev/zero"} {
		for _, args := range [][]string{
			{"data", "import", special}, {"import", special, "-o", filepath.Join(dir, "x.ckpt")}, {"eval", special},
			{"inspect", special},
			{"config", "validate", special}, {"train", "-c", special, "--dry-run"}, {"config", "show", "-c", special},
			{"plot-heads", special}, {"plot-maps", special, "x.png"},
		} {
			var out, log bytes.Buffer
			done := make(chan int, 1)
			go func() { done <- Main(context.Background(), args, nil, &out, &log) }()
			select {
			case code := <-done:
				if code != fault.Corrupt && code != fault.Usage ||
					!strings.Contains(log.String(), "want a regular file") {
					t.Errorf("%v: exit code %d, said %q", args, code, log.String())
				}
			case <-time.After(30 * time.Second):
				t.Fatalf("%v: it hangs", args)
			}
		}
	}
	for _, special := range []string{pipe, "/dev/zero"} {
		if _, _, err := trained.ReadImages(nil, data.FormatOf(32, 32, 3), special); err == nil ||
			!strings.Contains(err.Error(), "want a regular file") {
			t.Errorf("predict %s: %v", special, err)
		}
		if _, err := npy.Read(special); err == nil || !strings.Contains(err.Error(), "want a regular file") {
			t.Errorf("predict --array %s: %v", special, err)
		}
	}
	if _, _, err := trained.ReadImages(endless{}, data.FormatOf(32, 32, 3), "-"); err == nil ||
		!strings.Contains(err.Error(), "standard input: want at most 268435456 bytes") {
		t.Errorf("predict - < /dev/zero: %v", err)
	}
}

// endless reads like /dev/zero.
type endless struct{}

func (endless) Read(p []byte) (int, error) { return len(p), nil }
