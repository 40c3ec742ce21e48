package compare_test

import (
	"encoding/json"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/attnconv/attnconv/cmd/internal/clitest"
	"github.com/attnconv/attnconv/run"
	"github.com/attnconv/attnconv/study"
)

// A comparison that is killed and repeated trains no run twice, and ends with the accuracies of one that was not
// killed.
func TestComparisonIsKilledAndGoesOn(t *testing.T) {
	dir := t.TempDir()
	attnconv := clitest.Program(t, dir)
	compare := func(runs string) *exec.Cmd {
		return exec.Command(attnconv, "compare", "--json", "-q", "--runs", filepath.Join(dir, runs), "--data",
			"shapes32",
			"--epochs", "2", "--limit-train-batches", "10", "--limit-val-batches", "1", "--layers", "2", "--dim", "16",
			"--baseline", "quadratic-general", "--models", "quadratic", "--seeds", "0,1")
	}
	start := time.Now()
	want := comparison(t, compare("whole"))
	length := time.Since(start)
	for _, part := range []float64{0.3, 0.6, 0.8} {
		cmd := compare("killed")
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		time.AfterFunc(time.Duration(part*float64(length)), func() { cmd.Process.Kill() })
		cmd.Wait()
	}
	if diff := cmp.Diff(want, comparison(t, compare("killed"))); diff != "" {
		t.Error(diff)
	}
	list, err := run.List(filepath.Join(dir, "killed"))
	if err != nil || len(list) != 4 {
		t.Errorf("%d runs, want 4: %v", len(list), err)
	}
}

// comparison runs a comparison and returns mean and deviation of each model's accuracy.
func comparison(t *testing.T, cmd *exec.Cmd) map[string][]float64 {
	t.Helper()
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v\n%s", err, err.(*exec.ExitError).Stderr)
	}
	var d study.Comparison
	if err := json.Unmarshal(out, &d); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	got := map[string][]float64{}
	for _, r := range d.Rows {
		if r.N != 2 {
			t.Errorf("%s has %d runs", r.Name, r.N)
		}
		got[r.Name] = append(got[r.Name], float64(r.Mean), float64(r.Std))
	}
	return got
}
