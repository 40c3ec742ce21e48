package train_test

import (
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/attnconv/attnconv/cmd/internal/clitest"
	"github.com/attnconv/attnconv/internal/fault"
)

// A run that is killed or stopped at any moment and resumed, on any number of threads, ends with the same bytes as one
// that was not. ATTNCONV_KILLS is the number of kills (2).
func TestKillAndResume(t *testing.T) {
	for _, more := range [][]string{nil, {"--resolutions", "16,32"}, {"--augment", "crop,mixup"}} {
		t.Run(strings.Join(more, " "), func(t *testing.T) { killAndResume(t, more) })
	}
}

func killAndResume(t *testing.T, more []string) {
	kills := 2
	if n, err := strconv.Atoi(os.Getenv("ATTNCONV_KILLS")); err == nil {
		kills = n
	}
	dir := t.TempDir()
	attnconv := clitest.Program(t, dir)
	program := func(args ...string) *exec.Cmd {
		return exec.Command(attnconv, append(args, "-q", "--runs", dir)...)
	}
	newRun := func(name string) []string {
		return append([]string{"train", "--data", "shapes32", "--preset", "smoke", "--epochs", "2",
			"--limit-train-batches", "12",
			"--limit-val-batches", "2", "--layers", "2", "--dim", "16", "--dropout", "0.1", "--out",
			filepath.Join(dir, name),
			"--save-every", "5"}, more...)
	}
	start := time.Now()
	if out, err := program(newRun("whole")...).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	length := time.Since(start)
	want := clitest.Digest(t, filepath.Join(dir, "whole"))
	for done := 0; done < kills; {
		name := strconv.Itoa(done)
		args := newRun(name)
		for alive := true; alive && done < kills; {
			cmd := program(append(args, "--threads", strconv.Itoa(1+rand.IntN(4)))...)
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			time.AfterFunc(time.Duration(rand.Float64()*float64(length)), func() {
				if rand.IntN(2) == 0 || cmd.Process.Signal(syscall.SIGTERM) != nil {
					cmd.Process.Kill()
				}
			})
			alive = cmd.Wait() != nil
			done++
			if _, err := os.Stat(filepath.Join(dir, name, "run.json")); err == nil {
				args = []string{"train", "--resume", filepath.Join(dir, name)}
			}
		}
		if args[1] == "--resume" {
			out, err := program(args...).CombinedOutput()
			// usage: it was finished already
			if code := clitest.ExitCode(err); code != fault.Done && code != fault.Usage {
				t.Fatalf("resume: %v\n%s", err, out)
			}
			if got := clitest.Digest(t, filepath.Join(dir, name)); got != want {
				t.Fatalf("killed and resumed: weights and solver %.12s, left alone %.12s", got, want)
			}
		}
	}
}
