//go:build unix

package train_test

import (
	"bufio"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// SIGUSR1 makes a run save at once and go on; other commands ignore it.
func TestSaveOnRequest(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	p := exec.Command("attnconv", "train", "--data", "shapes32", "--preset", "smoke", "--epochs", "1000", "--dim", "16",
		"--out", dir, "--runs", filepath.Dir(dir), "--progress", "plain")
	said, err := p.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := p.Start(); err != nil {
		t.Fatal(err)
	}
	defer p.Process.Kill()
	lines, saved := bufio.NewScanner(said), false
	for lines.Scan() {
		switch line := lines.Text(); {
		case strings.HasPrefix(line, "attnconv "): // the banner: it is about to train
			p.Process.Signal(syscall.SIGUSR1)
		case strings.HasPrefix(line, "step "):
			p.Process.Signal(syscall.SIGUSR1)
		case strings.HasPrefix(line, "saving after step ") && strings.HasSuffix(line, ", as asked"):
			for range 500 {
				if _, err := os.Stat(filepath.Join(dir, "checkpoints", "last.ckpt")); err == nil {
					saved = true
					break
				}
				time.Sleep(20 * time.Millisecond)
			}
			p.Process.Signal(syscall.SIGTERM)
		}
	}
	var exit *exec.ExitError
	if err := p.Wait(); !errors.As(err, &exit) || exit.ExitCode() != 143 || !saved {
		t.Errorf("saved: %v; ended with %v, want exit code 143", saved, err)
	}
}
