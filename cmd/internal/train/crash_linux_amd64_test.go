package train_test

import (
	"encoding/csv"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/attnconv/attnconv/cmd/internal/clitest"
	"github.com/attnconv/attnconv/internal/fault"
	"github.com/attnconv/attnconv/run"
	"github.com/attnconv/attnconv/run/event"
)

// A run that is killed before any of its writes, renames, links and removals, and then resumed, ends like one that was
// not killed: weights, curves, links, summary. One run is traced, and its folder copied before each such call, as a
// kill would leave it; each copy is resumed. ATTNCONV_CRASHES=all tries every call, not one in twelve.
func TestCrashBeforeEachWrite(t *testing.T) {
	if testing.Short() {
		t.Skip("each moment is a run")
	}
	dir := t.TempDir()
	attnconv := clitest.Program(t, dir)
	whole, copies := filepath.Join(dir, "whole"), filepath.Join(dir, "copies")
	newRun := exec.Command(attnconv, "train", "-q", "--runs", dir, "--data", "shapes32", "--preset", "smoke",
		"--epochs", "2",
		"--limit-train-batches", "4", "--limit-val-batches", "1", "--layers", "1", "--dim", "16", "--save-every", "2",
		"--threads", "1",
		"--out", whole)
	var moments []string
	err := traced(newRun, whole, func(call string) error {
		if strings.HasPrefix(call, "sync ") {
			return nil // does not change what a kill leaves
		}
		to := filepath.Join(copies, fmt.Sprintf("%03d", len(moments)))
		moments = append(moments, call)
		if _, err := os.Stat(whole); err != nil {
			return nil
		}
		return os.CopyFS(to, os.DirFS(whole))
	})
	if errors.Is(err, syscall.EPERM) {
		t.Skip(err) // a container that allows no tracing
	}
	if err != nil {
		t.Fatal(err)
	}
	want := finalState(t, whole)
	every := 12
	if os.Getenv("ATTNCONV_CRASHES") == "all" {
		every = 1
	}
	for i, call := range moments {
		path := filepath.Join(copies, fmt.Sprintf("%03d", i))
		if i%every != 0 {
			continue
		}
		if _, err := os.Stat(filepath.Join(path, "run.json")); err != nil {
			continue // not a run yet
		}
		out, err := exec.Command(attnconv, "train", "-q", "--runs", dir, "--resume", path).CombinedOutput()
		if code := clitest.ExitCode(err); code != fault.Done && code != fault.Usage {
			t.Errorf("before %s: resume: %v\n%s", call, err, out)
			continue
		}
		for j, got := range finalState(t, path) {
			if got != want[j] {
				t.Errorf("moment %d, before %s:\n got %s\nwant %s", i, call, got, want[j])
			}
		}
	}
}

// finalState describes a finished run, except for what depends on the clock.
func finalState(t *testing.T, path string) []string {
	t.Helper()
	d := &run.Dir{Path: path}
	records, err := d.Records()
	if err != nil {
		t.Error(err)
	}
	var curve []string
	for _, r := range records {
		switch e := r.Event.(type) {
		case event.Epoch:
			curve = append(curve, fmt.Sprintf("epoch %d at %d: %g %g %t", e.Epoch, e.Step, e.TrainLoss, e.ValAcc,
				e.Best))
		case event.Step:
			curve = append(curve, fmt.Sprintf("step %d: %g", e.Step, e.Loss))
		case event.Heads:
			curve = append(curve, fmt.Sprintf("heads %d", e.Epoch))
		}
	}
	f, err := os.Open(filepath.Join(path, "epochs.csv"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	rows, err := csv.NewReader(f).ReadAll()
	if err != nil {
		t.Error(err)
	}
	for i := range rows {
		rows[i] = slices.Delete(rows[i], 7, 9) // img_s, wall_s
	}
	s, err := d.ReadSummary()
	summary := fmt.Sprint(err)
	if err == nil {
		summary = fmt.Sprint(s.State, s.Epochs, s.Steps, s.TrainLoss, s.ValAcc, s.TestAcc, s.BestEpoch,
			filepath.Base(s.Checkpoint))
	}
	links := "links"
	for _, name := range []string{"run.ckpt", "checkpoints/best.ckpt", "checkpoints/last.ckpt"} {
		target, err := filepath.EvalSymlinks(filepath.Join(path, filepath.FromSlash(name)))
		if err != nil {
			t.Error(err)
		}
		links += " " + filepath.Base(target)
	}
	var names []string
	for _, pattern := range []string{"*", "checkpoints/*", "heads/*", "figures/*", "*/.*.tmp", ".*.tmp"} {
		found, _ := filepath.Glob(filepath.Join(path, filepath.FromSlash(pattern)))
		for _, name := range found {
			base := filepath.Base(name)
			if strings.HasSuffix(base, ".superseded") || strings.HasPrefix(base, "environment-") ||
				strings.HasPrefix(base, "step-") { // these depend on the kills
				continue
			}
			names = append(names, strings.TrimPrefix(name, path))
		}
	}
	status, err := run.Open(path, "")
	if err != nil {
		t.Fatal(err)
	}
	return []string{clitest.Digest(t, path), strings.Join(curve, "\n"), fmt.Sprint(rows), summary, links,
		strings.Join(names, " "),
		status.Status().State}
}

// A run has begun once run.json has its name. By then all files that a resume reads must be on disk: first contents,
// then name, then folder.
func TestARunBeginsOnDisk(t *testing.T) {
	dir := t.TempDir()
	attnconv := clitest.Program(t, t.TempDir())
	newRun := exec.Command(attnconv, "train", "-q", "--runs", dir, "--data", "shapes32", "--preset", "smoke",
		"--epochs", "1",
		"--limit-train-batches", "1", "--limit-val-batches", "1", "--layers", "1", "--dim", "16", "--threads", "1",
		"--out", filepath.Join(dir, "run"))
	var calls []string
	err := traced(newRun, dir, func(call string) error {
		calls = append(calls, call)
		return nil
	})
	if errors.Is(err, syscall.EPERM) {
		t.Skip(err) // a container that allows no tracing
	}
	if err != nil {
		t.Fatal(err)
	}
	begun := slices.Index(calls, "rename to /run/run.json")
	if begun < 0 {
		t.Fatalf("no run began: %q", calls)
	}
	calls = calls[:begun]
	for _, order := range [][]string{
		{"sync /run/.config.yaml.", "rename to /run/config.yaml", "sync /run"},
		{"create /run/metrics.jsonl", "sync /run"},
		{"create /run/epochs.csv", "sync /run"},
		{"mkdir /run/checkpoints", "sync /run"},
		{"mkdir /run", "sync "},
		{"sync /run/.run.json."},
	} {
		rest := calls
		for _, want := range order {
			i := slices.IndexFunc(rest, func(call string) bool {
				return call == want || strings.HasSuffix(want, ".") && strings.HasPrefix(call, want)
			})
			if i < 0 {
				t.Errorf("%q: no %q in time before the run begins; in all\n%s", order, want, strings.Join(calls, "\n"))
				break
			}
			rest = rest[i+1:]
		}
	}
}
