//go:build unix

package sweep

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/attnconv/attnconv/internal/disk"
	"github.com/attnconv/attnconv/internal/sweep/engine"
)

// A sweep of another person leads no process out of its folder: what its log, its trials, attempts and jobs link to
// stays as it is, and a pipe makes nobody wait.
func TestForeignSweepIsNotFollowed(t *testing.T) {
	train := func(t *testing.T, p *Plan) error {
		children := processes(t, "says")
		children.Plan = p
		failure := error(nil)
		w := Worker{Plan: p, Trials: []int{0}, Train: children.Train, Observe: func(e Event) {
			if e.Kind == Failed {
				failure = e.Err
			}
		}}
		w.Run(t.Context())
		return failure
	}
	submit := func(_ *testing.T, p *Plan) error {
		r := Request{Engine: engine.Engines.Find("slurm"), Program: "/attnconv", Dir: "/"}
		_, err := p.Submit(r, func(*Overview) []int { return []int{0} })
		return err
	}
	attempt := func(_ *testing.T, p *Plan) error { return p.noteAttempt(0, Attempt{Format: Format}) }
	for _, tt := range []struct {
		name string
		kind string
		do   func(t *testing.T, p *Plan) error
	}{
		{"000.log", "link", train}, {"000.log", "dangling link", train}, {"000.log", "pipe", train},
		{"trials", "link", train}, {"trials/000", "link", train},
		{"attempts", "link", attempt}, {"jobs", "link", submit}, {"jobs/.lock", "dangling link", submit},
	} {
		t.Run(fmt.Sprint(tt.name, " is a ", tt.kind), func(t *testing.T) {
			p, elsewhere := planned(t, 1), t.TempDir()
			p.Trials[0].Name = "000"
			at, target := filepath.Join(p.Path, tt.name), filepath.Join(elsewhere, "profile")
			err := errors.Join(os.RemoveAll(at), os.MkdirAll(filepath.Dir(at), 0o777))
			switch {
			case tt.kind == "pipe":
				err = errors.Join(err, syscall.Mkfifo(at, 0o666))
			case tt.kind == "dangling link":
				err = errors.Join(err, os.Symlink(target+"2", at))
			case filepath.Ext(tt.name) == ".log":
				err = errors.Join(err, os.WriteFile(target, []byte("mine\n"), 0o666), os.Symlink(target, at))
			default:
				err = errors.Join(err, os.Symlink(elsewhere, at))
			}
			if err != nil {
				t.Fatal(err)
			}
			before := listing(t, elsewhere)
			done := make(chan error, 1)
			go func() { done <- tt.do(t, p) }()
			select {
			case err = <-done:
			case <-time.After(20 * time.Second):
				t.Fatal("it hangs")
			}
			if bad := (*disk.FileTypeError)(nil); !errors.As(err, &bad) || bad.Path != at {
				t.Errorf("got %v, want an *Irregular for %s", err, at)
			}
			if after := listing(t, elsewhere); after != before {
				t.Errorf("elsewhere was\n%s, and is\n%s", before, after)
			}
		})
	}
}

// listing is the files below dir with their content.
func listing(t *testing.T, dir string) (text string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, e os.DirEntry, err error) error {
		if err == nil && !e.IsDir() {
			b, _ := os.ReadFile(path)
			text += fmt.Sprintf("%s: %q\n", path, b)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// A plan whose trials have names that are more than names is refused: a line break in one would become a line of a log.
func TestNamesOfTrials(t *testing.T) {
	for _, name := range []string{"000\nexport X=1\n#", "-rf", "a/b", ".hidden", "000\x1b[2J", ""} {
		p := planned(t, 1)
		file := filepath.Join(p.Path, "sweep.json")
		b, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		text := strings.Replace(string(b), fmt.Sprintf("%q", p.Trials[0].Name), fmt.Sprintf("%q", name), 1)
		text = strings.ReplaceAll(text, `\x1b`, `\u001b`)
		if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		if _, err := Open(p.Path); err == nil || !strings.Contains(err.Error(), "is not a name") {
			t.Errorf("%q: got %v", name, err)
		}
	}
}

// A new sweep has the permissions that the user's umask leaves.
func TestPlanKeepsToTheUmask(t *testing.T) {
	for _, mask := range []int{0o077, 0o002} {
		before := syscall.Umask(mask)
		p := planned(t, 1)
		syscall.Umask(before)
		for _, name := range []string{".", "trials", "configs"} {
			info, err := os.Stat(filepath.Join(p.Path, name))
			if want := os.FileMode(0o777 &^ mask); err != nil || info.Mode().Perm() != want {
				t.Errorf("umask %03o: %s has %v, %v; want %v", mask, name, info.Mode().Perm(), err, want)
			}
		}
	}
}
