package cmd

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/attnconv/attnconv/cmd/internal/cli"
	"github.com/attnconv/attnconv/run"
)

// The tour trains the smallest preset in its own folder, resumes an earlier tour, ends when a command fails, and ignores
// settings from the environment (see try).
func TestDemoTrainsOrGoesOn(t *testing.T) {
	out := filepath.Join(t.TempDir(), "tour")
	s := try(t, t.Context(), errors.New("no disk"), "demo", "--out", out)
	switch {
	case s.code != cli.ExitFailed || !strings.Contains(s.err.String(), "no disk"):
		t.Fatalf("code %d: %s", s.code, &s.err)
	case s.train == nil || s.train.Out != filepath.Join(out, "run") || s.train.Resume || !s.train.OneOfMany:
		t.Fatalf("trained with %+v", s.train)
	case s.train.Config.Run.Preset != "smoke" || s.train.Config.Run.Data.Name != "shapes32":
		t.Errorf("trained %+v", s.train.Config.Run)
	case s.train.Config.Run.Train.Momentum == 0.5:
		t.Error("a variable of the user's changed the tour")
	}

	d, err := run.CreateAt(filepath.Join(out, "run"), run.Info{Preset: "smoke", Data: "shapes32"}, false)
	if err != nil {
		t.Fatal(err)
	}
	if err := d.Append(run.Record{Time: time.Now(), Event: run.End{State: run.Stopped}}); err != nil {
		t.Fatal(err)
	}
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
	s = try(t, t.Context(), errors.New("no disk"), "demo", "--out", out)
	if s.train == nil || !s.train.Resume || s.train.Ref != filepath.Join(out, "run") {
		t.Errorf("went on with %+v: %s", s.train, &s.err)
	}
	s = try(t, t.Context(), errors.New("no disk"), "demo", "--out", out, "--force")
	if s.train == nil || s.train.Resume || !s.train.Force {
		t.Errorf("began anew with %+v: %s", s.train, &s.err)
	}
	if list, err := os.ReadDir(out); err != nil || len(list) != 1 {
		t.Errorf("%v in the folder (%v), want the run alone", list, err)
	}
}
