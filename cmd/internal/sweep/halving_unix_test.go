//go:build unix

package sweep_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/attnconv/attnconv/cmd/internal/clitest"
)

// A search with halving whose processes are killed with -9, again and again, leaves out the runs that an unhurried one
// leaves out, and every run ends with the same weights.
func TestHalvingIsKilledAndGoesOn(t *testing.T) {
	dir := t.TempDir()
	command := func(args ...string) *exec.Cmd {
		cmd := exec.Command("attnconv", args...)
		cmd.Dir = dir
		return cmd
	}
	for _, name := range []string{"whole", "killed"} {
		out, err := command("sweep", "plan", "--data", "shapes32", "--preset", "smoke", "--epochs", "4", "--dim", "16",
			"--layers", "2", "--limit-train-batches", "4", "--limit-val-batches", "2", "--lr", "log:0.001..0.1", "--random",
			"4", "--halving", "2", "--rungs", "1,2", "--out", name, "-q").CombinedOutput()
		if err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
	}
	begin := time.Now()
	if out, err := command("sweep", "run", "whole", "-q").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	whole := time.Since(begin)
	for _, part := range []float64{0.3, 0.5} {
		worker := command("sweep", "run", "killed", "-q")
		if err := worker.Start(); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Duration(part * float64(whole)))
		worker.Process.Kill()
		worker.Wait()
		killTrials(filepath.Join(dir, "killed"))
	}
	if out, err := command("sweep", "run", "killed", "-q").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	trials, err := filepath.Glob(filepath.Join(dir, "whole", "trials", "0*", "run.json"))
	if err != nil || len(trials) != 4 {
		t.Fatalf("%d runs: %v", len(trials), err)
	}
	for _, file := range trials {
		name := filepath.Base(filepath.Dir(file))
		want := clitest.Digest(t, filepath.Dir(file))
		got := clitest.Digest(t, filepath.Join(dir, "killed", "trials", name))
		if got != want {
			t.Errorf("%s: weights and solver %.12s after kills, %.12s without", name, got, want)
		}
	}
}

// killTrials kills the processes that train trials of a sweep.
func killTrials(sweep string) {
	files, _ := filepath.Glob(filepath.Join(sweep, "trials", "0*", "run.json"))
	for _, file := range files {
		var s struct {
			State string
			PID   int
		}
		b, _ := os.ReadFile(file)
		if json.Unmarshal(b, &s) == nil && s.State == "running" && s.PID > 1 {
			syscall.Kill(s.PID, syscall.SIGKILL)
		}
	}
}
