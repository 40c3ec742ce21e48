package run

import (
	"errors"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/attnconv/attnconv/internal/disk"
	"github.com/attnconv/attnconv/run/event"
)

// saved saves a small file instead of a checkpoint.
func saved(t testing.TB, d *Dir, step int, best bool) {
	t.Helper()
	if err := d.Save(step, best, func(path string) error { touch(t, path); return nil }); err != nil {
		t.Fatal(err)
	}
}

func stepFile(d *Dir, step int) string { return d.checkpoint(stepName(step)) }

func stepNames(t testing.TB, d *Dir) []string {
	t.Helper()
	list, err := filepath.Glob(filepath.Join(d.Path, "checkpoints", "*-*.ckpt"))
	if err != nil {
		t.Fatal(err)
	}
	for i := range list {
		list[i] = filepath.Base(list[i])
	}
	return list
}

func TestSave(t *testing.T) {
	d := create(t, t.TempDir())
	if _, err := os.Stat(filepath.Join(d.Path, "run.ckpt")); err == nil {
		t.Error("a checkpoint before the first")
	}
	saved(t, d, 10, false)
	if got := text(t, d.Path, "run.ckpt"); got != stepFile(d, 10) {
		t.Errorf("no best yet: run.ckpt is %s", got)
	}
	saved(t, d, 20, true)
	touch(t, d.Snapshot(1))
	for _, step := range []int{30, 40, 50} {
		saved(t, d, step, false)
	}
	want := []string{"epoch-001.ckpt", "step-000020.ckpt", "step-000040.ckpt", "step-000050.ckpt"}
	if got := stepNames(t, d); !slices.Equal(got, want) {
		t.Errorf("kept %v, want %v", got, want)
	}
	for name, step := range map[string]int{"run.ckpt": 20, "checkpoints/best.ckpt": 20, "checkpoints/last.ckpt": 50} {
		if got := text(t, d.Path, filepath.FromSlash(name)); got != stepFile(d, step) {
			t.Errorf("%s is %s, want step %d", name, got, step)
		}
	}
	d.Retain = 1
	saved(t, d, 60, true)
	if got := stepNames(t, d); !slices.Equal(got, []string{"epoch-001.ckpt", "step-000060.ckpt"}) {
		t.Errorf("kept %v", got)
	}
}

// A run's folder can be moved: its links are relative.
func TestMovedRun(t *testing.T) {
	root := t.TempDir()
	d := create(t, filepath.Join(root, "runs"))
	saved(t, d, 10, true)
	d.Close()
	if err := os.Rename(filepath.Join(root, "runs"), filepath.Join(root, "moved")); err != nil {
		t.Fatal(err)
	}
	path, found, err := Lookup{Root: filepath.Join(root, "moved")}.FindCheckpoint("")
	if err != nil || found.Word == "" {
		t.Fatal(path, found.Word, err)
	}
	text(t, path)
}

// Hard links and copies replace symbolic links where those are not possible.
func TestLinkWays(t *testing.T) {
	for i := range ways {
		dir := t.TempDir()
		touch(t, dir, "checkpoints", "a")
		touch(t, dir, "checkpoints", "b")
		path := filepath.Join(dir, "x")
		for _, name := range []string{"a", "b", "b"} {
			target := filepath.Join("checkpoints", name)
			if err := linkBy(ways[i:], disk.Folder(dir), target, "x"); err != nil {
				t.Fatal(err)
			}
			if got := text(t, path); got != filepath.Join(dir, target) {
				t.Errorf("way %d: %s stands for %s", i, path, got)
			}
		}
		if list, _ := os.ReadDir(dir); len(list) != 2 {
			t.Errorf("way %d: left %v", i, list)
		}
	}
}

