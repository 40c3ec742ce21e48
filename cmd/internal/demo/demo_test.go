package demo

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/attnconv/attnconv/cmd/internal/term"
	"github.com/attnconv/attnconv/run"
	"github.com/attnconv/attnconv/run/event"
)

// The tour trains the smallest preset in its own folder, resumes an earlier tour, ends when a command fails, and
// ignores settings from the environment.
func TestDemoTrainsOrGoesOn(t *testing.T) {
	out := filepath.Join(t.TempDir(), "tour")
	own := filepath.Join(out, "run")
	noDisk := errors.New("no disk")
	trains := func(want string, flags ...string) {
		t.Helper()
		var got string
		c := term.NewConsole(strings.NewReader(""), io.Discard, io.Discard,
			[]string{"ATTNCONV_TRAIN_MOMENTUM=0.5", "HOME=/home/me"})
		cmd := New(c, func(_ context.Context, c *term.Console, args []string) error {
			if len(c.Env) != 1 || c.Getenv("HOME") == "" {
				t.Errorf("the environment of the tour: %v", c.Env)
			}
			got += strings.Join(args, " ")
			return noDisk
		})
		cmd.SetArgs(append(flags, "--out", out))
		cmd.SilenceErrors, cmd.SilenceUsage = true, true
		if err := cmd.ExecuteContext(t.Context()); !errors.Is(err, noDisk) {
			t.Errorf("the tour ends with %v", err)
		}
		if !strings.HasPrefix(got, want+" --runs "+out+" ") || !strings.HasSuffix(got, " --part") ||
			strings.Count(got, "--part") != 1 {
			t.Errorf("the tour runs %s, want %s", got, want)
		}
	}
	trains("train --data shapes32 --preset smoke --out " + own)

	d, err := run.CreateAt(own, run.Info{Preset: "smoke", Data: "shapes32"}, false)
	if err != nil {
		t.Fatal(err)
	}
	if err := d.Append(event.Record{Time: time.Now(), Event: event.End{State: event.Stopped}}); err != nil {
		t.Fatal(err)
	}
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
	trains("train --resume " + own)
	trains("train --data shapes32 --preset smoke --out "+own+" --force", "--force")
	if list, err := os.ReadDir(out); err != nil || len(list) != 1 {
		t.Errorf("%v in the folder (%v), want the run alone", list, err)
	}
}
