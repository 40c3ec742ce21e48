//go:build unix

package run

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/attnconv/attnconv/run/event"
)

// aStoppedRun is a run as another person hands it over, with all that a resume writes to.
func aStoppedRun(t *testing.T) string {
	t.Helper()
	d := create(t, t.TempDir())
	saved(t, d, 5, true)
	for _, name := range []string{"log.jsonl", "train.log"} {
		touch(t, d.Path, name)
	}
	for _, folder := range []string{"heads", "figures", "tb"} {
		if err := os.MkdirAll(filepath.Join(d.Path, folder), 0o777); err != nil {
			t.Fatal(err)
		}
	}
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
	return d.Path
}

// resumed does to the run in path what a resume does, up to the first error.
func resumed(path, root string) error {
	d, err := Open(path, root)
	if err != nil {
		return err
	}
	if err := d.Claim(UserInput{}, Environment{}, nil); err != nil {
		return err
	}
	defer d.Close()
	_, errLog := d.Logger(nil)
	_, errText := d.Text()
	save := func(path string) error { return os.WriteFile(path, []byte("weights"), 0o666) }
	return errors.Join(errLog, errText, d.Rewind(0, 0), d.Event(event.Heads{Epoch: 1}), d.Save(7, true, save))
}

// Nothing that a run holds leads a resume out of its folder, or makes it wait: it refuses before it changes the run.
func TestResumeFollowsNothingOutOfTheRun(t *testing.T) {
	const mine = "not yours\nand no newline at the end"
	for _, name := range []string{"metrics.jsonl", "epochs.csv", "overrides.txt", "log.jsonl", "train.log",
		".attnconv.lock",
		"checkpoints", "heads", "figures", "tb"} {
		for _, kind := range []string{"link", "dangling link", "pipe"} {
			t.Run(name+" is a "+kind, func(t *testing.T) {
				path, elsewhere := aStoppedRun(t), t.TempDir()
				target := filepath.Join(elsewhere, "profile")
				at := filepath.Join(path, name)
				info, err := os.Stat(at)
				if os.IsNotExist(err) || os.RemoveAll(at) != nil {
					t.Fatal(err)
				}
				switch {
				case kind == "pipe":
					err = syscall.Mkfifo(at, 0o666)
				case kind == "dangling link":
					err = os.Symlink(target, at)
				case info.IsDir():
					err = errors.Join(os.Mkdir(target, 0o777), os.Symlink(target, at))
					touch(t, target, "step-000009.ckpt") // as a rewind would supersede, and a save prune
					touch(t, target, ".step-000009.ckpt.1-00000000.tmp")
				default:
					err = errors.Join(os.WriteFile(target, []byte(mine), 0o666), os.Symlink(target, at))
				}
				if err != nil {
					t.Fatal(err)
				}
				before, status := tree(t, elsewhere), text(t, path, "run.json")
				done := make(chan error, 1)
				go func() { done <- resumed(path, filepath.Dir(path)) }()
				select {
				case err = <-done:
				case <-time.After(20 * time.Second):
					t.Fatal("it hangs")
				}
				if !as[*CorruptError](err) || !strings.Contains(err.Error(), name) {
					t.Errorf("got %v, want a *Corrupt that names the file", err)
				}
				if got := tree(t, elsewhere); strings.Join(got, " ") != strings.Join(before, " ") {
					t.Errorf("elsewhere were %v, and are %v", before, got)
				}
				if kind == "link" && !info.IsDir() && text(t, target) != mine {
					t.Errorf("%s is %q now", target, text(t, target))
				}
				if text(t, path, "run.json") != status {
					t.Error("run.json has changed")
				}
			})
		}
	}
}

// What users link is a run's folder, or that of all runs: both work as if they were not linked.
func TestResumeThroughALinkToTheRun(t *testing.T) {
	path, links := aStoppedRun(t), t.TempDir()
	one, all := filepath.Join(links, "run"), filepath.Join(links, "runs")
	if err := errors.Join(os.Symlink(path, one), os.Symlink(filepath.Dir(path), all)); err != nil {
		t.Fatal(err)
	}
	for _, at := range []string{one, filepath.Join(all, filepath.Base(path))} {
		if err := resumed(at, all); err != nil {
			t.Errorf("%s: %v", at, err)
		}
	}
	if got := text(t, path, "run.ckpt"); got != "weights" {
		t.Errorf("run.ckpt is %q, want the weights of the last save", got)
	}
}

// Removing a run or its leftovers deletes nothing that a link in it leads to.
func TestRemoveFollowsNoLink(t *testing.T) {
	path, elsewhere := aStoppedRun(t), t.TempDir()
	touch(t, elsewhere, "step-000005.ckpt")
	touch(t, elsewhere, ".step-000005.ckpt.1-00000000.tmp")
	checkpoints := filepath.Join(path, "checkpoints")
	if err := errors.Join(os.RemoveAll(checkpoints), os.Symlink(elsewhere, checkpoints)); err != nil {
		t.Fatal(err)
	}
	before := tree(t, elsewhere)
	s := SpareFile{Path: filepath.Join(checkpoints, ".step-000005.ckpt.1-00000000.tmp")}
	if err := s.Discard(filepath.Dir(path)); err == nil {
		t.Error("deleted through a link")
	}
	if err := Remove(path, filepath.Dir(path)); err != nil {
		t.Error(err)
	}
	if got := tree(t, elsewhere); len(got) != len(before) {
		t.Errorf("elsewhere were %v, and are %v", before, got)
	}
}
