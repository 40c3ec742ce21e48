package run

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/attnconv/attnconv/run/event"
)

func TestRemove(t *testing.T) {
	t.Chdir(t.TempDir())
	fake(t, "runs", 4)
	all, err := names("runs")
	if err != nil {
		t.Fatal(err)
	}
	path := func(i int) string { return filepath.Join("runs", all[i]) }
	if err := (&Dir{Path: path(2)}).LinkLatest("runs"); err != nil {
		t.Fatal(err)
	}
	touch(t, path(2), "checkpoints", "step-000001.ckpt")
	if err := Remove(path(2), "runs"); err != nil {
		t.Fatal(err)
	}
	if got, err := resolve("latest", "runs"); err != nil || got != path(3) {
		t.Errorf("latest is %q, %v; want %q", got, err, path(3))
	}
	if list, _ := os.ReadDir("runs"); len(list) != 4 { // three runs and latest
		t.Errorf("left: %v", list)
	}

	alive, err := Create("runs", Info{Data: "shapes32", Model: "mhsa"})
	if err != nil {
		t.Fatal(err)
	}
	defer alive.Close()
	var busy *BusyError
	if err := Remove(alive.Path, "runs"); !errors.As(err, &busy) || !isRun(alive.Path) {
		t.Errorf("a run that is alive: %v", err)
	}
}

func TestRemoveLeavesWhatIsNotTheRuns(t *testing.T) {
	t.Chdir(t.TempDir())
	d, err := CreateAt("mine", Info{Data: "shapes32", Model: "mhsa"}, false)
	if err != nil {
		t.Fatal(err)
	}
	if err := d.Event(event.End{State: event.Done}); err != nil {
		t.Fatal(err)
	}
	d.Close()
	touch(t, "mine", "notes.txt")
	if err := Remove("mine", "runs"); err != nil {
		t.Fatal(err)
	}
	list, err := os.ReadDir("mine")
	if err != nil || len(list) != 1 || list[0].Name() != "notes.txt" {
		t.Errorf("left: %v, %v", list, err)
	}
}

func TestSpares(t *testing.T) {
	t.Chdir(t.TempDir())
	fake(t, "runs", 4) // 0 and 2 are done, 1 and 3 were killed; all long ago
	all, err := names("runs")
	if err != nil {
		t.Fatal(err)
	}
	touch(t, "runs", all[0], "checkpoints", "step-000001.ckpt")
	touch(t, "runs", all[0], "checkpoints", "epoch-001.ckpt")
	touch(t, "runs", all[0], "checkpoints", "step-000009.ckpt.superseded")
	touch(t, "runs", all[0], "checkpoints", ".step-000009.ckpt.1-00000000.tmp")
	touch(t, "runs", all[0], "metrics.jsonl.superseded")
	touch(t, "runs", all[3], "checkpoints", "step-000001.ckpt")
	touch(t, "runs", ".20261120-old-k111.removed", "run.json")
	active, err := Create("runs", Info{Data: "shapes32", Model: "mhsa"})
	if err != nil {
		t.Fatal(err)
	}
	active.Close()
	touch(t, active.Path, "metrics.jsonl.superseded")
	want := []string{
		".20261120-old-k111.removed: a removal that was cut short",
		all[0] + "/checkpoints/.step-000009.ckpt.1-00000000.tmp: left by a process that was killed",
		all[0] + "/checkpoints/step-000009.ckpt.superseded: superseded by a resume",
		all[0] + "/metrics.jsonl.superseded: superseded by a resume",
		all[1] + ": ended before its first checkpoint",
	}
	spares, err := Spares("runs", false)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, s := range spares {
		name, _ := filepath.Rel("runs", s.Path)
		got = append(got, filepath.ToSlash(name)+": "+s.Why)
		if s.Size == 0 {
			t.Errorf("%s: no size", s.Path)
		}
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	for _, s := range spares {
		if err := s.Discard("runs"); err != nil {
			t.Error(err)
		}
	}
	spares, err = Spares("runs", true)
	if err != nil || len(spares) != 1 || filepath.Base(spares[0].Path) != "epoch-001.ckpt" {
		t.Errorf("then: %v, %v", spares, err)
	}
}
