//go:build unix

package sweep_test

import (
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"
)

// A task that is told of its limit by SIGUSR1 saves, ends with exit code 75, and is queued; run again, it goes on from
// there. It fails if the signal only saves, as it does for train, or if the task ends as if it were done.
func TestTaskEndsBeforeItsLimit(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "mine")
	plan := exec.Command("attnconv", "sweep", "plan", "--data", "shapes32", "--preset", "smoke", "--epochs", "1000",
		"--dim", "16",
		"--seeds", "0", "--out", dir, "-q")
	if out, err := plan.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	step := func() int {
		var s struct{ Step int }
		b, _ := os.ReadFile(filepath.Join(dir, "trials", "000-s0", "run.json"))
		json.Unmarshal(b, &s)
		return s.Step
	}
	last := 0
	for range 2 {
		task := exec.Command("attnconv", "sweep", "run", dir, "--task", "0", "--time-budget", "1h", "-q")
		if err := task.Start(); err != nil {
			t.Fatal(err)
		}
		for begin := time.Now(); step() <= last &&
			time.Since(begin) < 2*time.Minute; time.Sleep(20 * time.Millisecond) {
		}
		task.Process.Signal(syscall.SIGUSR1)
		var exit *exec.ExitError
		if err := task.Wait(); !errors.As(err, &exit) || exit.ExitCode() != 75 {
			t.Fatalf("%v, want exit code 75", err)
		}
		if now := step(); now <= last {
			t.Fatalf("at step %d after step %d", now, last)
		}
		last = step()
		var a struct{ Outcome string }
		b, err := os.ReadFile(filepath.Join(dir, "attempts", "000.json"))
		if err != nil || json.Unmarshal(b, &a) != nil || a.Outcome != "requeue" {
			t.Errorf("the attempt is noted as %s, %v", b, err)
		}
	}
}
