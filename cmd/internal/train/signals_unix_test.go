//go:build unix

package train_test

import (
	"bufio"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/attnconv/attnconv/run"
	"github.com/attnconv/attnconv/run/event"
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

// Ctrl-C before the first step, while the time is estimated: the run says how to start it again, and --resume does so,
// even if an older run has a checkpoint.
func TestStopBeforeFirstStep(t *testing.T) {
	runs := t.TempDir()
	train := func(args ...string) *exec.Cmd {
		return exec.Command("attnconv", append([]string{"train", "--runs", runs}, args...)...)
	}
	older := train("--data", "shapes32", "--preset", "smoke", "--epochs", "1", "--limit-train-batches", "2",
		"--limit-val-batches", "1", "--time-budget", "1ms", "--name", "older")
	if out, err := older.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	p := train("--data", "shapes32", "--preset", "smoke", "--name", "early", "--limit-val-batches", "1")
	said, err := p.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := p.Start(); err != nil {
		t.Fatal(err)
	}
	defer p.Process.Kill()
	var all []string
	for lines := bufio.NewScanner(said); lines.Scan(); {
		all = append(all, lines.Text())
		if strings.HasPrefix(lines.Text(), "run ") {
			p.Process.Signal(syscall.SIGINT)
		}
	}
	var exit *exec.ExitError
	if err := p.Wait(); !errors.As(err, &exit) || exit.ExitCode() != 130 {
		t.Errorf("ended with %v, want exit code 130", err)
	}
	text := strings.Join(all, "\n")
	_, command, ok := strings.Cut(text, "stopped before the first step\nto start again: attnconv ")
	if !ok || strings.Contains(text, "finishing step") {
		t.Fatalf("said %q", text)
	}
	list, err := run.List(runs)
	if err != nil || len(list) != 2 {
		t.Fatal(list, err)
	}
	at := slices.IndexFunc(list, func(e run.Entry) bool { return strings.Contains(e.Path, "-early-") })
	if at < 0 {
		t.Fatal(list)
	}
	path, early := list[at].Path, list[at].Status // two runs of one second are in the order of their names
	if early.State != event.Stopped || early.Step != 0 || early.Steps == 0 {
		t.Errorf("run.json says %s at step %d of %d", early.State, early.Step, early.Steps)
	}
	if want := "train --resume " + path; command != want {
		t.Errorf("advises %q, want %q", command, want)
	}
	again := train("--resume", "--time-budget", "1ms", "--progress", "plain")
	out, err := again.CombinedOutput()
	now := run.At(path).Status
	if err != nil || now.Step == 0 {
		t.Errorf("resumed %v, at step %d:\n%s", err, now.Step, out)
	}
}