func TestLastGood(t *testing.T) {
	d := create(t, t.TempDir())
	var missing *NotFoundError
	if _, _, err := d.LastGood(func(string) error { return nil }); !errors.As(err, &missing) {
		t.Errorf("no checkpoints: %v", err)
	}
	saved(t, d, 999_999, true)
	saved(t, d, 1_000_000, false) // more digits than the name has room for
	broken := errors.New("damaged")
	for _, tt := range []struct {
		name     string
		bad      []int
		want     int
		warnings int
	}{
		{"newest", nil, 1_000_000, 0},
		{"newest damaged", []int{1_000_000}, 999_999, 1},
		{"all damaged", []int{1_000_000, 999_999}, 0, 2},
	} {
		path, warnings, err := d.LastGood(func(path string) error {
			for _, step := range tt.bad {
				if path == stepFile(d, step) {
					return broken
				}
			}
			return nil
		})
		if tt.want == 0 && errors.Is(err, broken) && len(warnings) == tt.warnings {
			continue
		}
		if err != nil || path != stepFile(d, tt.want) || len(warnings) != tt.warnings {
			t.Errorf("%s: %s, %v, %v", tt.name, path, warnings, err)
		}
	}
}

func TestRewind(t *testing.T) {
	d := create(t, t.TempDir())
	events(
		t,
		d,
		event.Start{Steps: 40, Epochs: 4, Kernels: "avx2"},
		event.Heads{Epoch: 0},
		event.Step{Step: 5, Epoch: 1},
		event.Heads{Epoch: 1},
		event.Epoch{Epoch: 1, Step: 10, ValAcc: 0.25, WallS: 1, Best: true}, event.Warn{Message: "kept"},
		event.Step{Step: 15, Epoch: 2, Loss: 3}, event.Step{Step: 18, Epoch: 2}, event.Warn{Message: "gone"},
		event.Heads{Epoch: 2}, event.Epoch{Epoch: 2, Step: 20, ValAcc: 0.5, WallS: 1, Best: true})
	for _, step := range []int{10, 15, 20} {
		saved(t, d, step, step != 15)
	}
	touch(t, d.Snapshot(1))
	touch(t, d.Snapshot(2))
	if f, err := os.OpenFile(filepath.Join(d.Path, "metrics.jsonl"), os.O_APPEND|os.O_WRONLY, 0); err != nil {
		t.Fatal(err)
	} else if _, err := f.WriteString("\x00\x00broken\n"); err != nil {
		t.Fatal(err)
	} else {
		f.Close()
	}
	if err := d.Rewind(15, 1); err != nil {
		t.Fatal(err)
	}
	s := d.Status()
	if s.Epoch != 1 || s.Step != 15 || s.ValAcc != 0.25 || s.BestEpoch != 1 || s.TrainLoss != 3 || s.WallS != 1 ||
		s.State != event.Running || s.Kernels != "avx2" || !math.IsNaN(s.TestAcc) {
		t.Errorf("status %+v", s)
	}
	events(t, d, event.Start{Step: 15}, event.Heads{Epoch: 2}, event.Epoch{Epoch: 2, Step: 20, ValAcc: 0.75})
	all, err := d.Records()
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, r := range all {
		got = append(got, event.Kind(r.Event))
	}
	if want := "start heads step heads epoch warn step start heads epoch"; strings.Join(got, " ") != want {
		t.Errorf("events %v, want %s", got, want)
	}
	gone := text(t, d.Path, "metrics.jsonl.superseded")
	if strings.Count(gone, "\n") != 5 || !strings.Contains(gone, "broken") {
		t.Errorf("aside: %s", gone)
	}
	if got := text(t, d.Path, "epochs.csv"); strings.Count(got, "\n") != 3 || !strings.Contains(got, ",0.75,") {
		t.Errorf("epochs.csv: %s", got)
	}
	if got := text(t, d.Path, "epochs.csv.superseded"); !strings.HasPrefix(got, "2,20,") {
		t.Errorf("aside: %s", got)
	}
	text(t, d.Path, "heads", "epoch-002.json.superseded")
	if got := stepNames(t, d); !slices.Equal(got, []string{"epoch-001.ckpt", "step-000015.ckpt"}) {
		t.Errorf("checkpoints %v", got)
	}
	for _, name := range []string{"run.ckpt", "checkpoints/best.ckpt", "checkpoints/last.ckpt"} {
		text(t, d.Path, filepath.FromSlash(name)) // none points at what went aside
	}
	if err := d.Rewind(0, 0); err != nil {
		t.Fatal(err)
	}
	if all, err := d.Records(); err != nil || len(all) != 1 { // the first start
		t.Errorf("%v, %v", all, err)
	}
	if got := text(t, d.Path, "epochs.csv"); got != epochsHeader {
		t.Errorf("epochs.csv: %s", got)
	}
}

// A process may end between writing the checkpoint of the best epoch and saying that it is the best.
func TestRewindLinksTheBest(t *testing.T) {
	d := create(t, t.TempDir())
	events(t, d, event.Start{}, event.Epoch{Epoch: 1, Step: 10, Best: true})
	saved(t, d, 10, true)
	events(t, d, event.Epoch{Epoch: 2, Step: 20, Best: true})
	killed := errors.New("killed")
	err := d.Save(20, true, func(path string) error {
		touch(t, path)
		return killed
	})
	if !errors.Is(err, killed) {
		t.Fatal(err)
	}
	if err := d.Rewind(20, 2); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"run.ckpt", "checkpoints/best.ckpt", "checkpoints/last.ckpt"} {
		if got := text(t, d.Path, filepath.FromSlash(name)); got != stepFile(d, 20) {
			t.Errorf("%s is %s", name, got)
		}
	}
}

// A checkpoint may lie between an epoch's last step and its evaluation. If the process ends after the evaluation and
// before the next checkpoint, the epoch is closed once more.
func TestRewindBeforeTheEndOfAnEpoch(t *testing.T) {
	d := create(t, t.TempDir())
	events(t, d, event.Start{}, event.Epoch{Epoch: 1, Step: 10, Best: true}, event.Heads{Epoch: 1})
	saved(t, d, 10, true)
	saved(t, d, 20, false)
	events(t, d, event.Epoch{Epoch: 2, Step: 20, Best: true}, event.Heads{Epoch: 2})
	touch(t, d.Snapshot(2))
	if err := d.Rewind(20, 1); err != nil {
		t.Fatal(err)
	}
	if all, err := d.Records(); err != nil || len(all) != 3 {
		t.Errorf("%v, %v", all, err)
	}
	if got := text(t, d.Path, "epochs.csv"); strings.Count(got, "\n") != 2 {
		t.Errorf("epochs.csv: %s", got)
	}
	if got := text(t, d.Path, "checkpoints", "best.ckpt"); got != stepFile(d, 10) {
		t.Errorf("best.ckpt is %s", got)
	}
	if s := d.Status(); s.BestEpoch != 1 || s.Epoch != 1 {
		t.Errorf("status %+v", s)
	}
	text(t, d.Path, "heads", "epoch-002.json.superseded")
	text(t, d.Path, "checkpoints", "epoch-002.ckpt.superseded")
}

// A power cut may leave epochs.csv behind the stream.
func TestRewindBringsRowsBack(t *testing.T) {
	d := create(t, t.TempDir())
	events(t, d, event.Start{}, event.Epoch{Epoch: 1, Step: 10}, event.Epoch{Epoch: 2, Step: 20})
	path := filepath.Join(d.Path, "epochs.csv")
	want := text(t, path)
	if err := os.WriteFile(path, []byte(want[:len(want)-5]), 0o666); err != nil {
		t.Fatal(err)
	}
	if err := d.Rewind(20, 2); err != nil {
		t.Fatal(err)
	}
	if got := text(t, path); got != want {
		t.Errorf("epochs.csv: %s, want %s", got, want)
	}
}

func TestRewindNothing(t *testing.T) {
	d := create(t, t.TempDir())
	events(t, d, event.Start{}, event.Step{Step: 5}, event.Epoch{Epoch: 1, Step: 10})
	before := text(t, d.Path, "metrics.jsonl")
	if err := d.Rewind(10, 1); err != nil {
		t.Fatal(err)
	}
	if got := text(t, d.Path, "metrics.jsonl"); got != before {
		t.Errorf("changed to %s", got)
	}
	if _, err := os.Stat(filepath.Join(d.Path, "metrics.jsonl.superseded")); err == nil {
		t.Error("an empty file was put aside")
	}
	opened, err := Open(d.Path, "")
	if err != nil {
		t.Fatal(err)
	}
	if err := opened.Rewind(0, 0); err == nil {
		t.Error("a run opened to be read was rewound")
	}
}
